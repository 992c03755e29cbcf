use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

flow! {
    #[flow(kin = "chat")]
    pub struct Chat<T> {
        pub one: one,
        pub one: one,
    }
}

fn main() {}
