use flowstate::block::{AsBlock, At, Block};
use flowstate::prelude::*;
use flowstate::schema::{Head, Kind};

#[derive(Clone, AsBlock)]
pub struct Repeat {
    times: u32,
}

impl Block for Repeat {
    type Input = u32;
    type Output = u32;
    const HEAD: &'static Head = &Head::new("repeat", Kind::Handler);

    async fn run(&self, input: u32, _: At<'_>) -> Result<u32> {
        Ok(input * self.times)
    }
}

flow! {
    #[flow(kind = "chat")]
    pub struct Chat {
        pub repeat: Repeat,
    }
}

fn main() {}
