//! The functions of a capability whose struct does not say that it is one.
use flowstate::prelude::*;

struct Skills;

#[capability]
impl Skills {
    fn one(ctx: &Ctx) -> String {
        format!("{} {}", ctx.block(), Self::helper())
    }
    async fn two(ctx: &Ctx, n: usize) -> Result<usize> {
        Ok(n + Self::one(ctx).len())
    }
    fn helper() -> u32 {
        1
    }
}

fn main() {}
