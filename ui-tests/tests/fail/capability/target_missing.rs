use flowstate::prelude::*;

#[state]
pub struct Skills {
    pub active: Vec<String>,
}

#[capability(targets(top = Skills))]
pub struct Around;

#[block(handler, uses = [Around])]
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
