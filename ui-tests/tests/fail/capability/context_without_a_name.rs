//! Context is written with tags.
use flowstate::prelude::*;

#[capability(context = Self::skills)]
struct Skills;

fn main() {}
