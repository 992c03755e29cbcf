//! A generator that did not compile is one error, also where it is used.
use flowstate::prelude::*;

#[block(generator, modle = "intent/chat")]
async fn agent(input: &str) -> Result<Prompt> {
    Ok(Prompt::system("x").user(input))
}

#[block(sequencer)]
fn run(input: String) -> String {
    input.step(agent)
}

#[tokio::main]
async fn main() {
    flowstate::run(agent, String::new()).await.unwrap();
    flowstate::run(run, String::new()).await.unwrap();
}
