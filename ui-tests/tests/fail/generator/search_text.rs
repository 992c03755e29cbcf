use flowstate::prelude::*;

#[block(generator, model = "intent/chat", search(depth = "low"))]
async fn agent(question: &str) -> Result<Prompt> {
    Ok(Prompt::system("Answer.").user(question))
}

fn main() {}
