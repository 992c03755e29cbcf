//! What a block is, as its options and its signature say; and what is wrong with them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{
    Expr, ExprLit, FnArg, Lit, LitStr, Pat, PatIdent, Path, ReturnType, Token, Type, parse_quote,
};

use super::caching::{self, Caching};
use super::contracts::{self, Fed, View};
use super::function::Function;
use super::named::NamedBlock;
use super::types::{is_data, is_plain_result};
use super::{generator, router};
use crate::cfg::Cfg;
use crate::cx::{Cx, ends, only_here};
use crate::options::{self, Reads, Repair, Shape, Spec, Use, Value};
use crate::states::States;
use crate::text::{last_name, plain, snake, suggestion, written};

/// Every option of `#[block]`, and what sorts of block it is for.
pub(crate) const OPTIONS: &[Spec] = &[
    Spec { name: "state", shape: Shape::Types, on: &[] },
    Spec { name: "parent", shape: Shape::Reads, on: &[] },
    Spec { name: "sequencer", shape: Shape::Reads, on: &[] },
    Spec { name: "targets", shape: Shape::Named, on: &[] },
    Spec { name: "request", shape: Shape::Types, on: &[] },
    Spec { name: "session", shape: Shape::Types, on: &[] },
    Spec { name: "user", shape: Shape::Types, on: &[] },
    Spec { name: "org", shape: Shape::Types, on: &[] },
    Spec { name: "config", shape: Shape::Type, on: &[] },
    Spec { name: "needs", shape: Shape::Services, on: &[] },
    Spec { name: "uses", shape: Shape::Uses, on: &[] },
    Spec { name: "reads", shape: Shape::Views, on: &[] },
    Spec { name: "writes", shape: Shape::Types, on: &["handler", "sequencer", "generator"] },
    Spec { name: "feeds", shape: Shape::Feeds, on: &[] },
    Spec { name: "steps", shape: Shape::Paths, on: &["sequencer"] },
    Spec { name: "routes", shape: Shape::Blocks, on: &["router"] },
    Spec { name: "model", shape: Shape::Texts, on: &["generator"] },
    Spec { name: "tools", shape: Shape::Blocks, on: &["generator"] },
    Spec { name: "search", shape: Shape::Args, on: &["generator"] },
    Spec { name: "repair", shape: Shape::Repair, on: &["generator"] },
    Spec { name: "timeout", shape: Shape::Text, on: &[] },
    Spec { name: "retry", shape: Shape::Args, on: &[] },
    Spec { name: "cacheable", shape: Shape::Args, on: &[] },
    Spec { name: "visibility", shape: Shape::Words(&["client", "history"]), on: &[] },
    Spec { name: "transient", shape: Shape::Flag, on: &[] },
    Spec { name: "name", shape: Shape::Text, on: &[] },
    Spec { name: "description", shape: Shape::Text, on: &[] },
    Spec { name: "crate", shape: Shape::Path, on: &[] },
];

const KINDS: &[&str] = &["handler", "sequencer", "router", "generator"];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Handler,
    /// A sequencer whose body is one chain.
    Chain,
    /// A sequencer that is plain async Rust.
    Written,
    Router,
    Generator,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Handler => "handler",
            Self::Chain | Self::Written => "sequencer",
            Self::Router => "router",
            Self::Generator => "generator",
        }
    }

    pub(crate) fn is_sequencer(self) -> bool {
        matches!(self, Self::Chain | Self::Written)
    }
}

/// One of the states that outlive a block.
pub(crate) struct Lasting {
    /// `session`, and its variant of `Reach`.
    pub(crate) word: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) types: Vec<Type>,
}

/// How the function wants its context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CtxForm {
    None,
    Owned,
    Borrowed,
}

/// An argument with `#[config]`: a part of the block's value.
pub(crate) struct Config {
    pub(crate) name: Ident,
    /// The type of the block's field.
    pub(crate) ty: Type,
    /// Whether the function borrows it: then the field is what this type is borrowed from.
    pub(crate) borrowed: bool,
}

pub(crate) struct Block {
    pub(crate) kind: Kind,
    /// Without the arguments that are configuration.
    pub(crate) function: Function,
    pub(crate) config: Vec<Config>,
    pub(crate) state: Vec<Type>,
    pub(crate) parent: Option<Reads>,
    pub(crate) sequencer: Option<Reads>,
    pub(crate) targets: Vec<(Ident, Reads)>,
    pub(crate) lasting: Vec<Lasting>,
    /// The type of its flow's configuration.
    pub(crate) flow_config: Option<Type>,
    /// The services, by their fields in `ctx.needs`.
    pub(crate) needs: Vec<(Ident, Type)>,
    pub(crate) uses: Vec<Use>,
    /// What it is shown of contracts.
    pub(crate) reads: Vec<View>,
    /// The contracts that it writes.
    pub(crate) writes: Vec<Type>,
    /// What it feeds contracts, as a tool.
    pub(crate) feeds: Vec<Fed>,
    pub(crate) steps: Vec<(Cfg, Path)>,
    pub(crate) routes: Vec<NamedBlock>,
    /// The names of the models that a generator asks.
    pub(crate) models: Vec<LitStr>,
    pub(crate) tools: Vec<NamedBlock>,
    /// Whether it lists tools, if none: then it has none of its capabilities', but for those for control.
    pub(crate) lists_tools: bool,
    /// How deep the models search the web, if they do.
    pub(crate) search: Option<&'static str>,
    pub(crate) repair: Repair,
    pub(crate) attempts: Attempts,
    pub(crate) caching: Option<Caching>,
    /// Whether the client and the history are shown what it says.
    pub(crate) visibility: Option<[bool; 2]>,
    pub(crate) transient: bool,
    /// What it is called in errors and paths.
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// The block's input; `None` where the signature does not say.
    pub(crate) input: Option<Type>,
    /// Whether it is borrowed: then the input is what this type is borrowed from.
    pub(crate) borrowed: bool,
    pub(crate) ctx: CtxForm,
}

impl Block {
    pub(crate) fn ident(&self) -> &Ident {
        &self.function.sig.ident
    }

    /// Whether the user's future can be all there is: nothing must be made before it that waits, or that it borrows.
    pub(crate) fn starts_at_once(&self) -> bool {
        let holds = !self.state.is_empty() || !self.uses.is_empty() || !self.lasting.is_empty();
        self.kind == Kind::Handler
            && self.function.sig.asyncness.is_some()
            && self.ctx != CtxForm::Borrowed
            && !holds
            && !self.borrowed
            && self.needs.is_empty()
            && self.flow_config.is_none()
            && self.config.is_empty()
            && self.feeds.is_empty()
            // what is wrong with another type is told by the function's call
            && is_plain_result(&self.returns())
    }

    /// Whether running it makes a context.
    pub(crate) fn ctx_is_made(&self) -> bool {
        self.kind.is_sequencer() || self.ctx != CtxForm::None
    }

    /// A place of the user's for a name of the generated code, which must be known there even where the token came from
    /// the arguments of a `macro_rules!` macro.
    pub(crate) fn at(&self, span: Span) -> Span {
        span.resolved_at(self.function.sig.fn_token.span)
    }

    /// All state types that it names.
    pub(crate) fn states(&self) -> States<'_> {
        let reads = [&self.parent, &self.sequencer].into_iter().flatten();
        let reads = reads.chain(self.targets.iter().map(|(_, reads)| reads));
        let lasting = self.lasting.iter().flat_map(|lasting| &lasting.types);
        let own = self.state.iter();
        States::of(own.chain(reads.flat_map(|reads| &reads.types)).chain(lasting))
    }

    /// The type of a set of states.
    pub(crate) fn set(&self, p: &TokenStream, types: &[Type]) -> TokenStream {
        self.states().set(p, types)
    }

    /// The type that the function returns.
    pub(crate) fn returns(&self) -> Type {
        match &self.function.sig.output {
            ReturnType::Type(_, ty) => (**ty).clone(),
            ReturnType::Default => parse_quote!(()),
        }
    }
}

pub(crate) fn model(cx: &Cx, args: TokenStream, mut function: Function) -> Block {
    let config = config(cx, &mut function);
    let mut block = Block {
        kind: Kind::Handler,
        name: function.sig.ident.unraw().to_string(),
        function,
        config,
        state: Vec::new(),
        parent: None,
        sequencer: None,
        targets: Vec::new(),
        lasting: Vec::new(),
        flow_config: None,
        needs: Vec::new(),
        uses: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        feeds: Vec::new(),
        steps: Vec::new(),
        routes: Vec::new(),
        models: Vec::new(),
        tools: Vec::new(),
        lists_tools: false,
        search: None,
        repair: Repair::Auto,
        attempts: Attempts::default(),
        caching: None,
        visibility: None,
        transient: false,
        description: None,
        input: None,
        borrowed: false,
        ctx: CtxForm::None,
    };
    let parse = |input: ParseStream<'_>| {
        read_options(cx, input, &mut block);
        Ok(())
    };
    // what an option left unread is said already
    if let Err(error) = parse.parse2(args)
        && !cx.failed()
    {
        cx.push(error);
    }
    read_signature(cx, &mut block);
    block
}

fn read_options(cx: &Cx, input: ParseStream<'_>, block: &mut Block) {
    let kind = input.span();
    let word = read_kind(cx, input);
    let is_async = block.function.sig.asyncness.is_some();
    block.kind = match word.as_deref() {
        Some("sequencer") if is_async => Kind::Written,
        Some("sequencer") => Kind::Chain,
        Some("router") => Kind::Router,
        Some("generator") => Kind::Generator,
        _ => Kind::Handler,
    };
    let what = word.unwrap_or_default();
    for given in options::parse(cx, input, OPTIONS, &what) {
        let key = given.key;
        match (given.name, given.value) {
            ("state", Value::Types(types)) => block.state = types,
            ("parent", Value::Reads(reads)) => block.parent = Some(reads),
            ("sequencer", Value::Reads(reads)) => block.sequencer = Some(reads),
            ("targets", Value::Named(targets)) => block.targets = targets,
            ("request", Value::Types(types)) => block.last("request", "Request", types),
            ("session", Value::Types(types)) => block.last("session", "Session", types),
            ("user", Value::Types(types)) => block.last("user", "User", types),
            ("org", Value::Types(types)) => block.last("org", "Org", types),
            ("config", Value::Types(types)) => block.flow_config = types.into_iter().next(),
            ("needs", Value::Services(services)) => block.needs = needs(cx, services),
            ("uses", Value::Uses(uses)) => {
                super::uses::check(cx, &uses);
                block.uses = uses;
            }
            ("reads", Value::Blocks(views)) => block.reads = contracts::views(cx, views),
            ("writes", Value::Types(types)) => block.writes = contracts::writes(cx, types),
            ("feeds", Value::Blocks(feeds)) => block.feeds = contracts::feeds(cx, feeds),
            ("steps", Value::Paths(paths)) => {
                if block.kind == Kind::Chain {
                    cx.error(&key, "the steps of a chain are those it names; `steps` is for `async fn` sequencers");
                }
                block.steps = paths;
            }
            ("routes", Value::Blocks(given)) => block.routes = router::routes(cx, &key, given),
            ("model", Value::Texts(names)) => block.models = generator::models(cx, &key, names),
            ("tools", Value::Blocks(given)) => {
                block.lists_tools = true;
                block.tools = generator::tools(cx, given);
            }
            ("search", Value::Args(args)) => block.search = generator::search(cx, &key, args),
            ("repair", Value::Repair(repair)) => block.repair = repair,
            ("timeout", Value::Text(text)) => block.attempts.timeout = duration(cx, &text),
            ("retry", Value::Args(args)) => retry(cx, &key, args, &mut block.attempts),
            ("cacheable", Value::Args(args)) => {
                block.caching = caching::read(cx, block, &key, args);
            }
            ("visibility", Value::Words(words)) => {
                block.visibility =
                    Some(["client", "history"].map(|word| words.iter().any(|w| w == word)));
            }
            ("transient", Value::Flag) => block.transient = true,
            ("name", Value::Text(text)) if text.value().trim().is_empty() => {
                cx.error(&text, "a block's name is not empty");
            }
            ("name", Value::Text(text)) => block.name = text.value(),
            ("description", Value::Text(text)) => block.description = Some(text.value()),
            ("crate", Value::Path(path)) => cx.set_crate(path),
            _ => {}
        }
    }
    caching::check(cx, block);
    if block.kind == Kind::Router && block.routes.is_empty() && !cx.failed() {
        cx.error_at(kind, "a router says where it can go: `#[block(router, routes = [a, b])]`");
    }
    let brought = !block.uses.is_empty();
    if block.kind == Kind::Generator && block.models.is_empty() && !brought && !cx.failed() {
        let form = "#[block(generator, model = \"intent/chat\")]";
        cx.error_at(kind, format!("a generator says which model it asks: `{form}`"));
    }
    repeated(cx, block);
}

impl Block {
    fn last(&mut self, word: &'static str, variant: &'static str, types: Vec<Type>) {
        self.lasting.push(Lasting { word, variant, types });
    }
}

/// How long one attempt may take, and how many there are.
#[derive(Default)]
pub(crate) struct Attempts {
    /// In milliseconds.
    pub(crate) timeout: Option<u64>,
    pub(crate) max: Option<Expr>,
    pub(crate) base: Option<u64>,
    pub(crate) max_delay: Option<u64>,
    pub(crate) on: Vec<Expr>,
}

impl Attempts {
    pub(crate) fn any(&self) -> bool {
        self.timeout.is_some() || self.max.is_some()
    }

    /// Where an attempt is what: as a constant.
    pub(crate) fn constant(&self, cx: &Cx) -> TokenStream {
        let p = cx.private();
        let millis = |time: u64| quote!(#p::Duration::from_millis(#time));
        // none is said: a capability may say it
        let max = self.max.as_ref().map_or_else(|| quote!(0), |max| quote!(#max));
        let base = millis(self.base.unwrap_or(100));
        let max_delay = millis(self.max_delay.unwrap_or(10_000));
        let timeout = match self.timeout.map(millis) {
            Some(timeout) => quote!(#p::Option::Some(#timeout)),
            None => quote!(#p::Option::None),
        };
        let on = self.on.iter().map(|ty| {
            let (span, _) = ends(ty);
            let p = cx.private_at(span);
            quote_spanned!(span=> <#ty as #p::Rescuable>::matches)
        });
        quote! {
            #p::Attempts {
                max: #max, base: #base, max_delay: #max_delay, on: &[#(#on),*], timeout: #timeout,
                ..#p::Attempts::NONE
            }
        }
    }
}

pub(crate) const RETRY: &[&str] = &["max", "base", "max_delay", "on"];

pub(crate) fn retry(cx: &Cx, key: &Ident, args: Vec<(Ident, Expr)>, out: &mut Attempts) {
    let mut seen: Vec<String> = Vec::new();
    for (name, value) in args {
        let text = name.to_string();
        if seen.contains(&text) {
            cx.error(&name, format!("`{text}` is given twice"));
            continue;
        }
        match (text.as_str(), crate::text::plain_expr(value)) {
            ("max", Expr::Lit(ExprLit { lit: Lit::Int(max), .. }))
                if max.base10_digits() == "0" =>
            {
                cx.error(&max, "there is at least one attempt: `max` counts all of them");
            }
            ("max", Expr::Lit(ExprLit { lit, .. })) if !matches!(lit, Lit::Int(_)) => {
                cx.error(lit, "`max` is a number: `retry(max = 3)`");
            }
            ("max", Expr::Unary(minus)) => {
                cx.error(minus, "there is at least one attempt: `max` counts all of them");
            }
            ("max", value) => out.max = Some(value),
            ("base", value) => out.base = duration_of(cx, &value),
            ("max_delay", value) => out.max_delay = duration_of(cx, &value),
            ("on", Expr::Array(types)) if types.elems.is_empty() => {
                cx.error(types, "`on` names the errors that are tried again; without it all are");
            }
            ("on", Expr::Array(types)) => out.on = types.elems.into_iter().collect(),
            ("on", Expr::Path(ty)) => out.on = vec![Expr::Path(ty)],
            ("on", other) => cx.error(other, "`on` is written `on = [ErrorType, OtherError]`"),
            _ => cx.error(&name, format!("`retry` has no `{text}`{}", suggestion(&text, RETRY))),
        }
        seen.push(text);
    }
    if !seen.iter().any(|name| name == "max") {
        cx.error(key, "`retry` says how many attempts there are: `retry(max = 3)`");
    }
}

/// Milliseconds of a text such as `"5s"`.
pub(crate) fn duration_of(cx: &Cx, value: &Expr) -> Option<u64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => duration(cx, text),
        other => {
            cx.error(other, "a time is written `\"100ms\"`, `\"5s\"`, `\"2m\"` or `\"1h\"`");
            None
        }
    }
}

/// Milliseconds of `"100ms"`, `"5s"`, `"2m"`, `"1h"`.
pub(crate) fn duration(cx: &Cx, text: &syn::LitStr) -> Option<u64> {
    let value = text.value();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, unit) = value.split_at(digits);
    let unit = match unit.trim() {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let time =
        number.parse::<u64>().ok().zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    match time {
        Some(0) => {
            cx.error(
                text,
                "this is no time at all: it is written `\"100ms\"`, `\"5s\"`, `\"2m\"` or `\"1h\"`",
            );
            None
        }
        None => {
            cx.error(text, "a time is written `\"100ms\"`, `\"5s\"`, `\"2m\"` or `\"1h\"`");
            None
        }
        some => some,
    }
}

/// The sort of block, which comes first.
fn read_kind(cx: &Cx, input: ParseStream<'_>) -> Option<String> {
    let ahead = input.fork();
    let word = match ahead.call(Ident::parse_any) {
        Ok(word) if !ahead.peek(Token![=]) && !ahead.peek(syn::token::Paren) => word,
        _ => {
            cx.error_at(input.span(), "say first what sort of block it is: `#[block(handler)]`");
            return None;
        }
    };
    let _ = input.call(Ident::parse_any);
    let text = word.to_string();
    let known = KINDS.contains(&text.as_str());
    if !known {
        cx.error(
            &word,
            format!("there is no block of the sort `{text}`{}", suggestion(&text, KINDS)),
        );
    }
    if !input.is_empty() && input.parse::<Token![,]>().is_err() {
        cx.error_at(input.span(), "expected `,` between options");
    }
    known.then_some(text)
}

/// Each service by a name of its own: where none is given, its type's.
fn needs(cx: &Cx, services: Vec<(Option<Ident>, Type)>) -> Vec<(Ident, Type)> {
    let mut all: Vec<(Ident, Type)> = Vec::new();
    for (name, ty) in services {
        let given = name.is_some();
        let name = name.unwrap_or_else(|| {
            Ident::new(&snake(&last_name(&ty).unwrap_or_else(|| "service".into())), ends(&ty).0)
        });
        if let Some((_, other)) = all.iter().find(|(other, _)| other.unraw() == name.unraw()) {
            let text = match (given, *other == ty) {
                (true, _) => format!("there are two services named `{name}`"),
                (false, true) => format!("`{}` stands here twice", written(&ty)),
                (false, false) => format!(
                    "`{}` and `{}` would both be `ctx.needs.{name}`\nhelp: name them, `needs(one = …, other = …)`",
                    written(other),
                    written(&ty),
                ),
            };
            match given {
                true => cx.error(&name, text),
                false => cx.error(&ty, text),
            }
            continue;
        }
        all.push((name, ty));
    }
    all
}

/// One state twice in one option, one target name twice.
fn repeated(cx: &Cx, block: &Block) {
    for (i, (cfg, path)) in block.steps.iter().enumerate() {
        let same =
            |(other, known): &(Cfg, Path)| known == path && other.is_always() && cfg.is_always();
        if block.steps[..i].iter().any(same) {
            cx.error(path, format!("`{}` stands here twice", crate::text::written(path)));
        }
    }
    let lists = [&block.state];
    let lists = lists.into_iter().chain(block.lasting.iter().map(|lasting| &lasting.types));
    let reads = [&block.parent, &block.sequencer];
    let lists = lists.chain(reads.into_iter().flatten().map(|reads| &reads.types));
    for list in lists {
        for (i, ty) in list.iter().enumerate() {
            if list[..i].contains(ty) {
                cx.error(ty, format!("`{}` stands here twice", crate::text::written(ty)));
            }
        }
    }
    for (i, (name, _)) in block.targets.iter().enumerate() {
        if block.targets[..i].iter().any(|(other, _)| other == name) {
            cx.error(name, format!("there are two targets named `{name}`"));
        }
    }
}

/// Takes the arguments with `#[config]` off the signature.
fn config(cx: &Cx, function: &mut Function) -> Vec<Config> {
    let mut config: Vec<Config> = Vec::new();
    let inputs = std::mem::take(&mut function.sig.inputs);
    for arg in inputs {
        let is_config = |attr: &syn::Attribute| attr.path().is_ident("config");
        let FnArg::Typed(typed) = &arg else {
            function.sig.inputs.push(arg);
            continue;
        };
        let Some(attr) = typed.attrs.iter().find(|attr| is_config(attr)) else {
            function.sig.inputs.push(arg);
            continue;
        };
        if attr.meta.require_path_only().is_err() {
            cx.error(attr, "`#[config]` stands alone, without arguments");
        }
        let Pat::Ident(PatIdent { ident, by_ref: None, subpat: None, .. }) = &*typed.pat else {
            cx.error(
                &typed.pat,
                "a part of the configuration has a name: `#[config] style: Style`",
            );
            continue;
        };
        if config.iter().any(|other| other.name == *ident) {
            cx.error(ident, format!("two arguments are named `{ident}`"));
            continue;
        }
        let (ty, borrowed) = match plain(&typed.ty) {
            ty @ Type::Reference(by)
                if by.lifetime.as_ref().is_some_and(|l| l.ident == "static") =>
            {
                (ty.clone(), false)
            }
            Type::Reference(by) if by.mutability.is_none() => ((*by.elem).clone(), true),
            Type::ImplTrait(_) | Type::Reference(_) | Type::Infer(_) => {
                cx.error(&typed.ty, "a part of the configuration is one type, by value or by `&`");
                continue;
            }
            ty => (ty.clone(), false),
        };
        config.push(Config { name: ident.clone(), ty, borrowed });
    }
    config
}

impl Config {
    /// The type of the block's field.
    pub(crate) fn plain(&self, cx: &Cx) -> TokenStream {
        let ty = &self.ty;
        let (span, _) = ends(ty);
        let p = cx.private_at(span);
        match self.borrowed {
            true => quote_spanned!(span=> <#ty as #p::ToOwned>::Owned),
            false => quote!(#ty),
        }
    }

    /// The same, where it is declared: what is wrong with it is said here.
    pub(crate) fn field(&self, cx: &Cx) -> TokenStream {
        let ty = &self.ty;
        if self.borrowed || is_data(ty) {
            return self.plain(cx);
        }
        let text = format!(
            "`{}` cannot configure a block\nhelp: a block is cloned, and shared among threads: so is what it is made \
             of (Clone, Send, Sync)",
            written(ty),
        );
        only_here(cx, ty, "CONFIG", &text)
    }

    /// The argument, out of the block's value.
    pub(crate) fn value(&self, cx: &Cx) -> TokenStream {
        let (name, span) = (&self.name, ends(&self.ty).0);
        let p = cx.private_at(span);
        if self.borrowed {
            let ty = &self.ty;
            let borrow = quote_spanned!(span=> #p::Borrow::<#ty>::borrow);
            return quote!(#borrow(&self.#name));
        }
        // as a method: of a field whose type is wrong nothing more is said
        quote!({ #[allow(unused_imports)] use #p::Clone as _; self.#name.clone() })
    }
}

fn read_signature(cx: &Cx, block: &mut Block) {
    let sig = block.function.sig.clone();
    if !sig.generics.params.is_empty() {
        cx.error(
            &sig.generics,
            "a block cannot be generic: its input and output are what callers see",
        );
    } else if let Some(clause) = &sig.generics.where_clause {
        cx.error(clause, "a block cannot be generic: its input and output are what callers see");
    }
    if let Some(word) = &sig.unsafety {
        cx.error(word, "a block cannot be `unsafe`");
    }
    if let Some(word) = &sig.constness {
        cx.error(word, "a block cannot be `const`");
    }
    if let Some(word) = &sig.abi {
        cx.error(word, "a block cannot be `extern`");
    }
    let mut args = sig.inputs.iter();
    match args.next() {
        None => cx.error(
            &sig.ident,
            "a block takes its input as its first argument; `_: ()` where it needs none",
        ),
        Some(FnArg::Receiver(_)) => return,
        Some(FnArg::Typed(arg)) if is_ctx(&arg.ty).is_some() => {
            let (first, second) =
                ("a block takes its input first, and then its context", args.next());
            match second {
                None => cx.error(arg, format!("{first}; `_: ()` where it needs no input")),
                Some(_) => cx.error(arg, first),
            }
            return;
        }
        Some(FnArg::Typed(arg)) => read_input(cx, block, &arg.ty),
    }
    let second = args.next();
    let more = "a block takes its input and its context, and nothing else: \
                several values are one tuple, or one struct with `#[data]`";
    match (second, args.next()) {
        (Some(FnArg::Typed(arg)), more_args) => match (is_ctx(&arg.ty), more_args) {
            (Some(form), None) => block.ctx = form,
            (None, None) => cx.error(
                &arg.ty,
                "the second argument of a block is its context, written `ctx: Ctx`",
            ),
            (Some(_), Some(third)) => cx.error(third, more),
            (None, Some(_)) => cx.error(arg, more),
        },
        (None | Some(FnArg::Receiver(_)), _) => {}
    }
    match (&sig.output, block.kind) {
        (output, Kind::Router) => router::check_output(cx, block, output),
        (output, Kind::Generator) => generator::check_output(cx, block, output),
        (ReturnType::Default, Kind::Chain) => {
            cx.error(&sig.ident, "a sequencer says what it returns: `fn …(input: …) -> …`");
        }
        (ReturnType::Default, _) => {
            cx.error(
                &sig.ident,
                "a block returns `Result<…>`; `Result<()>` where it gives nothing",
            );
        }
        (ReturnType::Type(_, ty), Kind::Chain) if last_name(ty).as_deref() == Some("Result") => {
            cx.error(ty, "a chain's return type is the value alone, without `Result`: each step may fail anyway");
        }
        (ReturnType::Type(_, ty), _) => {
            if let Some(unnamed) = unnamed(ty) {
                let text = "a block's output is one type, and has a name: it cannot be `impl …`";
                cx.error(unnamed, text);
            }
        }
    }
    match block.kind {
        Kind::Chain if block.ctx != CtxForm::None => {
            cx.error(
                sig.inputs.iter().nth(1),
                "a chain takes its input alone: the functions in it take `|value, ctx|`",
            );
        }
        Kind::Written if block.ctx == CtxForm::None && sig.inputs.len() == 1 => {
            cx.error(
                &sig.ident,
                "an async sequencer runs its steps through its context: add the argument `ctx: Ctx`",
            );
        }
        _ => {}
    }
    if block.kind == Kind::Chain && block.borrowed {
        cx.error(sig.inputs.first(), "a chain takes its input by value");
    }
}

fn read_input(cx: &Cx, block: &mut Block, ty: &Type) {
    if let Some(unnamed) = unnamed(ty) {
        let text = "a block's input is one type, and has a name: it cannot be `impl …`";
        return cx.error(unnamed, text);
    }
    match plain(ty) {
        Type::Reference(reference) if reference.mutability.is_some() => {
            cx.error(
                ty,
                "a block takes its input by value or by `&`: nothing would see the change",
            );
        }
        Type::Reference(syn::TypeReference { lifetime: Some(long), .. })
            if long.ident == "static" =>
        {
            cx.error(long, "a block's input lives for the call: write `&str` for `&'static str`, or take it by value");
        }
        Type::Reference(reference) => {
            let elem = &*reference.elem;
            block.input = Some(elem.clone());
            block.borrowed = true;
        }
        Type::Infer(_) => cx.error(ty, "a block says what it takes"),
        other => block.input = Some(other.clone()),
    }
}

/// An `impl …` in a type.
fn unnamed(ty: &Type) -> Option<&syn::TypeImplTrait> {
    struct Find<'a>(Option<&'a syn::TypeImplTrait>);
    impl<'a> syn::visit::Visit<'a> for Find<'a> {
        fn visit_type_impl_trait(&mut self, found: &'a syn::TypeImplTrait) {
            self.0.get_or_insert(found);
        }
    }
    let mut find = Find(None);
    syn::visit::Visit::visit_type(&mut find, ty);
    find.0
}

/// Whether a type is literally `Ctx` or `&Ctx`.
fn is_ctx(ty: &Type) -> Option<CtxForm> {
    match plain(ty) {
        Type::Reference(reference) => {
            (is_ctx(&reference.elem)? == CtxForm::Owned).then_some(CtxForm::Borrowed)
        }
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            (last.ident == "Ctx").then_some(CtxForm::Owned)
        }
        _ => None,
    }
}

/// Where an error about the block as a whole shows.
pub(crate) fn name_span(block: &Block) -> Span {
    block.ident().span()
}
