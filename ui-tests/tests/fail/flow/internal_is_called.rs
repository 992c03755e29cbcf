use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

flow! {
    pub struct Chat {
        pub say: say,
        #[internal]
        wake: say,
    }
}

fn main() {
    let _ = Chat::wake;
}
