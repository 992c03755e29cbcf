use flowstate::prelude::*;

#[state]
pub struct Tally {
    pub count: u32,
}

#[block(handler, parent = Tally)]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    Ok(input + ctx.parent.count.get())
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub go: child.connect_input(|v: u32| v),
    }
}

fn main() {}
