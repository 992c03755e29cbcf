use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, session = Tally)]
async fn say(input: String, ctx: Ctx) -> Result<String> {
    ctx.session.count.inc(1).await?;
    Ok(input)
}

fn double(tally: &Tally) -> u32 {
    tally.count * 2
}

flow! {
    #[flow(client(session = Tally { count, count: double }))]
    pub struct Chat {
        pub say: say,
    }
}

fn main() {}
