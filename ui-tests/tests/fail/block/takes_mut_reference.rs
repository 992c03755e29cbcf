use flowstate::prelude::*;

#[block(handler)]
async fn plain(input: &mut String) -> Result<()> {
    input.push('!');
    Ok(())
}

fn main() {}
