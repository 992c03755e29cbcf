use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one])]
async fn pick(input: &u32, ctx: Ctx) -> Result<Route> {
    ctx.step(one, *input).await?;
    Ok(Route::One)
}

fn main() {}
