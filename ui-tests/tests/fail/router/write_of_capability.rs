use flowstate::prelude::*;

#[state]
pub struct Picks {
    pub picks: u32,
}

#[capability(state = Picks)]
pub struct Picking;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one], uses = [Picking])]
async fn pick(_input: &u32, ctx: Ctx) -> Result<Route> {
    ctx.self_.picks.inc(1)?;
    Ok(Route::One)
}

fn main() {}
