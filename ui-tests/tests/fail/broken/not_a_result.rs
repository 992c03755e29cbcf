use flowstate::prelude::*;

#[block(handler)]
async fn broken(input: u32) -> u32 {
    input
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(broken)
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub broken: broken,
    }
}

fn main() {
    drop(flowstate::run(broken, 1));
}
