//! `derive(AsBlock)`: what a block that is written by hand has in common with those of `#[block]`.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use crate::cx::Cx;

pub(crate) fn expand(cx: &Cx, item: TokenStream) -> TokenStream {
    let ty: syn::DeriveInput = match syn::parse2(item) {
        Ok(ty) => ty,
        Err(error) => {
            cx.push(error);
            return TokenStream::new();
        }
    };
    for attr in ty.attrs.iter().filter(|attr| attr.path().is_ident("block")) {
        let read = attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("there is only `crate = path`"));
            }
            cx.set_crate(syn::Path::parse_mod_style(meta.value()?)?);
            Ok(())
        });
        if let Err(error) = read {
            cx.push(error);
        }
    }
    if !ty.generics.params.is_empty() {
        cx.error(&ty.generics, "`derive(AsBlock)` is for types without parameters");
        return TokenStream::new();
    }
    let ident = &ty.ident;
    // all of it at the type's name: what it lacks is said once
    let span = ident.span();
    let p = cx.private_at(span);
    quote_spanned! {span=>
            #[automatically_derived]
            impl #p::IntoBlock for #ident {
                type Block = Self;
            type Attempt = #p::Tried;
                fn into_block(self) -> Self {
                    self
                }
            }
            #[automatically_derived]
            impl #p::Takes<<#ident as #p::Block>::Input> for #ident {}
            #[automatically_derived]
            impl #p::Returns<<#ident as #p::Block>::Output> for #ident {}
    }
}
