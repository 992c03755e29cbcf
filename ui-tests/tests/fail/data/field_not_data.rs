use flowstate::prelude::*;

pub struct Foo;

#[data]
pub struct Page {
    pub first: Foo,
    pub count: u32,
}

#[block(handler)]
async fn count(page: Page) -> Result<u32> {
    Ok(page.count)
}

fn main() {}
