use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

#[block(handler)]
async fn count(input: u32) -> Result<()> {
    drop(input);
    Ok(())
}

flow! {
    pub struct Chat {
        #[action(on_completed = count)]
        pub say: say,
    }
}

fn main() {}
