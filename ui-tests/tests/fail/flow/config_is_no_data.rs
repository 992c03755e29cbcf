use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

pub struct Tone {
    pub mark: String,
}

flow! {
    #[flow(config = Tone)]
    pub struct Chat {
        pub say: say,
    }
}

fn main() {}
