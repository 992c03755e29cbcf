use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config] by: u32) -> Result<u32> {
    Ok(input * by)
}

#[block(router, routes = [scale])]
fn pick(_: &u32) -> Result<Route> {
    Ok(Route::Scale)
}

fn main() {}
