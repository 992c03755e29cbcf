//! The state types that an item mentions, and the names that generated code has for them.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Type;

use crate::block::at_macro;
use crate::cx::{Cx, ends, only};
use crate::options::Reads;
use crate::text::written;

/// All state types of an item, each once.
#[derive(Clone)]
pub(crate) struct States<'a>(Vec<&'a Type>);

impl<'a> States<'a> {
    pub(crate) fn of(types: impl Iterator<Item = &'a Type>) -> Self {
        let mut all = Vec::new();
        for ty in types {
            if !all.contains(&ty) {
                all.push(ty);
            }
        }
        Self(all)
    }

    /// The name under which generated code knows a state type.
    pub(crate) fn alias(&self, ty: &Type) -> Ident {
        let index = self.0.iter().position(|known| *known == ty).unwrap_or_default();
        Ident::new(&format!("__state{index}"), ends(ty).0)
    }

    /// The type of a set of states: `()`, `One<S>`, `(One<S>, …)`.
    pub(crate) fn set(&self, p: &TokenStream, types: &[Type]) -> TokenStream {
        match types {
            [] => quote!(()),
            [ty] => {
                let ty = self.alias(ty);
                quote!(#p::One<#ty>)
            }
            [ty, rest @ ..] => {
                let (ty, rest) = (self.alias(ty), self.set(p, rest));
                quote!((#p::One<#ty>, #rest))
            }
        }
    }

    /// `__state0` and so on: each type is asked once whether it is a state.
    pub(crate) fn aliases(&self, cx: &Cx) -> TokenStream {
        let each = self.0.iter().map(|ty| {
            let (name, written) = (at_macro(self.alias(ty)), written(ty));
            let help = format!("put `#[state]` on the declaration of `{written}`");
            let message = format!("`{written}` is not a state\nhelp: {help}");
            let state = only(cx, ty, "HELD", &message);
            quote!(#[allow(non_camel_case_types, unused_parens)] type #name = #state;)
        });
        quote!(#(#each)*)
    }

    /// The definition of a state.
    pub(crate) fn def(&self, cx: &Cx, ty: &Type) -> TokenStream {
        let span = syn::spanned::Spanned::span(ty);
        let p = cx.private_at(span);
        let ty = self.alias(ty);
        quote::quote_spanned!(span=> <#ty as #p::State>::DEF)
    }

    /// The definitions of what is read.
    pub(crate) fn reads(&self, cx: &Cx, reads: &Reads) -> TokenStream {
        let (p, optional) = (cx.private(), reads.optional);
        let each = reads.types.iter().map(|ty| {
            let state = self.def(cx, ty);
            quote!(#p::Reads { state: #state, optional: #optional })
        });
        quote!(#(#each),*)
    }

    /// The definitions of named targets.
    pub(crate) fn targets(&self, cx: &Cx, targets: &[(Ident, Reads)]) -> TokenStream {
        let p = cx.private();
        let each = targets.iter().map(|(name, found)| {
            let name = syn::ext::IdentExt::unraw(name).to_string();
            let reads = self.reads(cx, found);
            quote!(#p::Target { name: #name, reads: #reads })
        });
        quote!(#(#each),*)
    }
}
