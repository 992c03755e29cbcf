use flowstate::prelude::*;

#[block(handler, state = Talley)]
async fn plain(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input)
}

fn main() {}
