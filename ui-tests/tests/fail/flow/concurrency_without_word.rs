use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

flow! {
    #[flow(kind = "chat")]
    pub struct Chat {
        #[action(concurrency)]
        pub one: one,
    }
}

fn main() {}
