use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

macro_rules! made {
    () => {
        one
    };
}

#[block(sequencer)]
fn pipeline(input: Vec<u32>) -> Vec<u32> {
    input.for_each(|_| Each::One, blocks = [made!()])
}

fn main() {}
