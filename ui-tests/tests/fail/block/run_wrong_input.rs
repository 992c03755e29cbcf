use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {
    drop(flowstate::run(one, "text"));
}
