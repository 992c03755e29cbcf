//! Random tokens: no macro panics, and what it cannot read it refuses.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::{ALL, Macro, expand};

/// A linear congruential generator: the same numbers each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

const ARGS: &[&str] = &[
    "handler, state = [Note, Tally], parent = Option<Plan>, name = \"a\"",
    "sequencer, state = Note, steps = [a, b::c]",
    "handler, targets(outer = Note, inner = Option<Tally>), needs = [Pool]",
    "router, routes = [a, b = c::d, #[cfg(x)] e.connect_input(|x: u8| x), again(f)], state = Note",
    "handler, session = Note, request = [A], crate = crate::flowstate, description = \"x\"",
    "generator, model = [\"a/b\", \"c\"], tools = [a, b = c::d, #[cfg(x)] e.as_tool(\"x\", \"y\"), again(f)], repair(coerce = \"u\")",
    "generator, model = \"a\", repair(off), state = Note, visibility(client)",
    "kind = \"chat\", crate = flowstate",
    "handler, uses = [Skills, a::Search.with(limit = 3, strict = true)], session = Note",
    "state = Note, session = [A], sequencer = [A], targets(a = B), uses = [Other.with(a = 1)], config = Config, \
        presets(strict = on(Config::strict), loose = off(|config| config.a = 1)), required = [a]",
    "tools = [a, b = c::d, #[cfg(x)] e.as_tool(\"x\", \"y\"), again(f)], control_tools = [g(config.a)], config = Config, \
        offered = Self::offered, context(skills = Self::a, other = b::c), model = Self::model",
    "model = [\"a/b\", \"c\"], control_tools = [a]",
    "state = Note, timeout = \"1s\", retry(max = 3), visibility(history), transient, name = \"notes\", crate = flowstate",
    "key = \"note\"",
    "",
];

const ITEMS: &[&str] = &[
    "/// Says it.\n#[cfg(all())] pub async fn one(input: u32, ctx: Ctx) -> Result<u32> { ctx.step(a, input).await?; Ok(1) }",
    "pub async fn one(input: &u32, ctx: Ctx) -> Result<Route> { Ok(if *input > 1 { Route::A } else { Route::B }) }",
    "pub async fn one(input: &u32, ctx: Ctx) -> Result<Prompt<Vec<u8>>> { Ok(Prompt::system(\"x\").tools([Tool::A])) }",
    "fn one(input: Vec<u32>) -> u32 { input.step(a).step_if(|v| *v > 1, a).for_each(|v| v, b, max_concurrency = 4)
        .tap(async |v, ctx| ctx.self_.n.inc(1)).map(f).try_map(|v| Ok(v)).loop_back(a, when = |v| true, max_iterations = 3)
        .exit_if(g).tap_if(|v| true, b::c) }",
    "async fn one((a, b): (u32, &'static str)) -> Result<(), std::io::Error> where u32: Clone { loop {} }",
    "pub struct Note { #[state(default = 1, transient)] pub note: Option<String>, #[state(validate = f)] r#type: u8 }",
    "pub struct Note { #[flowstate(default = 1, validate = f)] pub set: BTreeSet<u8> }",
    "#[flow(kind = \"chat\")] pub struct Chat { /// Says it.\n #[action(description = \"d\")] pub say: say, #[cfg(x)] b: a::b }",
    "#[derive(Clone)] pub enum Mode { A, B(u8), C { d: u8 } }",
    "impl<T> One<T> { fn one(&self) {} }",
    "pub struct Skills;",
    "impl Skills { const A: u8 = 1; fn one(ctx: &Ctx, a: u8, (b, c): (u8, Self)) -> Result<bool> { Ok(true) } \
        pub async fn r#type<'a, T: Into<u8>>(ctx: &'a Ctx, r#in: T) {} #[cfg(x)] fn help(n: u8) -> u8 { n } }",
];

const WORDS: &str = "a Ctx Result u32 Option < > :: : , ; = . ? ! & 'a # -> => | || _ .. 1 2.5 \"text\" 'c' state handler \
    sequencer step loop_back max_iterations struct fn async unsafe const pub impl self Self crate mut ref where r#type \
    () [] {} (a) [a, b] {a} input ctx await dyn";

fn words() -> Vec<TokenTree> {
    WORDS.parse::<TokenStream>().unwrap().into_iter().collect()
}

/// Drops, doubles, swaps or replaces some of the tokens, also inside of groups.
fn spoil(numbers: &mut Numbers, tokens: TokenStream, words: &[TokenTree]) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for token in &mut tokens {
        if let TokenTree::Group(group) = token
            && numbers.below(2) == 0
        {
            let delimiter = match numbers.below(12) {
                0 => Delimiter::None,
                1 => Delimiter::Brace,
                2 => Delimiter::Parenthesis,
                _ => group.delimiter(),
            };
            *token = Group::new(delimiter, spoil(numbers, group.stream(), words)).into();
        }
    }
    for _ in 0..numbers.below(3) {
        if tokens.is_empty() {
            break;
        }
        let (at, other) = (numbers.below(tokens.len()), numbers.below(tokens.len()));
        match numbers.below(5) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[other].clone()),
            2 => tokens.swap(at, other),
            3 => tokens.truncate(at),
            _ => tokens[at] = words[numbers.below(words.len())].clone(),
        }
    }
    tokens.into_iter().collect()
}

fn random(numbers: &mut Numbers, words: &[TokenTree]) -> TokenStream {
    (0..numbers.below(12)).map(|_| words[numbers.below(words.len())].clone()).collect()
}

/// Whether there is a `compile_error!` anywhere.
fn refused(out: &TokenStream) -> bool {
    out.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => refused(&group.stream()),
        TokenTree::Ident(ident) => ident == "compile_error",
        _ => false,
    })
}

fn check(which: Macro, args: &TokenStream, item: &TokenStream) {
    let out = expand(which, args.clone(), item.clone());
    let shown = || format!("{which:?}\nargs: {args}\nitem: {item}\nout: {out}");
    let panicked = out.to_string().contains("please report this as a bug");
    assert!(!panicked, "a panic: {}", shown());
    if refused(&out) {
        return;
    }
    // nothing was refused: then the item was one that the macro knows
    let known = match which {
        Macro::Block => out.to_string().contains("Block for"),
        Macro::Capability => {
            let text = out.to_string();
            text.contains("Capability for")
                || text.contains("impl Api_")
                || text.contains(":: Api_")
        }
        Macro::Flow | Macro::FlowBang => out.to_string().contains("Flow for"),
        Macro::StateFields => out.to_string().contains("State for"),
        Macro::State | Macro::Data => out.to_string().contains("derive"),
    };
    assert!(known, "nothing made and nothing said: {}", shown());
}

#[test]
fn spoilt_programs_neither_panic_nor_pass_in_silence() {
    let (mut numbers, words) = (Numbers(7), words());
    for round in 0..6_000 {
        let args = ARGS[numbers.below(ARGS.len())].parse().unwrap();
        let item = ITEMS[numbers.below(ITEMS.len())].parse().unwrap();
        let args = spoil(&mut numbers, args, &words);
        let item = spoil(&mut numbers, item, &words);
        check(ALL[round % ALL.len()], &args, &item);
    }
}

#[test]
fn random_tokens_neither_panic_nor_pass_in_silence() {
    let (mut numbers, words) = (Numbers(11), words());
    for round in 0..6_000 {
        let (args, item) = (random(&mut numbers, &words), random(&mut numbers, &words));
        check(ALL[round % ALL.len()], &args, &item);
    }
}

#[test]
fn whole_programs_expand_to_rust() {
    for which in ALL {
        for args in ARGS {
            for item in ITEMS {
                let out = expand(which, args.parse().unwrap(), item.parse().unwrap());
                if !refused(&out) {
                    let file = syn::parse2::<syn::File>(out.clone());
                    assert!(file.is_ok(), "{:?}: {which:?} {args} {item}\n{out}", file.err());
                }
            }
        }
    }
}
