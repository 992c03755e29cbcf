use flowstate::prelude::*;

#[block(sequencer)]
async fn planner(input: u32, ctx: Ctx) -> Result<u32> {
    if input == 0 { Ok(0) } else { ctx.step(planner, input - 1).await }
}

fn main() {}
