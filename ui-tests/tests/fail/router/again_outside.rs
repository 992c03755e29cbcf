use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one])]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

flow! {
    #[flow(kind = "picking")]
    pub struct Picking {
        pub other: other,
    }
}

#[block(router, routes = [again(pick)])]
async fn other(_input: &u32) -> Result<Route> {
    Ok(Route::Pick)
}

fn main() {}
