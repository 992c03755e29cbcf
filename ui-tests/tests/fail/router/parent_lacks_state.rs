use flowstate::prelude::*;

#[state]
pub struct Picks {
    pub picks: u32,
}

#[block(handler, parent = Picks)]
async fn one(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.picks.inc(input)?;
    Ok(input)
}

#[block(router, routes = [one])]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

// the parent of a routed block is the router
#[block(sequencer, state = Picks)]
fn pipeline(input: u32) -> u32 {
    input.step(pick)
}

fn main() {}
