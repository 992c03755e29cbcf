//! A tool of a capability reads from its parent what the generator does not hold.
use flowstate::prelude::*;

#[state]
struct Notes {
    notes: Vec<String>,
}

#[block(handler, parent = Notes)]
async fn write(text: String, ctx: Ctx) -> Result<bool> {
    ctx.parent.notes.push(text)
}

#[capability(tools = [write])]
struct Writing;

#[block(generator, model = "m", uses = [Writing])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
