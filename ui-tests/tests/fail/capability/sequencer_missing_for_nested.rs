use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(sequencer = Skills)]
pub struct Around;

#[capability(uses = [Around])]
pub struct Wider;

#[block(handler, uses = [Wider])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

#[block(sequencer)]
fn outer(input: String) -> String {
    input.step(work)
}

flow! {
    #[flow(kind = "outer")]
    pub struct Outer {
        pub outer: outer,
    }
}

fn main() {}
