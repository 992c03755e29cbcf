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

/// A capability, its state and its configuration.
#[macro_export]
macro_rules! counter {
    ($name:ident, $state:ident) => {
        #[$crate::flowstate::state(crate = $crate::flowstate)]
        pub struct $state {
            pub sum: i64,
        }

        #[$crate::flowstate::data(crate = $crate::flowstate)]
        #[derive(Default)]
        pub struct Settings {
            pub by: i64,
        }

        #[$crate::flowstate::capability(state = $state, config = Settings, crate = $crate::flowstate)]
        pub struct $name;

        #[$crate::flowstate::capability(crate = $crate::flowstate)]
        impl $name {
            pub fn add(ctx: &Ctx, n: i64) -> $crate::flowstate::Result<i64> {
                ctx.self_.sum.inc(n + ctx.config.by)?;
                Ok(ctx.self_.sum.get())
            }
        }
    };
}

/// A contract, and a block that writes it.
#[macro_export]
macro_rules! noted {
    ($name:ident, $state:ident) => {
        #[$crate::flowstate::state(crate = $crate::flowstate)]
        pub struct $state {
            pub notes: Vec<String>,
        }

        #[$crate::flowstate::contract(crate = $crate::flowstate)]
        impl $state {
            #[reducer]
            fn add(&mut self, note: String) {
                self.notes.push(note);
            }

            #[reader]
            fn all(&self) -> String {
                self.notes.join(" ")
            }
        }

        #[$crate::flowstate::block(
            handler, reads = [$state::all(budget = 50)], writes = [$state], crate = $crate::flowstate
        )]
        async fn $name(note: String, ctx: Ctx) -> $crate::flowstate::Result<String> {
            ctx.writes.jotted.add(note).await?;
            ctx.reads.jotted.all().await
        }
    };
}
