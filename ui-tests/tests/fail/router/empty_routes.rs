use flowstate::prelude::*;

#[block(router, routes = [])]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
