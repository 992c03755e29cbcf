use flowstate::prelude::*;

#[state]
pub struct Note {
    pub note: Option<String>,
}

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, parent = [Tally, Note])]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.count.inc(1)?;
    Ok(input)
}

#[block(sequencer, state = Tally)]
fn pipeline(input: u32) -> u32 {
    input.step(child)
}

fn main() {}
