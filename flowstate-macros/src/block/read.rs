//! The options of `#[block]`, and what is wrong with them.

use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Path, Token, Type};

use super::attempts::{duration, retry};
use super::caching;
use super::contracts;
use super::generator;
use super::model::{Block, Kind, Lasting};
use super::router;
use crate::cfg::Cfg;
use crate::cx::{Cx, ends};
use crate::options::{self, Shape, Spec, Value};
use crate::text::{field, last_name, snake, suggestion, written};

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

pub(super) fn read_options(cx: &Cx, input: ParseStream<'_>, block: &mut Block) {
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
            field(&snake(&last_name(&ty).unwrap_or_else(|| "service".into())), ends(&ty).0)
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
