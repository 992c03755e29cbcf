use flowstate::prelude::*;

#[state]
pub struct Note {
    pub note: Option<String>,
}

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, state = [Note, Tally])]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.cuont.inc(1)?;
    Ok(input)
}

fn main() {}
