use flowstate::prelude::*;

#[capability]
fn activate(id: String) -> bool {
    id.is_empty()
}

fn main() {}
