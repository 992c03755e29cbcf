//! Names for the types that a block mentions: each is checked once, and silent wherever it is used.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{PathArguments, Type};

use super::docs::{self, input, output};
use super::expand::Parts;
use super::model::{Block, Kind};
use super::{contracts, generator, router, uses, written};
use crate::cx::{Cx, ends, only};
use crate::text::{last_name, plain, written as text};

/// The types `__state0`, `__step0`, …, `__Input`, `__Returned` and `__Output`.
pub(super) fn aliases(cx: &Cx, block: &Block, parts: &Parts) -> TokenStream {
    let states = block.states().aliases(cx);
    let contracts = contracts::aliases(cx, block);
    let uses = uses::aliases(cx, &block.uses, &syn::Visibility::Inherited);
    let steps = written::aliases(cx, &parts.children, &parts.asked);
    let taken = taken(cx, block);
    let (returned, given) = given(cx, block);
    let output = match block.kind {
        Kind::Router => router::output(cx, block, &parts.children),
        _ => quote!(#[allow(non_camel_case_types, unused_parens)] type __Output = #given;),
    };
    quote! {
        #states
        #contracts
        #uses
        #steps
        #[allow(non_camel_case_types, unused_parens)] type __Input = #taken;
        #[allow(dead_code, non_camel_case_types, unused_parens)] type __Returned = #returned;
        #output
    }
}

/// The input's type.
fn taken(cx: &Cx, block: &Block) -> TokenStream {
    let Some(ty) = &block.input else {
        return quote!(());
    };
    let message = not_data(block, "takes", &input(block));
    if block.borrowed {
        let (span, _) = ends(ty);
        let (p, ty) = (cx.private_at(span), only(cx, ty, "BORROWED", &message));
        return quote_spanned!(span=> <#ty as #p::ToOwned>::Owned);
    }
    if is_data(ty) { quote!(#ty) } else { only(cx, ty, "DATA", &message) }
}

/// What the function returns, and what comes out of the block.
fn given(cx: &Cx, block: &Block) -> (TokenStream, TokenStream) {
    let (ret, value) = (block.returns(), output(block));
    let message = not_data(block, "returns", &text(&value));
    if block.kind == Kind::Chain {
        let given = if is_data(&ret) { quote!(#ret) } else { only(cx, &ret, "DATA", &message) };
        return (quote!(#ret), given);
    }
    let returned = returned(cx, &ret);
    if block.kind == Kind::Generator && generator::is_text(&docs::returned(block)) {
        let p = cx.private();
        return (returned, quote!(#p::String));
    }
    if block.kind == Kind::Router {
        // its output is that of its routes
        return (returned, TokenStream::new());
    }
    if block.kind == Kind::Generator || is_plain_result(&ret) {
        let given =
            if is_data(&value) { quote!(#value) } else { only(cx, &value, "DATA", &message) };
        return (returned, given);
    }
    let (span, _) = ends(&ret);
    let p = cx.private_at(span);
    let ok = quote_spanned!(span=> <__Returned as #p::BlockResult>::Ok);
    let given = if is_data(&value) { ok } else { only(cx, &ok, "DATA", &message) };
    (returned, given)
}

fn returned(cx: &Cx, ret: &Type) -> TokenStream {
    let written = text(ret);
    if is_plain_result(ret) {
        return quote!(#ret);
    }
    let message = if last_name(ret).as_deref() == Some("Result") {
        format!(
            "the error type of `{written}` is not an error\nhelp: implement `std::error::Error` for it, or write \
             `Result<…>` of flowstate, which takes any error by `?`"
        )
    } else {
        format!(
            "a block returns `Result<…>`, not `{written}`\nhelp: write `Result<{written}>`, and `Ok(…)` round the \
             value"
        )
    };
    only(cx, ret, "RESULT", &message)
}

/// Whether it is the `Result<T>` of a crate, whose error is one: asking the compiler takes time.
pub(super) fn is_plain_result(ty: &Type) -> bool {
    let Type::Path(path) = plain(ty) else { return false };
    path.path.segments.last().is_some_and(|last| match &last.arguments {
        PathArguments::AngleBracketed(given) => last.ident == "Result" && given.args.len() == 1,
        _ => false,
    })
}

fn not_data(block: &Block, verb: &str, ty: &str) -> String {
    let name = block.ident().unraw();
    format!(
        "`{name}` {verb} `{ty}`, which cannot go in or out of a block\nhelp: put `#[data]` on the declaration of the \
         type, or derive Clone, Serialize, Deserialize and JsonSchema"
    )
}

/// Whether a type is known to be data, by its name: asking the compiler takes time.
pub(crate) fn is_data(ty: &Type) -> bool {
    const KNOWN: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32",
        "u64", "usize", "String",
    ];
    match plain(ty) {
        Type::Tuple(tuple) => tuple.elems.is_empty(),
        Type::Path(path) => KNOWN.iter().any(|name| path.path.is_ident(name)),
        _ => false,
    }
}

/// The input as the user wrote it, which is what messages show.
pub(super) fn written_input(p: &TokenStream, block: &Block) -> TokenStream {
    match &block.input {
        None => quote!(()),
        Some(ty) if !block.borrowed => quote!(#ty),
        Some(Type::Slice(slice)) => {
            let item = &slice.elem;
            quote!(#p::Vec<#item>)
        }
        Some(ty) => match last_name(ty).as_deref() {
            Some("str") => quote!(#p::String),
            Some("Path" | "OsStr" | "CStr") => quote!(__Input),
            _ => quote!(#ty),
        },
    }
}
