//! Contracts that a block reads, writes and feeds.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, ExprAssign, ExprCall, ExprLit, Lit, Type, TypePath};

use super::context::Parts;
use super::model::{Block, Kind};
use crate::cx::{Cx, check, ends, only};
use crate::text::{self, last_name, plain_expr, snake, written};

/// `Profile::assistant(budget = 200)`.
pub(crate) struct View {
    contract: Type,
    reader: Ident,
    /// `None` where it is `unlimited`.
    budget: Option<Expr>,
    tokens: Expr,
}

/// `Profile::add_note(|output: &Output| …)`.
pub(crate) struct Fed {
    pub(super) contract: Type,
    reducer: Ident,
    function: Expr,
}

const VIEW: &str = "a read names a reader and how many tokens it may take: `Contract::reader(budget = 200)`, \
                    or `Contract::reader(unlimited)`";
const FEED: &str =
    "a feed names a reducer and what it is given: `Contract::reducer(|output: &Output| …)`";

/// The contract and the name of `Contract::name`.
fn split(path: &Expr) -> Option<(Type, Ident)> {
    let Expr::Path(path) = path else { return None };
    let mut path = path.clone();
    if path.qself.is_some() {
        return None;
    }
    let last = path.path.segments.pop()?.into_value();
    path.path.segments.pop_punct();
    if path.path.segments.is_empty() || !last.arguments.is_none() {
        return None;
    }
    Some((TypePath { qself: None, path: path.path }.into(), last.ident))
}

/// What stands in a list, as a call.
fn called(expr: &Expr) -> Option<ExprCall> {
    match plain_expr(expr.clone()) {
        Expr::Call(call) if call.attrs.is_empty() => Some(call),
        _ => None,
    }
}

/// The views of the option.
pub(super) fn views(cx: &Cx, given: Vec<Expr>) -> Vec<View> {
    let mut all: Vec<View> = Vec::new();
    for expr in given {
        let Some(view) = view(cx, expr) else { continue };
        let twice = |other: &View| {
            other.contract == view.contract && other.reader.unraw() == view.reader.unraw()
        };
        if all.iter().any(twice) {
            let text = format!("`{}::{}` stands here twice", written(&view.contract), view.reader);
            cx.error(&view.tokens, text);
            continue;
        }
        if let Some(other) = same_name(all.iter().map(|view| &view.contract), &view.contract) {
            cx.error(&view.contract, both("reads", other, &view.contract));
            continue;
        }
        all.push(view);
    }
    all
}

fn view(cx: &Cx, tokens: Expr) -> Option<View> {
    let Some(call) = called(&tokens) else {
        let help = match split(&plain_expr(tokens.clone())) {
            Some((contract, reader)) => form(&contract, &reader),
            None => VIEW.to_owned(),
        };
        cx.error(&tokens, help);
        return None;
    };
    let Some((contract, reader)) = split(&call.func) else {
        cx.error(&tokens, VIEW);
        return None;
    };
    let name = format!("{}::{reader}", written(&contract));
    let mut args = call.args.iter();
    let budget = match (args.next().cloned().map(plain_expr), args.next()) {
        (Some(Expr::Path(word)), None) if word.path.is_ident("unlimited") => None,
        (Some(Expr::Assign(ExprAssign { left, right, .. })), None) if matches!(&*left, Expr::Path(key) if key.path.is_ident("budget")) =>
        {
            let budget = plain_expr(*right);
            let none = match &budget {
                Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_digits() == "0",
                Expr::Lit(_) => {
                    cx.error(&budget, "a budget is a number of tokens: `budget = 200`");
                    return None;
                }
                Expr::Unary(minus) => matches!(minus.op, syn::UnOp::Neg(_)),
                _ => false,
            };
            if none {
                let text = format!(
                    "a reader's budget is at least 1 token\nhelp: `{name}(unlimited)` shows all of it"
                );
                cx.error(&budget, text);
                return None;
            }
            Some(budget)
        }
        (None, _) => {
            cx.error(&tokens, form(&contract, &reader));
            return None;
        }
        _ => {
            cx.error(&call.args, form(&contract, &reader));
            return None;
        }
    };
    Some(View { contract, reader, budget, tokens })
}

fn form(contract: &Type, reader: &Ident) -> String {
    let name = format!("{}::{reader}", written(contract));
    format!(
        "a read says how many tokens it may take: `{name}(budget = 200)`, or `{name}(unlimited)`"
    )
}

/// The contracts of the option `writes`.
pub(super) fn writes(cx: &Cx, given: Vec<Type>) -> Vec<Type> {
    let mut all: Vec<Type> = Vec::new();
    for ty in given {
        if all.contains(&ty) {
            cx.error(&ty, format!("`{}` stands here twice", written(&ty)));
        } else if let Some(other) = same_name(all.iter(), &ty) {
            cx.error(&ty, both("writes", other, &ty));
        } else {
            all.push(ty);
        }
    }
    all
}

/// The feeds of the option.
pub(super) fn feeds(cx: &Cx, given: Vec<Expr>) -> Vec<Fed> {
    let feed = |expr: Expr| {
        if let Some(call) = called(&expr)
            && let (Some((contract, reducer)), 1) = (split(&call.func), call.args.len())
            && let Some(function) = call.args.first().cloned().map(plain_expr)
            && matches!(function, Expr::Closure(_) | Expr::Path(_))
        {
            return Some(Fed { contract, reducer, function });
        }
        cx.error(expr, FEED);
        None
    };
    given.into_iter().filter_map(feed).collect()
}

/// Another contract that has the same name in the context.
fn same_name<'t>(mut all: impl Iterator<Item = &'t Type>, ty: &Type) -> Option<&'t Type> {
    all.find(|other| *other != ty && field(other) == field(ty))
}

fn both(word: &str, one: &Type, other: &Type) -> String {
    let (field, one, other) = (field(other), written(one), written(other));
    format!(
        "`{one}` and `{other}` would both be `ctx.{word}.{field}`\nhelp: import one of them under another name, `use … as …`"
    )
}

/// The name of a contract in the context.
fn field(contract: &Type) -> Ident {
    let name = snake(&last_name(contract).unwrap_or_else(|| "contract".into()));
    text::field(&name, ends(contract).0)
}

/// Each contract that a block names, once.
fn all(block: &Block) -> Vec<&Type> {
    let reads = block.reads.iter().map(|view| &view.contract);
    let feeds = block.feeds.iter().map(|fed| &fed.contract);
    let mut all: Vec<&Type> = Vec::new();
    for ty in reads.chain(&block.writes).chain(feeds) {
        if !all.contains(&ty) {
            all.push(ty);
        }
    }
    all
}

/// The name under which generated code knows a contract.
fn alias(block: &Block, ty: &Type) -> Ident {
    let index = all(block).iter().position(|known| *known == ty).unwrap_or_default();
    Ident::new(&format!("__contract{index}"), ends(ty).0)
}

/// The types `__contract0`, …: each is asked once whether it is a contract.
pub(super) fn aliases(cx: &Cx, block: &Block) -> TokenStream {
    let each = all(block).into_iter().map(|ty| {
        let (name, written) = (super::at_macro(alias(block, ty)), written(ty));
        let text = format!(
            "`{written}` is not a contract\nhelp: put `#[contract]` on an `impl {written}`, where its reducers and readers are"
        );
        let contract = only(cx, ty, "CONTRACT", &text);
        let p = cx.private_at(ends(ty).0);
        let contract = quote_spanned!(ends(ty).0=> <#contract as #p::Contracted>::Itself);
        quote!(#[allow(non_camel_case_types, unused_parens)] type #name = #contract;)
    });
    quote!(#(#each)*)
}

/// The contracts that a block reads, each with its views.
fn read(block: &Block) -> Vec<(&Type, Vec<&View>)> {
    let mut all: Vec<(&Type, Vec<&View>)> = Vec::new();
    for view in &block.reads {
        match all.iter_mut().find(|(ty, _)| *ty == &view.contract) {
            Some((_, views)) => views.push(view),
            None => all.push((&view.contract, vec![view])),
        }
    }
    all
}

fn reading(contract: &Type) -> Ident {
    format_ident!("__read_{}", field(contract).unraw(), span = proc_macro2::Span::call_site())
}

/// `ctx.reads` and `ctx.writes`.
pub(super) fn fields(
    p: &TokenStream,
    block: &Block,
    parts: &mut Parts<'_>,
    items: &mut Vec<TokenStream>,
) {
    let (base, vis) = (block.ident().unraw().to_string(), &block.function.vis);
    if !block.reads.is_empty() {
        let inner = format_ident!("Reads_{}", base);
        let mut reads = Parts::new(p, block.states(), false);
        for (contract, views) in read(block) {
            let (ty, field) = (alias(block, contract), field(contract));
            let name = last_name(contract).unwrap_or_default();
            // what the compiler shows where a reader is not declared
            let only = format_ident!("{}_with_the_readers_in_reads", name);
            let readers = views.iter().map(|view| {
                let (reader, limit) = (&view.reader, limit(p, view));
                let text = reader.unraw().to_string();
                let about =
                    format!("What the reader `{text}` of `{name}` shows, within the budget.");
                quote! {
                    #[doc = #about]
                    #vis async fn #reader(&self) -> #p::Result<#p::String> {
                        self.0.view(#text, #limit).await
                    }
                }
            });
            items.push(quote!(#vis struct #only<'__a>(#p::Reading<'__a, #ty>);));
            items.push(quote!(impl #only<'_> { #(#readers)* }));
            let reading = reading(contract);
            let value = if block.kind == Kind::Generator {
                quote!(#only(#reading.clone()))
            } else {
                quote!(#only(#p::Reading::new(__base)))
            };
            reads.fields.push((field, quote!(#only<'__a>), value));
        }
        items.push(reads.structure(vis, &inner));
        let value = reads.value(&inner);
        parts.field("reads", quote!(#inner<'__a>), value);
    }
    if !block.writes.is_empty() {
        let inner = format_ident!("Writes_{}", base);
        let mut writes = Parts::new(p, block.states(), false);
        for contract in &block.writes {
            let ty = alias(block, contract);
            let value = quote!(<#ty as #p::Contract>::writes(#p::Writer::new(__base)));
            let of = quote!(<#ty as #p::Contract>::Writes<'__a>);
            writes.fields.push((field(contract), of, value));
        }
        items.push(writes.structure(vis, &inner));
        let value = writes.value(&inner);
        parts.field("writes", quote!(#inner<'__a>), value);
    }
}

/// The budget of a view.
fn limit(p: &TokenStream, view: &View) -> TokenStream {
    match &view.budget {
        None => quote!(#p::Option::None),
        Some(budget) => quote!(#p::Option::Some(#budget)),
    }
}

/// What `HEAD` says of contracts.
pub(super) fn defs(cx: &Cx, block: &Block) -> Option<TokenStream> {
    if all(block).is_empty() {
        return None;
    }
    let p = cx.private();
    let def = |ty: &Type| {
        let ty = alias(block, ty);
        quote!(<#ty as #p::State>::DEF)
    };
    let reads = block.reads.iter().map(|view| {
        let (def, reader) = (def(&view.contract), view.reader.unraw().to_string());
        let limit = limit(&p, view);
        quote!(#p::ViewDef::new(#def, #reader, #limit))
    });
    let writes = block.writes.iter().map(def);
    let feeds = fed_contracts(block).into_iter().map(def);
    Some(quote!(.contracts(&[#(#reads),*], &[#(#writes),*], &[#(#feeds),*])))
}

/// The contracts among the states that outlive the block.
pub(super) fn lasting(cx: &Cx, block: &Block) -> Vec<TokenStream> {
    let (p, name) = (cx.private(), &block.name);
    let each = |ty: &&Type| {
        let writes = block.writes.contains(ty);
        if !writes && !block.reads.iter().any(|view| view.contract == **ty) {
            return None;
        }
        let ty = alias(block, ty);
        Some(quote!(#p::Lasting::contract(<#ty as #p::State>::DEF, #name, #writes)))
    };
    all(block).iter().filter_map(each).collect()
}

/// The checks of the views and the writes, each where it stands.
pub(super) fn checks(cx: &Cx, block: &Block) -> TokenStream {
    let (p, me) = (cx.private(), block.ident());
    let head = quote!(<#me as #p::Block>::HEAD);
    let views = block
        .reads
        .iter()
        .enumerate()
        .map(|(i, view)| check(&view.tokens, quote!(#p::check::view), &quote!(#head, #i)));
    let writes = block.writes.iter().enumerate().skip(1);
    let writes = writes.map(|(i, ty)| check(ty, quote!(#p::check::writes), &quote!(#head, #i)));
    let all = views.chain(writes).collect::<Vec<_>>();
    quote!(#(#all)*)
}

/// What a generator is shown before each step: the statements that take it, and those that say it.
pub(super) fn seen(cx: &Cx, block: &Block) -> (TokenStream, TokenStream) {
    if block.reads.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let p = cx.private();
    let once = read(block).into_iter().map(|(contract, _)| {
        let (name, ty) = (reading(contract), alias(block, contract));
        quote!(let #name = #p::Reading::<#ty>::once(__base).await?;)
    });
    let views = block.reads.iter().map(|view| {
        let (name, limit) = (reading(&view.contract), limit(&p, view));
        let reader = view.reader.unraw().to_string();
        quote!(#name.view(#reader, #limit).await?)
    });
    (quote!(#(#once)*), quote!(__run.see(#p::vec![#(#views),*]);))
}

/// Each contract that a block feeds, once.
fn fed_contracts(block: &Block) -> Vec<&Type> {
    let mut all: Vec<&Type> = Vec::new();
    for fed in &block.feeds {
        if !all.contains(&&fed.contract) {
            all.push(&fed.contract);
        }
    }
    all
}

/// The statements of `run`, and then what the block feeds.
pub(super) fn fed(cx: &Cx, block: &Block, body: &TokenStream) -> TokenStream {
    if block.feeds.is_empty() {
        return body.clone();
    }
    let p = cx.private();
    let each = fed_contracts(block).into_iter().map(|contract| {
        let ty = alias(block, contract);
        let events = block.feeds.iter().filter(|fed| fed.contract == *contract).map(|fed| {
            let Fed { reducer, function, .. } = fed;
            let span = reducer.span();
            let at = cx.private_at(span);
            let make = quote_spanned!(span=> <#ty as #at::Contract>::Reducers::#reducer);
            let (first, last) = ends(function);
            let at = cx.private_at(first);
            let events = quote_spanned!(first=> #at::events);
            let events_of = quote_spanned!(last=> (__o, #make, #function));
            quote!(#p::Extend::extend(&mut __events, #events #events_of);)
        });
        quote! {
            __fed.push({
                let mut __events: #p::Vec<#p::Event<#ty>> = #p::Vec::new();
                #(#events)*
                #p::fed(__events)
            });
        }
    });
    quote! {
        let __done: #p::Result<__Output> = async { #body }.await;
        if let #p::Result::Ok(__o) = &__done {
            #p::feed(__at, || {
                let mut __fed = #p::Vec::new();
                #(#each)*
                __fed
            });
        }
        __done
    }
}

/// What the generated documentation says.
pub(super) fn docs(block: &Block) -> Vec<String> {
    let list = |all: Vec<String>| all.join(", ");
    let mut lines = Vec::new();
    if !block.reads.is_empty() {
        let views = block.reads.iter();
        let views = views.map(|view| format!("`{}::{}`", written(&view.contract), view.reader));
        lines.push(format!("Is shown {}.", list(views.collect())));
    }
    if !block.writes.is_empty() {
        let all = block.writes.iter().map(|ty| format!("`{}`", written(ty))).collect();
        lines.push(format!("Writes {}.", list(all)));
    }
    if !block.feeds.is_empty() {
        let all = block.feeds.iter();
        let all = all.map(|fed| format!("`{}::{}`", written(&fed.contract), fed.reducer));
        lines.push(format!("Feeds {}, as a tool.", list(all.collect())));
    }
    lines
}
