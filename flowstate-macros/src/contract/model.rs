//! What a contract is, as its `impl` says; and what is wrong with it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::{
    Attribute, Expr, ExprLit, FnArg, ImplItem, ImplItemFn, ItemImpl, Lit, Pat, ReturnType, Type,
};

use crate::capability::as_named;
use crate::cfg::Cfg;
use crate::cx::Cx;
use crate::options::{self, Shape, Spec, Value};
use crate::text::{last_name, nearest, plain, plain_expr, written};

/// Every option of `#[contract]`.
pub(crate) const OPTIONS: &[Spec] = &[
    Spec { name: "scope", shape: Shape::Word(&["session", "user", "org"]), on: &[] },
    Spec { name: "version", shape: Shape::Expr, on: &[] },
    Spec { name: "crate", shape: Shape::Path, on: &[] },
];

const ROLES: &[&str] = &["reducer", "reader", "validate", "repair", "migrate"];

/// What `ctx.writes.<name>` and a batch have beside the reducers.
const TAKEN: &[&str] = &["batch", "open", "commit"];

/// A function with `#[reducer]`.
pub(super) struct Reducer {
    pub(super) name: Ident,
    pub(super) args: Vec<(Ident, Type)>,
    /// Documentation and deprecation.
    pub(super) docs: Vec<Attribute>,
    pub(super) cfg: Cfg,
    /// Where an error about what it returns shows.
    pub(super) returns: Span,
}

/// A function with `#[reader]`.
pub(super) struct Reader {
    pub(super) name: Ident,
    /// Whether it takes its budget.
    pub(super) budget: bool,
    pub(super) cfg: Cfg,
}

pub(super) struct Contract {
    /// The `impl`, without our attributes.
    pub(super) item: ItemImpl,
    pub(super) ty: Type,
    pub(super) name: String,
    /// The variant of `Reach`.
    pub(super) scope: &'static str,
    pub(super) version: u32,
    pub(super) reducers: Vec<Reducer>,
    pub(super) readers: Vec<Reader>,
    pub(super) validate: Option<Ident>,
    pub(super) repair: Option<Ident>,
    pub(super) migrations: Vec<(u32, Ident)>,
}

pub(super) fn model(cx: &Cx, args: TokenStream, item: ItemImpl) -> Contract {
    let ty = (*item.self_ty).clone();
    let mut contract = Contract {
        name: last_name(&ty).unwrap_or_else(|| "contract".into()),
        ty,
        item,
        scope: "Session",
        version: 1,
        reducers: Vec::new(),
        readers: Vec::new(),
        validate: None,
        repair: None,
        migrations: Vec::new(),
    };
    let given = |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, OPTIONS, ""));
    let mut at = None;
    for option in given.parse2(args).unwrap_or_default() {
        match (option.name, option.value) {
            ("crate", Value::Path(path)) => cx.set_crate(path),
            ("scope", Value::Word(word)) => {
                contract.scope = match word.as_str() {
                    "user" => "User",
                    "org" => "Org",
                    _ => "Session",
                };
            }
            ("version", Value::Expr(version)) => {
                if let Some(number) = number(cx, &version) {
                    contract.version = number;
                    at = Some(version);
                }
            }
            _ => {}
        }
    }
    if let Some((_, of, _)) = &contract.item.trait_ {
        cx.error(of, "`#[contract]` goes on an `impl` of the state itself, not on that of a trait");
    } else if !contract.item.generics.params.is_empty() {
        cx.error(&contract.item.generics, "a contract cannot be generic: a state is one type");
    }
    let mut items = std::mem::take(&mut contract.item.items);
    for item in &mut items {
        if let ImplItem::Fn(function) = item {
            read(cx, &mut contract, function);
        }
    }
    contract.item.items = items;
    if !cx.failed() {
        migrations(cx, &contract, at.as_ref());
    }
    contract
}

/// A version, from 1 on.
fn number(cx: &Cx, expr: &Expr) -> Option<u32> {
    match plain_expr(expr.clone()) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => match number.base10_parse::<u32>() {
            Ok(number) if number > 0 => return Some(number),
            _ => cx.error(number, "a version is a number from 1 on"),
        },
        other => cx.error(other, "a version is a number from 1 on, `version = 2`"),
    }
    None
}

/// Each step up to the version is there, unless a `#[repair]` does the work; and none beyond.
fn migrations(cx: &Cx, contract: &Contract, at: Option<&Expr>) {
    for (from, name) in &contract.migrations {
        if *from >= contract.version {
            let text = format!(
                "this makes version {} of version {from}, and the contract is of version {}\nhelp: `#[contract(version = {})]`",
                from + 1,
                contract.version,
                from + 1,
            );
            cx.error(name, text);
        }
    }
    let missing = (1..contract.version)
        .find(|version| contract.migrations.iter().all(|(from, _)| from != version));
    if let (Some(missing), Some(at), None) = (missing, at, &contract.repair) {
        let text = format!(
            "nothing makes version {} of version {missing}\nhelp: `#[migrate(from = {missing})] fn from_{missing}(stored: \
             serde_json::Value) -> serde_json::Value`",
            missing + 1,
        );
        cx.error(at, text);
    }
}

/// What a function is in the contract; our attributes are taken off it.
fn read(cx: &Cx, contract: &mut Contract, function: &mut ImplItemFn) {
    let mut roles: Vec<(String, Attribute)> = Vec::new();
    function.attrs.retain(|attr| {
        let Some(name) = role(cx, attr) else { return true };
        if let Some(name) = name {
            roles.push((name, attr.clone()));
        }
        false
    });
    let mut roles = roles.into_iter();
    let Some((role, attr)) = roles.next() else { return };
    for (_, other) in roles {
        cx.error(
            other,
            "a function of a contract is one thing: a reducer, a reader, a check or a repair",
        );
    }
    // its signature is not a matter of taste
    function.attrs.push(syn::parse_quote! {
        #[allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps, clippy::unused_self)]
    });
    let what = match role.as_str() {
        "validate" => "check",
        "migrate" => "migration",
        other => other,
    };
    without_ctx(cx, function, what);
    let sig = &function.sig;
    if let Some(word) = &sig.asyncness {
        let why = match what {
            "reducer" => "it makes the next value of the last one alone, and may run again",
            _ => "it looks at one value alone",
        };
        cx.error(word, format!("a {what} is not `async`: {why}"));
    }
    if !sig.generics.params.is_empty() {
        cx.error(&sig.generics, format!("a {what} cannot be generic"));
    }
    if let Some(word) = &sig.unsafety {
        cx.error(word, format!("a {what} cannot be `unsafe`"));
    }
    if role != "migrate" && attr.meta.require_path_only().is_err() {
        cx.error(&attr, format!("`#[{role}]` stands alone, without arguments"));
    }
    let name = sig.ident.clone();
    if let (Some(cfg), false) =
        (function.attrs.iter().find(|attr| attr.path().is_ident("cfg")), is_called(&role))
    {
        cx.error(
            cfg,
            format!("a {what} is always there: put what depends on a `cfg` inside of it"),
        );
    }
    match role.as_str() {
        "reducer" => reducer(cx, contract, function),
        "reader" => reader(cx, contract, function),
        "validate" => {
            let form = "a check takes `&self` and says what is wrong: `fn check(&self) -> Result<(), String>`";
            receiver(cx, function, false, form);
            if sig.inputs.len() > 1 {
                cx.error(sig.inputs.iter().nth(1), form);
            }
            let result = matches!(&sig.output, ReturnType::Type(_, ty) if last_name(ty).as_deref() == Some("Result"));
            if !result {
                returned(cx, function, form);
            }
            if contract.validate.is_some() {
                cx.error(&name, "a contract has one `#[validate]`, which checks all of it");
            }
            contract.validate = Some(name);
        }
        "repair" => {
            mends(cx, function);
            if contract.repair.is_some() {
                cx.error(&name, "a contract has one `#[repair]`");
            }
            contract.repair = Some(name);
        }
        _ => {
            mends(cx, function);
            let form = "it says which version it takes: `#[migrate(from = 1)]`";
            let from = attr.parse_args::<syn::MetaNameValue>().ok();
            let from = from.filter(|from| from.path.is_ident("from")).map(|from| from.value);
            let Some(from) = from else {
                cx.error(&attr, form);
                return;
            };
            let Some(from) = number(cx, &from) else { return };
            if contract.migrations.iter().any(|(other, _)| *other == from) {
                cx.error(&name, format!("there are two migrations from version {from}"));
            }
            contract.migrations.push((from, name));
        }
    }
}

/// Refuses the context that it asks for, which nothing in a contract has; it is then read as if it did not.
fn without_ctx(cx: &Cx, function: &mut ImplItemFn, what: &str) {
    let asks = |arg: &FnArg| match arg {
        FnArg::Typed(arg) => match plain(&arg.ty) {
            Type::Reference(by) => last_name(&by.elem).as_deref() == Some("Ctx"),
            ty => last_name(ty).as_deref() == Some("Ctx"),
        },
        FnArg::Receiver(_) => false,
    };
    let Some(ctx) = function.sig.inputs.iter().find(|arg| asks(arg)) else { return };
    cx.error(ctx, format!("a {what} has no `ctx`: it sees this one value, and what it is given"));
    let inputs = std::mem::take(&mut function.sig.inputs);
    function.sig.inputs = inputs.into_iter().filter(|arg| !asks(arg)).collect();
    function.attrs.push(syn::parse_quote!(#[allow(unused)]));
    function.block = syn::parse_quote!({ loop {} });
}

/// Whether both may be there at once: where both have a `#[cfg]`, the compiler knows.
fn together(one: &Cfg, other: &Cfg) -> bool {
    one.is_always() || other.is_always()
}

/// Which of our attributes it is; `Some(None)` where it was meant to be one.
#[expect(clippy::option_option)]
fn role(cx: &Cx, attr: &Attribute) -> Option<Option<String>> {
    let name = attr.path().get_ident()?.to_string();
    if ROLES.contains(&&*name) {
        return Some(Some(name));
    }
    const OTHERS: &[&str] = &["cfg", "cfg_attr", "doc", "allow", "expect", "deny", "warn", "test"];
    let near = nearest(&name, ROLES.iter().copied()).filter(|_| !OTHERS.contains(&&*name))?;
    let all = ROLES.iter().map(|role| format!("`#[{role}]`")).collect::<Vec<_>>().join(", ");
    let text = format!("unknown attribute `{name}`: did you mean `{near}`?\nthere are {all}");
    cx.error(attr.path(), text);
    Some(None)
}

/// Whether it takes `&self` or `&mut self`, as it must.
fn receiver(cx: &Cx, function: &ImplItemFn, mutable: bool, form: &str) -> bool {
    let sig = &function.sig;
    match sig.inputs.first() {
        Some(FnArg::Receiver(it))
            if it.colon_token.is_none()
                && it.reference.is_some()
                && it.mutability.is_some() == mutable =>
        {
            return true;
        }
        Some(FnArg::Receiver(it)) => cx.error(it, form),
        _ => cx.error(&sig.ident, form),
    }
    false
}

/// Says the form at what the function returns.
fn returned(cx: &Cx, function: &ImplItemFn, form: &str) {
    match &function.sig.output {
        ReturnType::Default => cx.error(&function.sig.ident, form),
        ReturnType::Type(_, ty) => cx.error(ty, form),
    }
}

fn reducer(cx: &Cx, contract: &mut Contract, function: &ImplItemFn) {
    let sig = &function.sig;
    let form = "a reducer changes the state that it is given: it takes `&mut self`";
    receiver(cx, function, true, form);
    let mut args: Vec<(Ident, Type)> = Vec::new();
    for (i, arg) in sig.inputs.iter().skip(1).enumerate() {
        let FnArg::Typed(arg) = arg else { continue };
        match plain(&arg.ty) {
            Type::Reference(by) if by.lifetime.as_ref().is_none_or(|l| l.ident != "static") => {
                let text = "a reducer takes what it is given by value: it is kept, since the reducer may run again";
                cx.error(&arg.ty, text);
            }
            Type::ImplTrait(_) => {
                cx.error(&arg.ty, "what a reducer takes is one type, and has a name");
            }
            _ => {}
        }
        let name = match &*arg.pat {
            Pat::Ident(pat) => pat.ident.clone(),
            _ => format_ident!("__value{}", i),
        };
        let named = syn::parse2(as_named(arg.ty.to_token_stream(), &contract.ty));
        args.push((name, named.unwrap_or_else(|_| (*arg.ty).clone())));
    }
    let name = sig.ident.clone();
    let text = name.unraw().to_string();
    if TAKEN.contains(&&*text) {
        let what = TAKEN.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        cx.error(
            &name,
            format!("a reducer cannot be called `{text}`: {what} are there beside the reducers"),
        );
    }
    let returns = match &sig.output {
        ReturnType::Default => name.span(),
        ReturnType::Type(_, ty) => crate::cx::ends(ty).0,
    };
    let shown =
        |attr: &&Attribute| ["doc", "deprecated"].iter().any(|word| attr.path().is_ident(word));
    let docs = function.attrs.iter().filter(shown).cloned().collect();
    let cfg = Cfg::of(&function.attrs);
    // what is there twice the compiler says by itself
    let same = |other: &&Reducer| other.name == name;
    if !contract.reducers.iter().filter(same).any(|other| together(&other.cfg, &cfg)) {
        contract.reducers.push(Reducer { name, args, docs, cfg, returns });
    }
}

/// Whether blocks call such a function, so that it can be left out.
fn is_called(role: &str) -> bool {
    matches!(role, "reducer" | "reader")
}

fn reader(cx: &Cx, contract: &mut Contract, function: &ImplItemFn) {
    let sig = &function.sig;
    receiver(cx, function, false, "a reader only looks at the state: it takes `&self`");
    let form = "a reader takes `&self`, and its budget if it wants it: `budget: u32`";
    let budget = match sig.inputs.iter().nth(1) {
        None => false,
        Some(FnArg::Typed(arg)) if last_name(&arg.ty).as_deref() == Some("u32") => true,
        Some(other) => {
            cx.error(other, form);
            false
        }
    };
    if let Some(third) = sig.inputs.iter().nth(2) {
        cx.error(third, form);
    }
    match &sig.output {
        ReturnType::Type(_, ty) if last_name(ty).as_deref() == Some("String") => {}
        ReturnType::Type(_, ty) => {
            let found = written(ty);
            cx.error(
                ty,
                format!("a reader returns the text that is shown, `String`, not `{found}`"),
            );
        }
        ReturnType::Default => {
            cx.error(&sig.ident, "a reader returns the text that is shown, `String`");
        }
    }
    let cfg = Cfg::of(&function.attrs);
    let same = |other: &&Reader| other.name == sig.ident;
    if !contract.readers.iter().filter(same).any(|other| together(&other.cfg, &cfg)) {
        contract.readers.push(Reader { name: sig.ident.clone(), budget, cfg });
    }
}

/// Whether it makes JSON of JSON.
fn mends(cx: &Cx, function: &ImplItemFn) {
    let sig = &function.sig;
    let form = format!(
        "it makes JSON of JSON: `fn {}(stored: serde_json::Value) -> serde_json::Value`",
        sig.ident
    );
    if let Some(FnArg::Receiver(it)) = sig.inputs.first() {
        cx.error(it, format!("there is no state yet: {form}"));
    } else if sig.inputs.len() != 1 || matches!(sig.output, ReturnType::Default) {
        let at = match sig.inputs.iter().nth(1) {
            Some(second) => second.to_token_stream(),
            None => sig.ident.to_token_stream(),
        };
        cx.error(at, form);
    }
}
