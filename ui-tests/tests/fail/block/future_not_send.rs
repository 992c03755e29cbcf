use flowstate::prelude::*;
use std::rc::Rc;

async fn pause() {}

#[block(handler)]
async fn plain(input: u32) -> Result<u32> {
    let shared = Rc::new(input);
    pause().await;
    Ok(*shared)
}

fn main() {}
