//! `#[cfg(…)]` on a part of what a macro reads: what is made of that part is there under the same condition.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Attribute;

/// When something is there: one of these conditions holds. None of them: always.
#[derive(Clone, Default)]
pub(crate) struct Cfg(Vec<TokenStream>);

impl Cfg {
    /// Where all of these conditions hold.
    pub(crate) fn all(conditions: &[TokenStream]) -> Self {
        match conditions {
            [] => Self::default(),
            all => Self(vec![quote!(all(#(#all),*))]),
        }
    }

    pub(crate) fn of(attrs: &[Attribute]) -> Self {
        let cfg = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
        let lists = cfg.filter_map(|attr| attr.meta.require_list().ok());
        Self::all(&lists.map(|list| list.tokens.clone()).collect::<Vec<_>>())
    }

    pub(crate) fn is_always(&self) -> bool {
        self.0.is_empty()
    }

    /// There under one condition, and there under another.
    pub(crate) fn or(&mut self, other: &Self) {
        if self.is_always() || other.is_always() {
            self.0.clear();
        } else {
            self.0.extend(other.0.iter().cloned());
        }
    }

    /// Where it is not there.
    pub(crate) fn not(&self) -> TokenStream {
        let any = &self.0;
        quote!(#[cfg(not(any(#(#any),*)))])
    }
}

impl ToTokens for Cfg {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if !self.is_always() {
            let any = &self.0;
            tokens.extend(quote!(#[cfg(any(#(#any),*))]));
        }
    }
}
