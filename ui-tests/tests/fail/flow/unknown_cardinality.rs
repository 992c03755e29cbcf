use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

flow! {
    #[flow(cardinality = many)]
    pub struct Chat {
        pub say: say,
    }
}

fn main() {}
