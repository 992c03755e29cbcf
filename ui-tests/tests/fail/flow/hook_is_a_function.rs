use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

async fn count(input: String) -> Result<()> {
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
