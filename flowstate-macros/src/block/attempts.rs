//! `timeout` and `retry`: how long one attempt may take, and how many there are.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprLit, Lit};

use crate::cx::{Cx, ends};
use crate::text::suggestion;

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
    if seen.iter().all(|name| name != "max" && RETRY.contains(&name.as_str())) {
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
