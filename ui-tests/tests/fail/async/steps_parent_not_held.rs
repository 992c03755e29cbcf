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

#[block(sequencer, steps = [child])]
async fn pipeline(input: u32, ctx: Ctx) -> Result<u32> {
    helper(&ctx).await
}

async fn helper(ctx: &Ctx<'_, pipeline>) -> Result<u32> {
    ctx.step(child, 1).await
}

fn main() {}
