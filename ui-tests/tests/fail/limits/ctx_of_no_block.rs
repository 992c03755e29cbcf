use flowstate::prelude::*;

fn helper(ctx: &Ctx<'_, u32>) -> String {
    ctx.path()
}

fn main() {}
