//! A tag is said by a function with a name.
use flowstate::prelude::*;

#[capability(context(skills = |ctx| "none"))]
struct Skills;

fn main() {}
