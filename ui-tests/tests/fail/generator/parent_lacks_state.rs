//! A tool reads a state that the generator does not hold, behind an adapter.
use flowstate::prelude::*;

#[state]
pub struct Note {
    pub note: Option<String>,
}

#[state]
pub struct Plan {
    pub plan: String,
}

#[block(handler, parent = Note)]
async fn tool(_: u32, ctx: Ctx) -> Result<Option<String>> {
    Ok(ctx.parent.note.get())
}

#[block(generator, model = "intent/chat", state = Plan, tools = [tool.as_tool("other", "…")])]
async fn agent(input: String) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

fn main() {}
