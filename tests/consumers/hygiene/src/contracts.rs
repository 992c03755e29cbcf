//! Contracts: from macros, with names of all sorts, with parts that are not there, through another crate.
#![allow(clippy::non_minimal_cfg, non_camel_case_types)]

/// Everything from `macro_rules!`.
mod made {
    use flowstate::prelude::*;

    macro_rules! contract {
        ($name:ident, $field:ident: $ty:ty, $value:ident; $reducer:ident, $reader:ident) => {
            #[state]
            pub struct $name {
                pub $field: Vec<$ty>,
            }

            #[contract]
            impl $name {
                #[reducer]
                fn $reducer(&mut self, $value: $ty) {
                    self.$field.push($value);
                }

                #[reducer]
                fn two(&mut self, a: $ty, $value: $ty) -> Result<(), String> {
                    self.$field.extend([a, $value]);
                    Ok(())
                }

                #[reader]
                fn $reader(&self) -> String {
                    format!("{:?}", self.$field)
                }

                #[validate]
                fn check(&self) -> Result<(), String> {
                    Ok(())
                }
            }
        };
    }
    contract!(Made, r#type: u32, base; r#fn, r#in);

    macro_rules! block_of {
        ($name:ident, $ctx:ident, $contract:ident, $reader:ident, $budget:expr) => {
            #[block(handler, reads = [$contract::$reader(budget = $budget)], writes = [$contract])]
            pub async fn $name(n: u32, $ctx: Ctx) -> Result<String> {
                $ctx.writes.made.r#fn(n).await?;
                $ctx.writes.made.batch().two(n, n).r#fn(0).commit().await?;
                $ctx.reads.made.$reader().await
            }
        };
    }
    block_of!(by_macro, c, Made, r#in, 20 + 30);
}

/// Names that generated code has, too.
mod named {
    use flowstate::prelude::*;

    #[state]
    pub struct reads {
        pub writes: u32,
    }

    #[contract]
    impl reads {
        #[reducer]
        fn writer(&mut self, writer: u32, events: u32) {
            self.writes += writer + events;
        }

        #[reducer]
        fn base(&mut self, (self_, ctx): (u32, u32)) {
            self.writes += self_ + ctx;
        }

        #[reader]
        fn view(&self, budget: u32) -> String {
            format!("{} of {budget}", self.writes)
        }
    }

    #[block(handler, reads = [reads::view(budget = 9)], writes = [reads], feeds = [reads::base(|n: &String| (n.len() as u32, 1))])]
    pub async fn writes(base: u32, ctx: Ctx) -> Result<String> {
        ctx.writes.reads.writer(base, 1).await?;
        ctx.writes.reads.base((1, 1)).await?;
        ctx.reads.reads.view().await
    }
}

/// Parts that are not there.
mod cfg {
    use flowstate::prelude::*;

    #[state]
    pub struct Half {
        pub count: u32,
    }

    #[contract]
    impl Half {
        #[cfg(any())]
        #[reducer]
        fn gone(&mut self, with: Missing) {
            self.missing = with;
        }

        #[cfg(all())]
        #[reducer]
        fn there(&mut self) {
            self.count += 1;
        }

        #[cfg(any())]
        #[reader]
        fn nothing(&self) -> String {
            self.missing.clone()
        }

        #[cfg(all())]
        #[reader]
        fn something(&self) -> String {
            self.count.to_string()
        }
    }

    #[cfg(any())]
    #[contract]
    impl Half {
        #[reducer]
        fn other(&mut self) {}
    }

    #[block(handler, reads = [Half::something(unlimited)], writes = [Half])]
    pub async fn half(_: (), ctx: Ctx) -> Result<String> {
        ctx.writes.half.there().await?;
        ctx.reads.half.something().await
    }
}

/// A contract declared in another module than its state, private, and known under another name.
mod apart {
    use flowstate::prelude::*;

    #[state]
    struct Kept {
        count: u32,
    }

    mod rules {
        #[flowstate::contract]
        impl super::Kept {
            #[reducer]
            fn bump(&mut self) {
                self.count += 1;
            }

            #[reader]
            pub(super) fn count(&self) -> String {
                self.count.to_string()
            }
        }
    }

    use Kept as Alias;

    #[block(handler, reads = [Alias::count(budget = 9)], writes = [self::Kept])]
    pub async fn apart(_: (), ctx: Ctx) -> Result<String> {
        ctx.writes.kept.bump().await?;
        ctx.reads.alias.count().await
    }
}

facade::noted!(jot, Jotted);

pub async fn check() -> flowstate::Result<()> {
    use flowstate::run;
    assert_eq!(run(made::by_macro, 3).await?, "[3, 3, 3, 0]");
    assert_eq!(run(named::writes, 3).await?, "6 of 9");
    assert_eq!(run(cfg::half, ()).await?, "1");
    assert_eq!(run(apart::apart, ()).await?, "1");
    assert_eq!(run(jot, "a".to_owned()).await?, "a");
    Ok(())
}
