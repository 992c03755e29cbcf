use flowstate::prelude::*;

const NONE: u64 = 0;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

flow! {
    pub struct Chat {
        #[action(token_budget = 0)]
        pub say: say,
        #[internal(token_budget = NONE)]
        pub again: say,
    }
}

fn main() {}
