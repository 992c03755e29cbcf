use flowstate::prelude::*;

#[flowstate::flow(kind = "chat")]
fn chat() {}

fn main() {}
