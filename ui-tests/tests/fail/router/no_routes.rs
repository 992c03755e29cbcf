use flowstate::prelude::*;

#[block(router)]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
