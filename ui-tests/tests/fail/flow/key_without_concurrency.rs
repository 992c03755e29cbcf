use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

flow! {
    pub struct Chat {
        #[action(key = user)]
        pub say: say,
    }
}

fn main() {}
