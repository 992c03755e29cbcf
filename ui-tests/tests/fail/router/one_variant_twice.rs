use flowstate::prelude::*;

mod other {
    use flowstate::prelude::*;

    #[block(handler)]
    pub async fn one(input: u32) -> Result<u32> {
        Ok(input)
    }
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(router, routes = [one, other::one])]
async fn pick(_input: &u32) -> Result<Route> {
    Ok(Route::One)
}

fn main() {}
