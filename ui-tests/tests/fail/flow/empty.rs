use flowstate::prelude::*;

flow! {}

fn main() {}
