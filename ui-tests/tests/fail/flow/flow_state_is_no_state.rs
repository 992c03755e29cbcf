use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

pub struct Tally {
    pub count: u32,
}

flow! {
    #[flow(session = Tally)]
    pub struct Chat {
        pub say: say,
    }
}

fn main() {}
