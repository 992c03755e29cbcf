use flowstate::prelude::*;

#[state]
pub struct Note {
    pub note: Option<String>,
}

#[state]
pub struct Tally {
    pub count: u32,
}

fn bump(tally: &Local<'_, Tally>) -> Result<bool> {
    tally.count.inc(1)
}

#[block(handler, state = Note)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    bump(&ctx.self_)?;
    Ok(input)
}

fn main() {}
