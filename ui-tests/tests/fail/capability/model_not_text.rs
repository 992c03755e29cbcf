//! A model is named by a text.
use flowstate::prelude::*;

#[capability(model = 5)]
struct Asking;

fn main() {}
