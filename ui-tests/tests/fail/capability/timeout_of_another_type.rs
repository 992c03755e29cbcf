//! The configuration says a number where a time is needed.
use flowstate::prelude::*;

#[derive(Default)]
struct Pace {
    seconds: u64,
}

#[capability(config = Pace, timeout = config.seconds)]
struct Paced;

fn main() {}
