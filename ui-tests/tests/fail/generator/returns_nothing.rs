//! A generator without a return type.
use flowstate::prelude::*;

#[block(generator, model = "intent/chat")]
async fn agent(_: &str) {}

fn main() {}
