//! What a tag waits for cannot go from thread to thread.
use flowstate::prelude::*;

#[capability(context(skills = Self::skills))]
struct Skills;

#[capability]
impl Skills {
    async fn skills(_: &Ctx) -> String {
        let text = std::rc::Rc::new(String::new());
        tokio::task::yield_now().await;
        text.to_string()
    }
}

fn main() {}
