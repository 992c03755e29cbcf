use flowstate::prelude::*;

#[state]
pub struct Picks {
    pub picks: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one], sequencer = Picks)]
async fn pick(_input: &u32, ctx: Ctx) -> Result<Route> {
    ctx.sequencer.set(Picks { picks: 1 })?;
    Ok(Route::One)
}

fn main() {}
