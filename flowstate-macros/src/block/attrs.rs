//! The attributes that stand on a block's function.

use proc_macro2::TokenStream;
use quote::quote;

use super::model::Block;

/// The function's attributes, by where they belong.
pub(super) struct Attrs {
    /// Documentation and deprecation, for the block.
    pub(super) on_type: Vec<syn::Attribute>,
    pub(super) cfg: Vec<syn::Attribute>,
    /// The others, for the function itself.
    pub(super) on_function: Vec<syn::Attribute>,
}

impl Attrs {
    pub(super) fn of(block: &Block) -> Self {
        let mut out = Self { on_type: Vec::new(), cfg: Vec::new(), on_function: Vec::new() };
        for attr in &block.function.attrs {
            let path = attr.path();
            let to = if path.is_ident("cfg") {
                &mut out.cfg
            } else if path.is_ident("doc") || path.is_ident("deprecated") {
                &mut out.on_type
            } else {
                &mut out.on_function
            };
            to.push(attr.clone());
        }
        out
    }

    /// Where the block is deprecated, what is written of it need not say so.
    pub(super) fn allow(&self) -> Option<TokenStream> {
        let deprecated = self.on_type.iter().any(|attr| attr.path().is_ident("deprecated"));
        deprecated.then(|| quote!(#[allow(deprecated)]))
    }

    /// The doc comment as one text.
    pub(super) fn description(&self) -> String {
        let line = |attr: &syn::Attribute| match &attr.meta {
            syn::Meta::NameValue(doc) => match &doc.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
                    Some(text.value().trim().to_owned())
                }
                _ => None,
            },
            _ => None,
        };
        self.on_type.iter().filter_map(line).collect::<Vec<_>>().join("\n").trim().to_owned()
    }
}
