//! Two capabilities of a generator name a model.
use flowstate::prelude::*;

#[capability(model = "a")]
struct One;

#[capability(model = Self::chosen)]
struct Other;

#[capability]
impl Other {
    fn chosen(_: &Ctx) -> String {
        "b".into()
    }
}

#[capability(uses = [Other])]
struct Around;

#[block(generator, uses = [One, Around])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

fn main() {}
