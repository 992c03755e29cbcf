use flowstate::prelude::*;

fn helper() {}

flow! {
    #[flow(kind = "chat")]
    pub struct Chat {
        pub help: helper,
    }
}

fn main() {}
