//! Code that is still being typed: the item stays known to its neighbours, and each mistake is said once.

use super::{Macro, errors, text};

/// The error is there, and the block's type, function and `impl Block` as well.
fn known(args: &str, item: &str) {
    let out = text(Macro::Block, args, item);
    assert_eq!(errors(&out), 1, "{args} / {item}\n{out}");
    for part in ["struct one { }", "const fn one () -> one", "Block for one", "WithCtx for one"] {
        assert!(out.contains(part), "{args} / {item}: no `{part}` in\n{out}");
    }
}

#[test]
fn a_block_with_half_typed_options_stays_known() {
    let item = "async fn one(input: u32) -> Result<u32> { Ok(input) }";
    for args in [
        "",
        "hand",
        "handler, sta",
        "handler, state",
        "handler, state =",
        "handler, state = ,",
        "handler, state = [",
        "handler state = A",
        "handler, targets(",
        "handler, targets(a",
        "handler, targets(a =",
        "handler, name = 3",
        "handler, steps = [a]",
        "sequencer, steps = [a, a]",
        "handler, uses",
        "handler, uses = [A.]",
        "handler, uses = [A.with]",
        "handler, uses = [A.with(a)]",
        "handler, uses = [A.with(a = 1, a = 2)]",
    ] {
        if args.parse::<proc_macro2::TokenStream>().is_ok() {
            // an async sequencer needs its context
            let item = item.replace("u32) ->", "u32, ctx: Ctx) ->");
            known(args, &item);
        }
    }
}

#[test]
fn a_block_with_a_half_typed_signature_stays_known() {
    for item in [
        "async fn one() -> Result<u32> { Ok(1) }",
        "async fn one(input: u32) {}",
        "async fn one(ctx: Ctx) -> Result<u32> {}",
        "async fn one(input: u32, by: u32) -> Result<u32> {}",
        "async fn one(input: u32, ctx: Ctx, by: u32) -> Result<u32> {}",
        "async fn one<T>(input: T) -> Result<T> {}",
        "async fn one(input: _) -> Result<u32> {}",
        "async fn one(input: &mut u32) -> Result<u32> {}",
        "unsafe fn one(input: u32) -> Result<u32> {}",
    ] {
        known("handler", item);
    }
}

#[test]
fn a_half_typed_router_stays_known_with_its_routes() {
    let router = |args: &str, body: &str| {
        let item = format!("pub(crate) async fn one(input: &u32) {body}");
        known(args, &item);
        text(Macro::Block, args, &item)
    };
    let picks = "-> Result<Route> { Ok(Route::A) }";
    for args in [
        "router",
        "router, ",
        "router, routes",
        "router, routes =",
        "router, routes = []",
        "router, routes = [a.]",
        "router, routes = [a, b =]",
        "router, routes = [a] stat",
    ] {
        assert!(router(args, picks).contains("enum OneRoute"), "{args}");
    }
    for args in [
        "router, routes = [a, |b| b]",
        "router, routes = [a, a]",
        "router, routes = [a, \"b\" = b]",
        "router, routes = [a, self_]",
        "router, routes = [a, one]",
        "router, routes = [a, b.rescue(c)]",
        "router, routes = [a], stat = B",
        "router, routes = [a, ], name = 3",
    ] {
        let out = router(args, picks);
        assert!(out.contains("pub (crate) enum OneRoute") && out.contains("] A"), "{args}: {out}");
        assert!(out.contains("use OneRoute as Route ;"), "{args}: {out}");
    }
    for body in
        ["{}", "-> Result<u32> {}", "-> Route {}", "-> Result<> {}", "-> Result<Option<Route>> {}"]
    {
        assert!(router("router, routes = [a]", body).contains("enum OneRoute"), "{body}");
    }
}

#[test]
fn a_sequencer_with_a_half_typed_chain_stays_known() {
    for body in [
        "",
        "input.step()",
        "input.step(a).ste(b)",
        "input.step(a).step_if(|v| true)",
        "input.for_each(a, max_concurrency)",
        "input.for_each(a, max_con = 3)",
        "input.step(a).loop_back(a)",
        "input.step(a).loop_back(a, when)",
        "input.step(a).",
        "input.",
        "inp",
        "input.step(a)?",
        "let a = 1;",
    ] {
        known("sequencer", &format!("fn one(input: u32) -> u32 {{ {body} }}"));
    }
}

#[test]
fn a_handler_whose_body_does_not_parse_is_not_judged_by_the_macro() {
    let out = text(Macro::Block, "handler", "async fn one(input: u32) -> Result<u32> { ctx. }");
    assert_eq!(errors(&out), 0);
    assert!(out.contains("ctx ."));
}

#[test]
fn every_mistake_is_said() {
    let out = text(
        Macro::Block,
        "handler, sate = A, name = 3",
        "async fn one(input: u32, by: u32) -> Result<u32> {}",
    );
    assert_eq!(errors(&out), 3, "{out}");
    let out = text(
        Macro::Block,
        "sequencer",
        "fn one(input: u32) -> u32 { input.setp(a).step().step(7) }",
    );
    assert_eq!(errors(&out), 3, "{out}");
    let out = text(Macro::FlowBang, "", "#[flow(kin = \"a\")] struct Chat<T> { a: a, a: a }");
    assert_eq!(errors(&out), 3, "{out}");
}

#[test]
fn a_state_with_mistakes_is_still_a_state() {
    for (args, item) in [
        ("key", "struct Bag { count: u32 }"),
        ("key =", "struct Bag { count: u32 }"),
        ("key = 3", "struct Bag { count: u32 }"),
        ("kye = \"a\"", "struct Bag { count: u32 }"),
    ] {
        let out = text(Macro::State, args, item);
        assert_eq!(errors(&out), 1, "{out}");
        assert!(out.contains("StateFields") && out.contains("struct Bag"), "{out}");
    }
    for item in ["struct Bag ;", "struct Bag (u32) ;", "enum Bag { A , B }"] {
        let out = text(Macro::State, "", item);
        assert_eq!(errors(&out), 1, "{out}");
        assert!(out.contains(&item[..8]) && out.contains("State for Bag"), "{out}");
    }
}

#[test]
fn a_capability_with_mistakes_stays_known() {
    for (args, item) in [
        ("sta", "struct Skills;"),
        ("state", "struct Skills;"),
        ("state =", "struct Skills;"),
        ("state = [", "struct Skills;"),
        ("state = A session = B", "struct Skills;"),
        ("uses = [A.", "struct Skills;"),
        ("uses = [A.]", "struct Skills;"),
        ("uses = [A.with(]", "struct Skills;"),
        ("uses = [A.with(a)]", "struct Skills;"),
        ("uses = [A.with(a =)]", "struct Skills;"),
        ("uses = [Skills]", "struct Skills;"),
        ("presets(a = on(f))", "struct Skills;"),
        ("config = A, presets(a)", "struct Skills;"),
        ("config = A, presets(a = on())", "struct Skills;"),
        ("config = A, required = []a", "struct Skills;"),
        ("retry(max)", "struct Skills;"),
        ("tools", "struct Skills;"),
        ("tools = [a.", "struct Skills;"),
        ("tools = [a.]", "struct Skills;"),
        ("tools = [a = ]", "struct Skills;"),
        ("tools = [a, a]", "struct Skills;"),
        ("tools = [a], control_tools = [a]", "struct Skills;"),
        ("tools = [a], offered", "struct Skills;"),
        ("tools = [a], offered =", "struct Skills;"),
        ("offered = Self::a", "struct Skills;"),
        ("context", "struct Skills;"),
        ("context(a)", "struct Skills;"),
        ("context(a =)", "struct Skills;"),
        ("context(a = |ctx| 1)", "struct Skills;"),
        ("context(a = Self::a, a = Self::b)", "struct Skills;"),
        ("model", "struct Skills;"),
        ("model =", "struct Skills;"),
        ("model = 3", "struct Skills;"),
        ("model = []", "struct Skills;"),
        ("model = \"\"", "struct Skills;"),
        ("", "struct Skills { a: u8 }"),
        ("", "struct Skills(u8);"),
        ("", "struct Skills<T>;"),
        ("", "enum Skills { A }"),
    ] {
        if args.parse::<proc_macro2::TokenStream>().is_ok() {
            let out = text(Macro::Capability, args, item);
            assert_eq!(errors(&out), 1, "{args} / {item}\n{out}");
            for part in ["Capability for Skills", "Use for Skills", "struct Api_Skills"] {
                assert!(out.contains(part), "{args} / {item}: no `{part}` in\n{out}");
            }
        }
    }
}

#[test]
fn a_function_of_a_capability_with_mistakes_stays_known() {
    for function in [
        "fn one(&self, a: u8) {}",
        "fn one(&self, ctx: &Ctx, a: u8) {}",
        "fn one(ctx: Ctx, a: u8) {}",
        "fn one(ctx: &mut Ctx, a: u8) {}",
        "fn one(a: u8, ctx: &Ctx) {}",
        "unsafe fn one(ctx: &Ctx, a: u8) {}",
        "fn one(ctx: &Ctx, a: u8) -> &str {}",
        "fn one<'a>(ctx: &'a Ctx, a: u8) -> Option<&'a str> {}",
        "fn one(ctx: &Ctx, a: u8) -> impl Fn() + '_ {}",
    ] {
        let item = format!("impl Skills {{ {function} fn two(ctx: &Ctx) {{}} }}");
        let out = text(Macro::Capability, "", &item);
        assert_eq!(errors(&out), 1, "{function}\n{out}");
        for part in ["fn one (& self , _ : __unknown)", "fn two (& self)"] {
            assert!(out.contains(part), "{function}: no `{part}` in\n{out}");
        }
    }
    let out = text(Macro::Capability, "", "impl<T> Skills<T> { fn one(ctx: &Ctx, a: T) {} }");
    assert_eq!(errors(&out), 1, "{out}");
    assert!(out.contains("impl Api_Skills < '_ >"), "{out}");
}

#[test]
fn a_field_option_that_is_half_typed_keeps_the_state() {
    for option in ["default", "default =", "transient = true", "defualt = 1", "validate ="] {
        let item = format!("struct Bag {{ #[flowstate({option})] count: u32 }}");
        let out = text(Macro::StateFields, "", &item);
        assert_eq!(errors(&out), 1, "{option}: {out}");
        assert!(out.contains("State for Bag"), "{option}: {out}");
    }
}

#[test]
fn a_flow_with_mistakes_stays_known() {
    for item in [
        "#[flow(kind)] struct Chat { say: say }",
        "#[flow(kind =)] struct Chat { say: say }",
        "#[flow(kind = 3)] struct Chat { say: say }",
        "struct Chat { say: say, say: say }",
        "struct Chat { #[action(descripton = \"a\")] say: say }",
        "struct Chat { say: (u8, u8) }",
        "struct Chat;",
    ] {
        let out = text(Macro::FlowBang, "", item);
        assert_eq!(errors(&out), 1, "{item}: {out}");
        assert!(out.contains("struct Chat ;") && out.contains("Flow for Chat"), "{item}: {out}");
    }
}

#[test]
fn what_cannot_be_a_block_stays_as_it_is() {
    for item in [
        "struct One ;",
        "impl One { }",
        "async fn one (& self , input : u32) -> Result < u32 > { }",
    ] {
        let out = text(Macro::Block, "handler", item);
        assert_eq!(errors(&out), 1, "{out}");
        assert!(out.ends_with(item), "{out}");
    }
}
