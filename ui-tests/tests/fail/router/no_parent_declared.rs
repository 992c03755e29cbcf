use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one])]
async fn pick(_input: &u32, ctx: Ctx) -> Result<Route> {
    if ctx.parent.picks.get() > 1 {}
    Ok(Route::One)
}

fn main() {}
