use flowstate::prelude::*;

#[state]
pub struct Picks {
    pub picks: u32,
}

#[block(handler, sequencer = Picks)]
async fn one(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.sequencer.picks.inc(input)?;
    Ok(input)
}

#[block(router, routes = [one], state = Picks)]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

flow! {
    #[flow(kind = "picking")]
    pub struct Picking {
        pub pick: pick,
    }
}

fn main() {}
