use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

flow! {
    #[flow(kind = "twice")]
    pub struct Twice {
        pub go: one,
        pub go: one,
    }
}

fn main() {}
