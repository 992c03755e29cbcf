// said where the block is declared, and not again of the flow
use flowstate::prelude::*;

#[state]
pub struct Mode {
    pub mode: String,
}

#[state]
pub struct OtherMode {
    pub mode: u32,
}

#[capability(session = Mode)]
pub struct Modal;

#[block(handler, session = OtherMode, uses = [Modal])]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

#[block(sequencer)]
fn around(input: u32) -> u32 {
    input.step(one)
}

flow! {
    #[flow(kind = "clash")]
    pub struct Clash {
        pub around: around,
    }
}

fn main() {}
