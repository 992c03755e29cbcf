//! `#[contract]`: reducers, readers and checks of a state, on an `impl` of it.

mod expand;
mod model;

use proc_macro2::TokenStream;

use crate::cx::Cx;
use crate::data::{first, item, kind_of, with_bodies};

#[cfg(test)]
pub(crate) use model::OPTIONS;

pub(crate) fn expand(cx: &Cx, args: TokenStream, tokens: TokenStream) -> TokenStream {
    match item(tokens.clone()) {
        Ok(syn::Item::Impl(all)) => {
            let contract = model::model(cx, args, all);
            with_bodies(expand::expand(cx, &contract))
        }
        Ok(other) => {
            let found = kind_of(&other);
            let text = format!(
                "`#[contract]` goes on an `impl` of a state, where its reducers and readers are, not on {found}"
            );
            cx.error(first(&other), text);
            tokens
        }
        Err(error) => {
            cx.push(error);
            tokens
        }
    }
}
