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

flow! {
    #[flow(client(sesion = Tally { count }))]
    pub struct Chat {
        pub say: say,
    }
}

fn main() {}
