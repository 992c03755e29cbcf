use flowstate::prelude::*;

flow! {
    #[flow(kind = "chat")]
    pub struct Chat;
}

fn main() {}
