use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, parent = Tally)]
async fn count(_: flowstate::app::Called, ctx: Ctx) -> Result<()> {
    ctx.parent.count.inc(1)?;
    Ok(())
}

flow! {
    #[flow(on_finished = count)]
    pub struct Chat {
        pub say: say,
    }
}

fn main() {}
