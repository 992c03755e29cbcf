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
fn pipeline(input: u32) -> u32 {
    input.tap(child)
}

fn main() {}
