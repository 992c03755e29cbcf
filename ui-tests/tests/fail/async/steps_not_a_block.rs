use flowstate::prelude::*;

pub struct Helper;

#[block(sequencer, steps = [Helper])]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    let _ = ctx.path();
    Ok(input)
}

fn main() {}
