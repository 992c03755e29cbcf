use flowstate::prelude::*;

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<()> {
    ctx.parallel((), input).await
}

fn main() {}
