use flowstate::prelude::*;

pub struct Foo;

#[state]
pub struct Total {
    pub names: Option<Vec<Foo>>,
}

#[block(handler, state = Total)]
async fn count(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.self_.names.set(None)?;
    Ok(input)
}

fn main() {}
