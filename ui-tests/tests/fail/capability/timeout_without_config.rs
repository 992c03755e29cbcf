//! A timeout of a configuration that is not declared.
use flowstate::prelude::*;

#[capability(timeout = config.wait)]
struct Paced;

fn main() {}
