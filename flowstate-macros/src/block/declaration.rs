//! What a block is to the user's code: a type, and a function that gives its value.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;

use super::attrs::Attrs;
use super::docs::docs;
use super::expand::quiet;
use super::model::Block;
use crate::cx::Cx;

/// The type, and the function that gives its value.
pub(super) fn declaration(cx: &Cx, block: &Block, attrs: &Attrs) -> TokenStream {
    let p = cx.private();
    let (ident, vis) = (block.ident(), &block.function.vis);
    let (on_type, cfg) = (&attrs.on_type, &attrs.cfg);
    let generated = docs(block);
    let gap = (!on_type.is_empty()).then(|| quote!(#[doc = ""]));
    let deprecated: Vec<_> =
        on_type.iter().filter(|attr| attr.path().is_ident("deprecated")).collect();
    let about = format!("The block [`{}`](struct@{}).", ident.unraw(), ident.unraw());
    if !block.config.is_empty() {
        return configured(cx, block, attrs, &generated);
    }
    quote! {
        #(#on_type)* #gap
        #[doc = #generated]
        #(#cfg)*
        #[allow(non_camel_case_types, deprecated)]
        #[derive(#p::Clone, #p::Copy, #p::Debug, #p::Default)]
        #vis struct #ident {}

        #[doc = #about]
        #(#deprecated)* #(#cfg)*
        #[must_use]
        #[allow(dead_code, non_snake_case, deprecated)]
        #vis const fn #ident() -> #ident {
            #ident {}
        }
    }
}

/// As [`declaration`], of a block with a configuration: the function takes it.
fn configured(cx: &Cx, block: &Block, attrs: &Attrs, generated: &str) -> TokenStream {
    let p = cx.private();
    let (ident, vis, quiet) = (block.ident(), &block.function.vis, quiet());
    let (on_type, cfg) = (&attrs.on_type, &attrs.cfg);
    let gap = (!on_type.is_empty()).then(|| quote!(#[doc = ""]));
    let deprecated: Vec<_> =
        on_type.iter().filter(|attr| attr.path().is_ident("deprecated")).collect();
    let about = format!("The block [`{}`](struct@{}), configured.", ident.unraw(), ident.unraw());
    let names: Vec<_> = block.config.iter().map(|config| &config.name).collect();
    let types: Vec<_> = block.config.iter().map(|config| config.plain(cx)).collect();
    let fields: Vec<_> = block.config.iter().map(|config| config.field(cx)).collect();
    let name = ident.unraw().to_string();
    quote! {
        #(#on_type)* #gap
        #[doc = #generated]
        #(#cfg)*
        #[allow(non_camel_case_types, deprecated, unused_parens)]
        #[derive(#p::Clone)]
        #vis struct #ident { #(#names: #fields),* }

        #(#cfg)*
        #quiet
        #[automatically_derived]
        impl #p::Debug for #ident {
            fn fmt(&self, f: &mut #p::Formatter<'_>) -> #p::fmt::Result {
                f.write_str(#name)
            }
        }

        #[doc = #about]
        #(#deprecated)* #(#cfg)*
        #[must_use]
        #[allow(dead_code, non_snake_case, deprecated)]
        #vis const fn #ident(#(#names: #types),*) -> #ident {
            #ident { #(#names),* }
        }
    }
}
