use flowstate::prelude::*;

#[state]
pub struct Picks {
    pub picks: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn count(picks: &Local<'_, Picks>) -> Result<bool> {
    picks.picks.inc(1)
}

#[block(router, routes = [one], state = Picks)]
async fn pick(_input: &u32, ctx: Ctx) -> Result<Route> {
    count(&ctx.self_)?;
    Ok(Route::One)
}

fn main() {}
