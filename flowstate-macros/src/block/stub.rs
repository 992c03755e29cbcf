//! What stands for a block that did not compile.

use proc_macro2::TokenStream;
use quote::quote;

use super::attrs::Attrs;
use super::context::Context;
use super::expand::{Parts, quiet};
use super::implementation::{into_block, with_ctx};
use super::model::Block;
use super::run::function;
use super::types::aliases;
use crate::cx::Cx;

/// A block that did not compile: known to all that name it, and silent. One of its errors stands for its types.
pub(super) fn stub(
    cx: &Cx,
    block: &Block,
    attrs: &Attrs,
    parts: &Parts,
    context: &Context,
) -> TokenStream {
    let p = cx.private();
    let (ident, name, quiet) = (block.ident(), &block.name, quiet());
    let (with_ctx, function) = (with_ctx(cx, block, context), function(cx, block, attrs, None));
    let (aliases, into) = (aliases(cx, block, parts), into_block(&p, ident, false));
    let unknown = cx.error_type();
    let (cfg, allow) = (&attrs.cfg, attrs.allow());
    quote! {
        #(#cfg)*
        #allow
        #[allow(unexpected_cfgs)]
        const _: () = {
            // an editor still completes what the block declares
            #[cfg(rust_analyzer)]
            const _: () = {
                use #p::Otherwise as _;
                #aliases
                #function
                #quiet
                const _: () = { #with_ctx };
            };
            #[allow(non_camel_case_types, unused_parens)]
            type __unknown = #unknown;
            #quiet
            const _: () = {
            #[automatically_derived]
            impl #p::Block for #ident {
                type Input = __unknown;
                type Output = __unknown;
                const HEAD: &'static #p::Head = &#p::Head::new(#name, #p::Kind::Broken);
                async fn run(&self, _: Self::Input, _: #p::At<'_>) -> #p::Result<Self::Output> {
                    #p::pending().await
                }
            }
            #[automatically_derived]
            impl #p::Takes<__unknown> for #ident {}
            #[automatically_derived]
            impl #p::Returns<__unknown> for #ident {}
            #into
            #[cfg(not(rust_analyzer))]
            #[automatically_derived]
            impl #p::WithCtx for #ident {
                type Ctx<'__a> = __unknown;
            }
            };
        };
    }
}
