//! The configuration says a text where a number is needed.
use flowstate::prelude::*;

#[derive(Default)]
struct Pace {
    most: String,
}

#[capability(config = Pace, retry(max = config.most))]
struct Paced;

fn main() {}
