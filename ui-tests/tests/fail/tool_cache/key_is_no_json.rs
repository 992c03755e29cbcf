use flowstate::prelude::*;

fn lock(_: &u32) -> std::sync::mpsc::Sender<u32> {
    std::sync::mpsc::channel().0
}

#[block(handler, cacheable(key = lock))]
async fn fetch(input: u32) -> Result<u32> {
    Ok(input)
}

fn main() {}
