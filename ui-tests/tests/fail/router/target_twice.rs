use flowstate::prelude::*;

#[state]
pub struct Picks {
    pub picks: u32,
}

#[block(handler, targets(pick = Picks))]
async fn one(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.targets.pick.picks.inc(input)?;
    Ok(input)
}

#[block(router, routes = [one], name = "pick", state = Picks)]
async fn inner(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

#[block(router, routes = [inner], state = Picks)]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::Inner)
}

fn main() {}
