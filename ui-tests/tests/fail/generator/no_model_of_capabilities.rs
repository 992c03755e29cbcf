//! Neither a generator nor its capabilities name a model.
use flowstate::prelude::*;

#[capability]
struct Plain;

#[block(generator, uses = [Plain])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
