use flowstate::prelude::*;

#[state]
pub struct Kept<T> {
    pub value: T,
}

#[block(handler, state = Kept<u32>)]
async fn one(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.self_.value.get())
}

#[block(sequencer, state = Kept<u32>)]
fn chain(input: u32) -> u32 {
    input.tap(|_, ctx| ctx.self_.value.set(1)).step(one)
}

fn main() {}
