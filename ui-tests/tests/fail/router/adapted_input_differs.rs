use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn two(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one, two.connect_input(|input: String| input.len() as u32)])]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
