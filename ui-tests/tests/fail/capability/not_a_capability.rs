use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

pub struct Plain;

#[block(handler, uses = [Plain])]
async fn work(input: String, ctx: Ctx) -> Result<String> {
    ctx.cap.plain.anything(&input);
    ctx.self_.active.push(input.clone())?;
    Ok(input)
}

fn main() {}
