//! The blocks of an operation as values, at the user's places.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;

use super::Writer;
use crate::block::{alias, lowered};
use crate::chain::model::BlockRef;
use crate::cx::{ends, placed_at};
use crate::text::written;

impl Writer<'_> {
    /// The name under which generated code knows a block that is a plain path.
    pub(super) fn alias(&self, step: &Expr, at: &impl ToTokens) -> syn::Ident {
        let text = written(step);
        let known = self.children.iter().position(|child| written(&child.expr) == text);
        alias(known.unwrap_or_default(), at)
    }

    /// The value of a block that is a plain path. A type is named, never a value: a wrong name gives one error.
    pub(super) fn unit(&self, step: &Expr, at: &impl ToTokens) -> TokenStream {
        let step = self.alias(step, at);
        let (first, last) = ends(at);
        let p = self.cx.private_at(first);
        let head = quote_spanned!(first=> <#step as #p::ByName>::by_name);
        let call = quote_spanned!(last=> ());
        quote!(#head #call)
    }

    /// A copy of the value, at the place of the block that takes it: where it cannot be cloned, the block says so.
    pub(super) fn copied(&self, block: &BlockRef) -> TokenStream {
        let (span, _) = ends(&block.expr);
        let p = self.cx.private_at(span);
        quote_spanned!(self.block.at(span)=> #p::Clone::clone(&__v))
    }

    /// A reference to a block's value.
    pub(super) fn value(&self, block: &BlockRef) -> TokenStream {
        let (span, _) = ends(&block.expr);
        let value = self.owned(block);
        quote_spanned!(span=> &#value)
    }

    /// A block's value.
    pub(super) fn owned(&self, block: &BlockRef) -> TokenStream {
        match &block.expr {
            Expr::Path(path) => self.unit(&block.expr, path),
            other => {
                let (span, _) = ends(other);
                let p = self.cx.private_at(span);
                let text = written(other);
                let known = self.children.iter().position(|child| written(&child.expr) == text);
                let made = lowered(self.cx, known.unwrap_or_default(), other);
                quote_spanned!(span=> #p::IntoBlock::into_block(#made))
            }
        }
    }
}

/// An argument at the place of a block, so that it is the block which does not fit.
pub(super) fn placed(block: &BlockRef, argument: TokenStream) -> TokenStream {
    placed_at(ends(&block.expr).0, argument)
}
