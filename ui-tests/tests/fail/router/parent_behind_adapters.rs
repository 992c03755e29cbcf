use flowstate::prelude::*;

#[state]
pub struct Picks {
    pub picks: u32,
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler, parent = Picks)]
async fn count(_: Rescued, ctx: Ctx) -> Result<u32> {
    Ok(ctx.parent.picks.get())
}

#[block(router, routes = [one.rescue::<Error>(count).connect_input(|input: u32| input)])]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
