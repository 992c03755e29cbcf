//! The function under `#[block]`: attributes, signature, and its body as tokens.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Signature, Visibility};

use crate::cx::Cx;
use crate::data::{first, kind_of};

pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    /// With its braces; not parsed, so that a half-typed body stops nothing else.
    pub(crate) body: TokenStream,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let sig = input.parse()?;
        Ok(Self { attrs, vis, sig, body: input.parse()? })
    }
}

pub(crate) fn parse(cx: &Cx, item: TokenStream) -> Option<Function> {
    match syn::parse2::<Function>(item.clone()) {
        Ok(function) => match function.sig.receiver() {
            Some(receiver) => {
                cx.error(receiver, "a block is a free function: it cannot be a method");
                None
            }
            None => Some(function),
        },
        Err(error) => {
            match syn::parse2::<syn::Item>(item) {
                Ok(other) => {
                    let found = kind_of(&other);
                    cx.error(
                        first(&other),
                        format!("`#[block]` goes on a function, not on {found}"),
                    );
                }
                Err(_) => cx.push(error),
            }
            None
        }
    }
}
