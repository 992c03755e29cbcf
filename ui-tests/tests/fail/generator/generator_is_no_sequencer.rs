//! `ctx.sequencer` of a tool looks past the generator.
use flowstate::prelude::*;

#[state]
pub struct Note {
    pub note: String,
}

#[block(handler, sequencer = Note)]
async fn tool(_: u32, ctx: Ctx) -> Result<String> {
    Ok(ctx.sequencer.note.get())
}

#[block(generator, model = "intent/chat", state = Note, tools = [tool])]
async fn agent(input: String) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

#[block(sequencer)]
fn run(input: String) -> String {
    input.step(agent)
}

flow! {
    #[flow(kind = "talk")]
    pub struct Talk {
        pub run: run,
    }
}

fn main() {}
