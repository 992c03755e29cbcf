use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: u32) -> String {
    input.do_until(one.connect_output(|v| v.to_string()), |v| v.len() > 3)
}

fn main() {}
