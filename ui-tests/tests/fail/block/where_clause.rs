use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: u32) -> Result<u32>
where
    u32: Clone,
{
    Ok(input)
}

fn main() {}
