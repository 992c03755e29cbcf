use flowstate::prelude::*;

pub struct Helper;

flow! {
    #[flow(kind = "chat")]
    pub struct Chat {
        pub help: Helper,
    }
}

fn main() {}
