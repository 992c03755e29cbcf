//! The option `cacheable`: how outputs of a tool are kept.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprPath};

use super::attempts::duration_of;
use super::model::Block;
use crate::cx::{Cx, ends};
use crate::text::{plain_expr, suggestion, written};

pub(crate) struct Caching {
    /// The option's name.
    at: Ident,
    /// In milliseconds.
    ttl: u64,
    session: bool,
    key: Option<ExprPath>,
}

const ARGS: &[&str] = &["ttl", "scope", "key"];
const SCOPES: &[&str] = &["request", "session"];

pub(super) fn read(
    cx: &Cx,
    block: &Block,
    key: &Ident,
    args: Vec<(Ident, Expr)>,
) -> Option<Caching> {
    if !block.config.is_empty() {
        cx.error(
            key,
            "a block with `#[config]` cannot be `cacheable`: two of them take the same input and give other outputs",
        );
        return None;
    }
    let mut out = Caching { at: key.clone(), ttl: 300_000, session: false, key: None };
    let mut seen: Vec<String> = Vec::new();
    for (name, value) in args {
        let text = name.to_string();
        if seen.contains(&text) {
            cx.error(&name, format!("`{text}` is given twice"));
            continue;
        }
        match (text.as_str(), plain_expr(value)) {
            ("ttl", value) => out.ttl = duration_of(cx, &value).unwrap_or_default(),
            ("scope", value) => match word(&value) {
                Some(word) if word == "session" => out.session = true,
                Some(word) if word == "request" => {}
                word => {
                    let word = word.map(ToString::to_string).unwrap_or_default();
                    let text = "outputs are not kept for this";
                    cx.error(value, format!("{text}{}", suggestion(&word, SCOPES)));
                }
            },
            ("key", Expr::Path(path)) => out.key = Some(path),
            ("key", other) => {
                cx.error(other, "`key` is the path of a function of the input: `fn key(input: &Input) -> String`");
            }
            _ => cx.error(&name, format!("`cacheable` has no `{text}`{}", suggestion(&text, ARGS))),
        }
        seen.push(text);
    }
    Some(out)
}

/// A kept output is given without a run, and what a run would have written is not written.
pub(super) fn check(cx: &Cx, block: &Block) {
    let (Some(caching), Some(contract)) = (
        &block.caching,
        block.writes.first().or_else(|| block.feeds.first().map(|fed| &fed.contract)),
    ) else {
        return;
    };
    let contract = written(contract);
    cx.error(
        &caching.at,
        format!(
            "a block that changes the contract `{contract}` cannot be `cacheable`: where its output is kept it does not \
             run, and nothing is written\nhelp: leave out `cacheable`, or write `{contract}` in a block of its own"
        ),
    );
}

fn word(value: &Expr) -> Option<&Ident> {
    match value {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// The method that says so.
pub(super) fn method(cx: &Cx, caching: &Caching) -> TokenStream {
    let p = cx.private();
    let Caching { ttl, session, key, .. } = caching;
    let key = match key {
        None => quote!(#p::cache_key),
        Some(path) => {
            let span = ends(path).0;
            let input = Ident::new("__input", span);
            let p = cx.private_at(span);
            // the whole call at the path: what does not fit is said there
            let call = quote_spanned!(span=> #p::cache_key(&#path(#input)));
            quote!(|#input| #call)
        }
    };
    quote! {
        fn caching(&self) -> #p::Option<#p::Caching<Self::Input>> {
            #p::Option::Some(#p::Caching {
                ttl: #p::Duration::from_millis(#ttl), session: #session, key: #key,
            })
        }
    }
}
