//! `flow!`: a struct whose fields are entries and whose field types are their blocks.

mod checks;
mod client;
mod expand;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::{Expr, Path};

use crate::block::duration;
use crate::cx::Cx;
use crate::data::{first, kind_of};
use crate::options::{self, Given, Shape, Spec, Value};
use crate::text::camel;

pub(crate) const OPTIONS: &[Spec] = &[
    Spec { name: "kind", shape: Shape::Text, on: &[] },
    Spec { name: "config", shape: Shape::Type, on: &[] },
    Spec { name: "cardinality", shape: Shape::Word(&["singleton", "collection"]), on: &[] },
    Spec { name: "require_user", shape: Shape::Flag, on: &[] },
    Spec { name: "concurrency", shape: Shape::Word(CONCURRENCY), on: &[] },
    Spec { name: "key", shape: Shape::Word(KEYS), on: &[] },
    Spec { name: "wait", shape: Shape::Text, on: &[] },
    Spec { name: "session", shape: Shape::Types, on: &[] },
    Spec { name: "user", shape: Shape::Types, on: &[] },
    Spec { name: "org", shape: Shape::Types, on: &[] },
    Spec { name: "client", shape: Shape::Args, on: &[] },
    Spec { name: "on_started", shape: Shape::Path, on: &[] },
    Spec { name: "on_completed", shape: Shape::Path, on: &[] },
    Spec { name: "on_errored", shape: Shape::Path, on: &[] },
    Spec { name: "on_finished", shape: Shape::Path, on: &[] },
    Spec { name: "crate", shape: Shape::Path, on: &[] },
];

/// Of `#[action]`, `#[internal]` and `#[task]`.
pub(crate) const ENTRY: &[Spec] = &[
    Spec { name: "description", shape: Shape::Text, on: &[] },
    Spec { name: "concurrency", shape: Shape::Word(CONCURRENCY), on: &[] },
    Spec { name: "key", shape: Shape::Expr, on: &[] },
    Spec { name: "wait", shape: Shape::Text, on: &[] },
    Spec { name: "on_completed", shape: Shape::Path, on: &[] },
    Spec { name: "on_errored", shape: Shape::Path, on: &[] },
    Spec { name: "user_message", shape: Shape::Expr, on: &[] },
    Spec { name: "token_budget", shape: Shape::Expr, on: &[] },
];

/// What becomes of a call while others run.
const CONCURRENCY: &[&str] = &["allow", "queue", "reject", "hold", "defer"];
/// Who takes turns.
const KEYS: &[&str] = &["session", "user", "none"];
/// The sorts of entry.
const SORTS: &[&str] = &["action", "internal", "task"];

/// `flow! { #[flow(…)] pub struct … }`
pub(crate) fn expand_bang(cx: &Cx, item: TokenStream) -> TokenStream {
    let Some(mut ty) = structure(cx, item) else {
        return TokenStream::new();
    };
    let mut args = TokenStream::new();
    ty.attrs.retain(|attr| {
        let ours = attr.path().segments.last().is_some_and(|last| last.ident == "flow");
        // (it may stand alone)
        if ours && !matches!(attr.meta, syn::Meta::Path(_)) {
            match attr.meta.require_list() {
                Ok(list) => args = list.tokens.clone(),
                Err(error) => cx.push(error),
            }
        }
        !ours
    });
    write(cx, args, &ty)
}

/// `#[flowstate::flow(…)] pub struct …`
pub(crate) fn expand(cx: &Cx, args: TokenStream, item: TokenStream) -> TokenStream {
    match structure(cx, item.clone()) {
        Some(ty) => write(cx, args, &ty),
        None => item,
    }
}

fn structure(cx: &Cx, item: TokenStream) -> Option<syn::ItemStruct> {
    if item.is_empty() {
        cx.error_at(
            Span::call_site(),
            "a flow is a struct: `flow! { pub struct Chat { pub say: say } }`",
        );
        return None;
    }
    match syn::parse2::<syn::Item>(item) {
        Ok(syn::Item::Struct(ty)) => Some(ty),
        Ok(other) => {
            let found = kind_of(&other);
            cx.error(first(&other), format!("a flow is a struct with named fields, not {found}"));
            None
        }
        Err(error) => {
            cx.push(error);
            None
        }
    }
}

/// Who takes turns, and what becomes of a call meanwhile.
#[derive(Default, Clone)]
struct Policy {
    /// As a variant of the runtime's.
    concurrency: Option<Ident>,
    key: Option<Key>,
    /// In milliseconds.
    wait: Option<u64>,
    /// Where the first of them is said.
    said: Option<Ident>,
}

#[derive(Clone)]
enum Key {
    Word(Ident),
    Function(Expr),
}

impl Policy {
    fn read(&mut self, cx: &Cx, given: &Given) {
        match (given.name, &given.value) {
            ("concurrency", Value::Word(word)) => self.concurrency = Some(variant(word)),
            ("key", Value::Word(word)) => self.key = Some(Key::Word(variant(word))),
            ("key", Value::Expr(expr)) => self.key = Some(key(expr)),
            ("wait", Value::Text(text)) => self.wait = duration(cx, text),
            _ => return,
        }
        self.said.get_or_insert_with(|| given.key.clone());
    }

    /// What says nothing without something else.
    fn check(&self, cx: &Cx) {
        let Some(said) = &self.said else { return };
        let Some(concurrency) = &self.concurrency else {
            let text = format!(
                "`{said}` says nothing without `concurrency`: add `concurrency = queue`, or leave it out"
            );
            return cx.error(said, text);
        };
        if self.wait.is_some() && concurrency != "Queue" {
            let text =
                "`wait` is how long a call stays in the line: it goes with `concurrency = queue`";
            cx.error(said, text);
        }
    }

    /// For the definition.
    fn def(&self, p: &TokenStream) -> Option<TokenStream> {
        let concurrency = self.concurrency.as_ref()?;
        let key = match &self.key {
            Some(Key::Word(word)) => quote!(#word),
            Some(Key::Function(_)) => quote!(Custom),
            None => quote!(Session),
        };
        let wait = self.wait.unwrap_or(30_000);
        Some(quote!(.turns(#p::Concurrency::#concurrency, #p::TurnKey::#key, #wait)))
    }
}

fn variant(word: &str) -> Ident {
    quote::format_ident!("{}", camel(word))
}

/// One of the words, or what gives the key.
fn key(expr: &Expr) -> Key {
    if let Expr::Path(path) = expr
        && let Some(word) = path.path.get_ident()
        && KEYS.iter().any(|known| word == known)
    {
        return Key::Word(variant(&word.to_string()));
    }
    Key::Function(expr.clone())
}

struct Entry {
    /// `action`, `internal` or `task`.
    sort: &'static str,
    name: Ident,
    text: String,
    vis: syn::Visibility,
    block: syn::Type,
    description: String,
    policy: Policy,
    on_completed: Option<Path>,
    on_errored: Option<Path>,
    user_message: Option<Expr>,
    token_budget: Option<Expr>,
    attrs: Vec<syn::Attribute>,
    cfg: Vec<syn::Attribute>,
}

/// What `#[flow(…)]` says.
#[derive(Default)]
struct Options {
    kind: Option<String>,
    config: Option<syn::Type>,
    collection: bool,
    require_user: bool,
    policy: Policy,
    lasting: Vec<(&'static str, Vec<syn::Type>)>,
    client: Vec<Client>,
    /// The request's hooks, by the names of their options.
    hooks: Vec<(&'static str, Path)>,
}

/// What is shown of a state: fields, and what functions make of it.
struct Client {
    reach: &'static str,
    state: syn::Type,
    fields: Vec<(Ident, Option<Expr>)>,
}

fn clients(cx: &Cx, args: Vec<(Ident, Expr)>) -> Vec<Client> {
    let mut all: Vec<Client> = Vec::new();
    for (word, shown) in args {
        let Some(reach) = ["session", "user", "org"].into_iter().find(|known| word == known) else {
            cx.error(&word, format!("`{word}` is none of `session`, `user`, `org`"));
            continue;
        };
        let Expr::Struct(shown) = crate::text::plain_expr(shown) else {
            cx.error(&word, format!("it is written `{word} = State {{ field, name: function }}`"));
            continue;
        };
        let mut fields = Vec::new();
        for field in shown.fields {
            let syn::Member::Named(name) = field.member else { continue };
            let known = all.iter().filter(|other| other.reach == reach);
            let mut known = known.flat_map(|other| &other.fields).chain(&fields);
            if known.any(|(other, _)| *other == name) {
                cx.error(&name, format!("two things are shown of the {reach} as `{name}`"));
                continue;
            }
            fields.push((name, field.colon_token.map(|_| field.expr)));
        }
        let state = syn::Type::Path(syn::TypePath { qself: None, path: shown.path });
        all.push(Client { reach, state, fields });
    }
    all
}

fn options(cx: &Cx, args: TokenStream) -> Options {
    let parse = |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, OPTIONS, ""));
    let mut out = Options::default();
    for given in parse.parse2(args).unwrap_or_default() {
        out.policy.read(cx, &given);
        match (given.name, given.value) {
            ("crate", Value::Path(path)) => cx.set_crate(path),
            ("kind", Value::Text(text)) if text.value().trim().is_empty() => {
                cx.error(&text, "a flow's kind is not empty");
            }
            ("kind", Value::Text(text)) => out.kind = Some(text.value()),
            ("config", Value::Types(types)) => out.config = types.into_iter().next(),
            ("cardinality", Value::Word(word)) => out.collection = word == "collection",
            ("require_user", _) => out.require_user = true,
            (word @ ("session" | "user" | "org"), Value::Types(types)) => {
                out.lasting.push((word, types));
            }
            (_, Value::Args(args)) => out.client = clients(cx, args),
            (hook, Value::Path(path)) => out.hooks.push((hook, path)),
            _ => {}
        }
    }
    out.policy.check(cx);
    out
}

fn write(cx: &Cx, args: TokenStream, ty: &syn::ItemStruct) -> TokenStream {
    let options = options(cx, args);
    if !matches!(ty.fields, syn::Fields::Named(_)) {
        cx.error(
            &ty.ident,
            "a flow's entries are named fields: `pub struct Chat { pub say: say }`",
        );
    }
    if !ty.generics.params.is_empty() {
        cx.error(&ty.generics, "a flow cannot be generic");
    }
    let mut entries: Vec<Entry> = Vec::new();
    for field in &ty.fields {
        let Some(entry) = entry(cx, field, &options.policy) else {
            continue;
        };
        if entries
            .iter()
            .any(|other| other.text == entry.text && other.cfg.is_empty() && entry.cfg.is_empty())
        {
            cx.error(&entry.name, format!("the flow has two entries named `{}`", entry.text));
        } else {
            entries.push(entry);
        }
    }
    expand::flow(cx, ty, &options, &entries)
}

fn entry(cx: &Cx, field: &syn::Field, flow: &Policy) -> Option<Entry> {
    let name = field.ident.clone()?;
    if !matches!(crate::text::plain(&field.ty), syn::Type::Path(_)) {
        cx.error(&field.ty, "an entry's type is a block, by its name");
        return None;
    }
    let mut entry = Entry {
        sort: SORTS[0],
        text: name.unraw().to_string(),
        name,
        vis: field.vis.clone(),
        block: field.ty.clone(),
        description: String::new(),
        policy: Policy::default(),
        on_completed: None,
        on_errored: None,
        user_message: None,
        token_budget: None,
        attrs: Vec::new(),
        cfg: Vec::new(),
    };
    let mut docs = Vec::new();
    let mut sorted = false;
    for attr in &field.attrs {
        if let Some(sort) = SORTS.iter().find(|sort| attr.path().is_ident(sort)) {
            if std::mem::replace(&mut sorted, true) {
                cx.error(
                    attr.path(),
                    "an entry is one of `#[action]`, `#[internal]` and `#[task]`",
                );
                continue;
            }
            entry.sort = sort;
            entry.read(cx, attr);
            continue;
        }
        if attr.path().is_ident("cfg") {
            entry.cfg.push(attr.clone());
            continue;
        }
        if let syn::Meta::NameValue(doc) = &attr.meta
            && doc.path.is_ident("doc")
            && let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &doc.value
        {
            docs.push(text.value().trim().to_owned());
        }
        entry.attrs.push(attr.clone());
    }
    if entry.description.is_empty() {
        entry.description = docs.join(" ");
    }
    entry.policy.check(cx);
    if entry.policy.said.is_none() {
        // what an entry says itself stands in the place of all that the flow says
        entry.policy = flow.clone();
    }
    Some(entry)
}

impl Entry {
    fn read(&mut self, cx: &Cx, attr: &syn::Attribute) {
        // it may stand alone
        if matches!(attr.meta, syn::Meta::Path(_)) {
            return;
        }
        let sort = self.sort;
        let parse = |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, ENTRY, sort));
        let given = match attr.parse_args_with(parse) {
            Ok(given) => given,
            Err(error) => return cx.push(error),
        };
        for given in given {
            self.policy.read(cx, &given);
            match (given.name, given.value) {
                ("description", Value::Text(text)) => self.description = text.value(),
                ("on_completed", Value::Path(path)) => self.on_completed = Some(path),
                ("on_errored", Value::Path(path)) => self.on_errored = Some(path),
                ("user_message", Value::Expr(expr)) => self.user_message = Some(expr),
                ("token_budget", Value::Expr(expr)) => self.token_budget = Some(expr),
                _ => {}
            }
        }
    }
}
