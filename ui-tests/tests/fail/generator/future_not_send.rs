//! A function whose future stays on one thread.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat")]
async fn agent(input: &str) -> Result<Prompt> {
    let kept = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(kept);
    Ok(Prompt::system("x").user(input))
}

fn main() {}
