use flowstate::prelude::*;

flow! {
    #[flow(kind = "chat")]
    pub struct Chat {
        pub help: helper,
    }
}

fn main() {}
