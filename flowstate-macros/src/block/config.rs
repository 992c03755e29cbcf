//! Arguments with `#[config]`: a block's configuration.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{FnArg, Pat, PatIdent, Type};

use super::function::Function;
use super::types::is_data;
use crate::cx::{Cx, ends, only_here};
use crate::text::{plain, written};

/// An argument with `#[config]`: a part of the block's value.
pub(crate) struct Config {
    pub(crate) name: Ident,
    /// The type of the block's field.
    pub(crate) ty: Type,
    /// Whether the function borrows it: then the field is what this type is borrowed from.
    pub(crate) borrowed: bool,
}

impl Config {
    /// The type of the block's field.
    pub(crate) fn plain(&self, cx: &Cx) -> TokenStream {
        let ty = &self.ty;
        let (span, _) = ends(ty);
        let p = cx.private_at(span);
        match self.borrowed {
            true => quote_spanned!(span=> <#ty as #p::ToOwned>::Owned),
            false => quote!(#ty),
        }
    }

    /// The same, where it is declared: what is wrong with it is said here.
    pub(crate) fn field(&self, cx: &Cx) -> TokenStream {
        let ty = &self.ty;
        if self.borrowed || is_data(ty) {
            return self.plain(cx);
        }
        let text = format!(
            "`{}` cannot configure a block\nhelp: a block is cloned, and shared among threads: so is what it is made \
             of (Clone, Send, Sync)",
            written(ty),
        );
        only_here(cx, ty, "CONFIG", &text)
    }

    /// The argument, out of the block's value.
    pub(crate) fn value(&self, cx: &Cx) -> TokenStream {
        let (name, span) = (&self.name, ends(&self.ty).0);
        let p = cx.private_at(span);
        if self.borrowed {
            let ty = &self.ty;
            let borrow = quote_spanned!(span=> #p::Borrow::<#ty>::borrow);
            return quote!(#borrow(&self.#name));
        }
        // as a method: of a field whose type is wrong nothing more is said
        quote!({ #[allow(unused_imports)] use #p::Clone as _; self.#name.clone() })
    }
}

/// Takes the arguments with `#[config]` off the signature.
pub(super) fn config(cx: &Cx, function: &mut Function) -> Vec<Config> {
    let mut config: Vec<Config> = Vec::new();
    let inputs = std::mem::take(&mut function.sig.inputs);
    for arg in inputs {
        let is_config = |attr: &syn::Attribute| attr.path().is_ident("config");
        let FnArg::Typed(typed) = &arg else {
            function.sig.inputs.push(arg);
            continue;
        };
        let Some(attr) = typed.attrs.iter().find(|attr| is_config(attr)) else {
            function.sig.inputs.push(arg);
            continue;
        };
        if attr.meta.require_path_only().is_err() {
            cx.error(attr, "`#[config]` stands alone, without arguments");
        }
        let Pat::Ident(PatIdent { ident, by_ref: None, subpat: None, .. }) = &*typed.pat else {
            cx.error(
                &typed.pat,
                "a part of the configuration has a name: `#[config] style: Style`",
            );
            continue;
        };
        if config.iter().any(|other| other.name == *ident) {
            cx.error(ident, format!("two arguments are named `{ident}`"));
            continue;
        }
        let (ty, borrowed) = match plain(&typed.ty) {
            ty @ Type::Reference(by)
                if by.lifetime.as_ref().is_some_and(|l| l.ident == "static") =>
            {
                (ty.clone(), false)
            }
            Type::Reference(by) if by.mutability.is_none() => ((*by.elem).clone(), true),
            Type::ImplTrait(_) | Type::Reference(_) | Type::Infer(_) => {
                cx.error(&typed.ty, "a part of the configuration is one type, by value or by `&`");
                continue;
            }
            ty => (ty.clone(), false),
        };
        config.push(Config { name: ident.clone(), ty, borrowed });
    }
    config
}
