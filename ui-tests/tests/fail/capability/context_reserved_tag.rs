//! A tag that means something to models already.
use flowstate::prelude::*;

#[capability(context(tool_use = Self::skills))]
struct Skills;

#[capability]
impl Skills {
    fn skills(_: &Ctx) -> String {
        String::new()
    }
}

fn main() {}
