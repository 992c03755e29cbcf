use flowstate::prelude::*;

#[capability(uses = [First])]
pub struct First;

fn main() {}
