use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler)]
async fn sorry(failure: Rescued) -> Result<String> {
    Ok(failure.message().to_owned())
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one.rescue::<Error>(sorry))
}

fn main() {}
