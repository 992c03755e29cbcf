use flowstate::prelude::*;
use std::rc::Rc;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

async fn pause() {}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(one).map(async |v| {
        let shared = Rc::new(v);
        pause().await;
        *shared
    })
}

fn main() {}
