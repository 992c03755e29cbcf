use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

fn room(input: &u32, _: &flowstate::Who) -> Option<String> {
    Some(input.to_string())
}

flow! {
    pub struct Chat {
        #[action(concurrency = queue, key = room)]
        pub say: say,
    }
}

fn main() {}
