use std::rc::Rc;

use flowstate::prelude::*;

async fn pause() {}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one])]
async fn pick(input: &u32) -> Result<Route> {
    let shared = Rc::new(*input);
    pause().await;
    drop(shared);
    Ok(Route::One)
}

fn main() {}
