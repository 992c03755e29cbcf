use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

fn said(input: &String) -> usize {
    input.len()
}

flow! {
    pub struct Chat {
        #[action(user_message = said)]
        pub say: say,
    }
}

fn main() {}
