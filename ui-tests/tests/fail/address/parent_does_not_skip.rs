use flowstate::prelude::*;

#[state]
pub struct Note {
    pub note: Option<String>,
}

#[block(handler, parent = Note)]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.note.set(None)?;
    Ok(input)
}

#[block(sequencer)]
fn inner(input: u32) -> u32 {
    input.step(child)
}

#[block(sequencer, state = Note)]
fn outer(input: u32) -> u32 {
    input.step(inner)
}

fn main() {}
