use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

flow! {
    pub struct Chat {
        pub say: say,
        #[internal]
        #[task]
        wake: say,
    }
}

fn main() {}
