//! A way back to a generator that is not running.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat", tools = [again(planner)])]
async fn executor(input: String) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

#[block(generator, model = "intent/chat", tools = [executor])]
async fn planner(input: String) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

flow! {
    #[flow(kind = "talk")]
    pub struct Talk {
        pub plan: planner,
        pub execute: executor,
    }
}

fn main() {}
