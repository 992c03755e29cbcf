//! `#[capability]`: what a unit struct brings to blocks, and the functions of its `impl`.

mod brings;
mod declare;
mod functions;
mod model;

use proc_macro2::TokenStream;

use crate::cx::Cx;
use crate::data::{first, kind_of, with_bodies};

pub(crate) use functions::as_named;
#[cfg(test)]
pub(crate) use model::OPTIONS;

pub(crate) fn expand(cx: &Cx, args: TokenStream, item: TokenStream) -> TokenStream {
    match crate::data::item(item.clone()) {
        Ok(syn::Item::Struct(ty)) => declare::expand(cx, args, ty),
        Ok(syn::Item::Impl(all)) => with_bodies(functions::expand(cx, args, all)),
        Ok(other) => {
            let found = kind_of(&other);
            let text =
                format!("`#[capability]` goes on a unit struct, and on its `impl`, not on {found}");
            cx.error(first(&other), text);
            let stub = match &other {
                syn::Item::Enum(ty) if ty.generics.params.is_empty() => {
                    Some(declare::stub(cx, &ty.ident, &ty.vis, &ty.attrs))
                }
                _ => None,
            };
            quote::quote!(#item #stub)
        }
        Err(error) => {
            cx.push(error);
            item
        }
    }
}

/// The struct that `ctx.cap.<name>` is.
fn api_ident(ident: &syn::Ident) -> syn::Ident {
    let name = syn::ext::IdentExt::unraw(ident);
    syn::Ident::new(&format!("Api_{name}"), ident.span())
}
