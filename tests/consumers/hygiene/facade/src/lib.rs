//! Re-exports flowstate, and has macros that write blocks and states for crates that do not know it.

pub use flowstate;

/// A handler that adds, and a state that it writes.
#[macro_export]
macro_rules! adder {
    ($name:ident, $state:ident, $by:expr) => {
        #[$crate::flowstate::state(crate = $crate::flowstate)]
        pub struct $state {
            pub sum: i64,
        }

        #[$crate::flowstate::block(handler, parent = $state, crate = $crate::flowstate)]
        async fn $name(n: i64, ctx: Ctx) -> $crate::flowstate::Result<i64> {
            ctx.parent.sum.inc($by)?;
            Ok(n + $by)
        }
    };
}
