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
fn pipeline(input: Vec<u32>) -> Vec<u32> {
    input.for_each(child, max_concurrency = 4)
}

fn main() {}
