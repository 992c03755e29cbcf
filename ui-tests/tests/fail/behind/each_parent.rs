use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, parent = Tally)]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.parent.count.get())
}

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn pipeline(input: Vec<u32>) -> Vec<u32> {
    input.for_each(|_| Each::One, blocks = [one, child])
}

fn main() {}
