//! Functions and modules of any visibility.
use flowstate::prelude::*;

pub mod open {
    use super::*;

    pub mod inner {
        use flowstate::prelude::*;

        #[state]
        pub(in crate::visible) struct Note {
            pub(super) text: String,
            pub(in crate::visible) count: u32,
            private: bool,
        }

        #[block(handler, parent = Note)]
        pub(in crate::visible) async fn count(n: u32, ctx: Ctx) -> Result<u32> {
            ctx.parent.private.set(true)?;
            ctx.parent.count.inc(n).map(|_| n)
        }

        #[data]
        pub(crate) struct Pair(pub(super) u32, pub(self) u32);

        #[block(handler)]
        pub(super) fn sum(Pair(a, b): Pair) -> Result<u32> {
            Ok(a + b)
        }

        pub(super) const PAIR: fn(u32) -> Pair = |n| Pair(n, n);
    }

    #[block(sequencer, state = inner::Note)]
    pub(super) fn outer(n: u32) -> u32 {
        n.step(inner::count)
            .step(self::inner::PAIR, inner::sum)
            .step(super::open::inner::count)
            .tap(|_, ctx| ctx.self_.text.set("a".into()))
            .step(crate::visible::private::twice)
    }

    #[block(router, routes = [inner::count, super::private::twice], state = inner::Note)]
    pub(in crate::visible) fn routed(n: &u32) -> Result<Route> {
        Ok(either(*n))
    }

    #[block(generator, model = "m", tools = [inner::count, super::private::twice], state = inner::Note)]
    pub(in crate::visible) fn generated(n: &u32) -> Result<Prompt<u32>> {
        Ok(Prompt::system(n.to_string()).tools([GeneratedTool::Count]))
    }

    fn either(n: u32) -> RoutedRoute {
        if n > 3 { RoutedRoute::Count } else { RoutedRoute::Twice }
    }

    #[block(sequencer, state = inner::Note)]
    pub(super) async fn written(n: u32, ctx: Ctx) -> Result<u32> {
        let n = ctx.step(inner::count, n).await?;
        ctx.step(crate::visible::private::twice, n).await
    }
}

mod private {
    use flowstate::prelude::*;

    #[block(handler)]
    pub async fn twice(n: u32) -> Result<u32> {
        Ok(n * 2)
    }
}

pub async fn check() -> Result<()> {
    assert_eq!(flowstate::run(open::routed, 3).await?, 6);
    assert_eq!(flowstate::run(open::generated, 3).await.unwrap_err().code(), "unknown_model");
    assert_eq!(open::RoutedRoute::from_key("twice")?, open::RoutedRoute::Twice);
    {
        #[state]
        struct Inside {
            #[state(default = 3)]
            n: u32,
        }
        #[data]
        #[derive(PartialEq)]
        enum Answer {
            Yes,
            No(u32),
        }
        #[block(handler, parent = Inside)]
        async fn ask(n: u32, ctx: Ctx) -> Result<Answer> {
            Ok(if ctx.parent.n.get() == n { Answer::Yes } else { Answer::No(n) })
        }
        #[block(sequencer, state = Inside)]
        fn asks(all: Vec<u32>) -> Vec<Answer> {
            all.for_each(ask)
        }
        flow! {
            struct Local {
                asks: asks,
            }
        }
        let app = App::builder().flow(Local).build()?;
        assert_eq!(
            app.request().call(Local::asks, vec![3, 4]).await?,
            [Answer::Yes, Answer::No(4)]
        );
        // within a closure
        let run = |n: u32| {
            #[block(handler)]
            fn within(n: u32) -> Result<u32> {
                Ok(n + 1)
            }
            flowstate::run(within, n)
        };
        assert_eq!(run(1).await?, 2);
    }
    struct Type;
    impl Type {
        async fn method() -> Result<u32> {
            #[block(handler)]
            async fn in_method(n: u32) -> Result<u32> {
                Ok(n)
            }
            flowstate::run(in_method, 5).await
        }
    }
    assert_eq!(Type::method().await?, 5);
    assert_eq!(flowstate::run(open::outer, 2).await?, 8);
    assert_eq!(flowstate::run(open::written, 2).await?, 4);
    Ok(())
}
