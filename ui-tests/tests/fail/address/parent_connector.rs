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
fn pipeline(input: String) -> u32 {
    input.step(|text| text.len() as u32, child)
}

fn main() {}
