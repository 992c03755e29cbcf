use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

flow! {
    #[flow]
    pub struct Chat {
        pub one: one,
    }
}

fn main() {}
