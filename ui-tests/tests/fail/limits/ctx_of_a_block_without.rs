use flowstate::prelude::*;

#[state]
pub struct Note {
    pub count: u32,
}

fn helper(ctx: &Ctx<'_, tracker>) -> u32 {
    ctx.self_.count.get()
}

#[block(handler, state = Note)]
async fn tracker(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
