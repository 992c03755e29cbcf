use flowstate::prelude::*;

#[state]
pub struct Picks {
    pub picks: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one], session = Picks)]
async fn pick(_input: &u32, ctx: Ctx) -> Result<Route> {
    ctx.session.picks.inc(1).await?;
    Ok(Route::One)
}

fn main() {}
