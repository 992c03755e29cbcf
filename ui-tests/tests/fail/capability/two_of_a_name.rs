use flowstate::prelude::*;

#[capability]
pub struct Search;

mod web {
    use flowstate::prelude::*;

    #[capability]
    pub struct Search;
}

#[block(handler, uses = [Search, web::Search])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
