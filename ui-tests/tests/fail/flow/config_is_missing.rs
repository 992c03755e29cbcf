use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

#[data]
pub struct Tone {
    pub mark: String,
}

#[block(handler, config = Tone)]
async fn loud(input: String, ctx: Ctx) -> Result<String> {
    Ok(format!("{input}{}", ctx.flow.config.mark))
}

#[block(sequencer)]
fn twice(input: String) -> String {
    input.step(loud).step(loud)
}

flow! {
    pub struct Chat {
        pub say: say,
        pub twice: twice,
    }
}

fn main() {}
