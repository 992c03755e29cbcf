use flowstate::prelude::*;

mod parts {
    use flowstate::prelude::*;
    #[block(handler)]
    pub async fn one(input: u32) -> Result<u32> {
        Ok(input)
    }
}
use parts::one;

#[block(sequencer)]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.step(one, input).await?;
    ctx.step(parts::one, input).await
}

fn main() {}
