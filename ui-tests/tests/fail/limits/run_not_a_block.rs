use flowstate::prelude::*;

async fn helper(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {
    drop(flowstate::run(helper, 1));
}
