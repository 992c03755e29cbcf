use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

flow! {
    pub struct Chat {
        #[action(token_budget = "1000")]
        pub say: say,
    }
}

fn main() {}
