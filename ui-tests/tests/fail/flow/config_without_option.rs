use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

#[data]
pub struct Tone {
    pub mark: String,
}

#[block(handler)]
async fn loud(input: String, ctx: Ctx) -> Result<String> {
    Ok(format!("{input}{}", ctx.flow.config.mark))
}

flow! {
    #[flow(config = Tone)]
    pub struct Chat {
        pub loud: loud,
    }
}

fn main() {}
