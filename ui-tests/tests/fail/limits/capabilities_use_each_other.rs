use flowstate::prelude::*;

#[capability(uses = [Second])]
pub struct First;

#[capability(uses = [First])]
pub struct Second;

fn main() {}
