use flowstate::prelude::*;

#[state]
pub struct Mode {
    pub mode: String,
}

#[state]
pub struct OtherMode {
    pub mode: u32,
}

#[block(handler, session = Mode)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(handler, session = OtherMode)]
async fn two(input: u32) -> Result<u32> {
    Ok(input)
}

flow! {
    #[flow(kind = "clash")]
    pub struct Clash {
        pub one: one,
        pub two: two,
    }
}

fn main() {}
