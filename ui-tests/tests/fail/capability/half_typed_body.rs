use flowstate::prelude::*;

#[capability]
pub struct Greeter;

#[capability]
impl Greeter {
    pub fn greet(_ctx: &Ctx, name: &str) -> String {
        let text = format!("hello {name}");
        text.
    }
}

#[block(handler, uses = [Greeter])]
async fn hello(name: String, ctx: Ctx) -> Result<String> {
    Ok(ctx.cap.greeter.greet(&name))
}

fn main() {}
