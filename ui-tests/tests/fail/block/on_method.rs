use flowstate::prelude::*;

pub struct Agent;

impl Agent {
    #[block(handler)]
    async fn plain(&self, input: u32) -> Result<u32> {
        Ok(input)
    }
}

fn main() {}
