use flowstate::prelude::*;
use std::sync::Arc;

#[block(handler, needs = [Arc<u32>, Arc<u64>])]
async fn add(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + **ctx.needs.arc)
}

fn main() {}
