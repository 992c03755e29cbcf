use flowstate::prelude::*;

flow! {
    #[flow(kind = "chat")]
    pub struct Chat {
        pub help: (u32, u32),
    }
}

fn main() {}
