use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

#[data]
pub struct Tone {
    pub mark: String,
}

#[data]
pub struct Style {
    pub mark: String,
}

#[block(handler, config = Tone)]
async fn loud(input: String, ctx: Ctx) -> Result<String> {
    Ok(format!("{input}{}", ctx.flow.config.mark))
}

flow! {
    #[flow(config = Style)]
    pub struct Chat {
        pub say: say,
        pub loud: loud,
    }
}

fn main() {}
