//! What a contract becomes: the `impl` as it is, the rules, and the types behind `ctx.writes`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;

use super::model::{Contract, Reducer};
use crate::block::{is_data, quiet};
use crate::cx::{Cx, only, placed_at, respan};
use crate::text::written;

pub(super) fn expand(cx: &Cx, contract: &Contract) -> TokenStream {
    let item = &contract.item;
    if item.trait_.is_some() || !item.generics.params.is_empty() {
        return quote!(#item);
    }
    let (p, ty) = (cx.private(), &contract.ty);
    let quiet = quiet();
    let state = {
        let help = format!("put `#[state]` on the declaration of `{}`", contract.name);
        only(cx, ty, "STATE", &format!("`{}` is not a state\nhelp: {help}", contract.name))
    };
    let (def, rules) = (def(&p, contract, cx.failed()), rules(&p, contract, cx.failed()));
    let inside = if cx.failed() { stub(cx, contract) } else { types(cx, contract) };
    let cfg = item.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    quote! {
        #item
        #(#cfg)*
        #quiet
        #[allow(unused_parens)]
        const _: () = {
            #[allow(unused_imports)]
            use #p::Otherwise as _;
            #[allow(non_camel_case_types, unused_parens)]
            type __state = #state;
            static __DEF: #p::ContractDef = #def;
            impl #p::Contracted for #ty {
                const RULES: &'static #p::Rules<#ty> = &#rules;
                type Itself = __state;
            }
            #inside
        };
    }
}

fn def(p: &TokenStream, contract: &Contract, failed: bool) -> TokenStream {
    let (version, scope) = (contract.version, format_ident!("{}", contract.scope));
    let reducers = contract.reducers.iter().map(|reducer| {
        let (cfg, name) = (&reducer.cfg, reducer.name.unraw().to_string());
        quote!(#cfg #name)
    });
    let readers = contract.readers.iter().map(|reader| {
        let (cfg, name) = (&reader.cfg, reader.name.unraw().to_string());
        quote!(#cfg #name)
    });
    let initial = match failed {
        true => quote!(|| #p::StdResult::Ok(())),
        false => quote!(#p::initial_holds::<__state>),
    };
    quote! {
        #p::ContractDef::new(
            #p::Reach::#scope, #version, &[#(#reducers),*], &[#(#readers),*], #initial,
        )
    }
}

fn rules(p: &TokenStream, contract: &Contract, failed: bool) -> TokenStream {
    let ty = &contract.ty;
    if failed {
        return quote! {
            #p::Rules {
                def: &__DEF, check: |_| #p::StdResult::Ok(()), migrations: &[], repair: #p::Option::None,
            }
        };
    }
    let check = match &contract.validate {
        Some(check) => {
            let checked = quote_spanned!(check.span()=> #p::Reduced::reduced(__s.#check()));
            quote!(|__s: &#ty| #checked)
        }
        None => quote!(|_| #p::StdResult::Ok(())),
    };
    let mends = |name: &Ident| {
        let function = respan(quote!(<#ty>::#name), name.span());
        quote!({
            let __mend: fn(#p::Value) -> #p::Value = #function;
            __mend
        })
    };
    let migrations = contract.migrations.iter().map(|(from, name)| {
        let mends = mends(name);
        quote!((#from, #mends))
    });
    let repair = match &contract.repair {
        Some(repair) => {
            let mends = mends(repair);
            quote!(#p::Option::Some(#mends))
        }
        None => quote!(#p::Option::None),
    };
    quote! {
        #p::Rules { def: &__DEF, check: #check, migrations: &[#(#migrations),*], repair: #repair }
    }
}

fn types(cx: &Cx, contract: &Contract) -> TokenStream {
    let p = &cx.private();
    let (ty, name) = (&contract.ty, &contract.name);
    let [reducers, writes, batch] =
        ["Reducers_of", "Writes", "Batch"].map(|what| format_ident!("{}_{}", what, name));
    let made = contract.reducers.iter().map(|reducer| made(cx, contract, reducer));
    let called = contract.reducers.iter().map(|reducer| {
        let Reducer { name, docs, cfg, .. } = reducer;
        let (args, payload) = (args(reducer), payload(reducer));
        quote! {
            #cfg #(#docs)*
            pub fn #name(&self, #args) -> #p::Write<'__a, bool> {
                self.its_reducers_are_methods.commit(#p::vec![#reducers::#name(#payload)])
            }
        }
    });
    let batched = contract.reducers.iter().map(|reducer| {
        let Reducer { name, docs, cfg, .. } = reducer;
        let (args, payload) = (args(reducer), payload(reducer));
        quote! {
            #cfg #(#docs)*
            pub fn #name(mut self, #args) -> Self {
                self.0.1.push(#reducers::#name(#payload));
                self
            }
        }
    });
    let rendered = contract.readers.iter().map(|reader| {
        let (cfg, name) = (&reader.cfg, &reader.name);
        let text = name.unraw().to_string();
        let budget = reader.budget.then(|| quote!(__budget));
        quote!(#cfg #text => self.#name(#budget),)
    });
    quote! {
        pub struct #reducers;

        impl #reducers { #(#made)* }

        #[derive(#p::Debug)]
        pub struct #writes<'__a> {
            its_reducers_are_methods: #p::Writer<'__a, #ty>,
        }

        #[derive(#p::Debug)]
        #[must_use = "a batch is stored by `commit`"]
        pub struct #batch<'__a>(#p::Batch<'__a, #ty>);

        impl<'__a> #writes<'__a> {
            #(#called)*

            /// Several updates, which are stored together or not at all.
            pub fn batch(&self) -> #batch<'__a> {
                #batch(#p::Batch(#p::Clone::clone(&self.its_reducers_are_methods), #p::Vec::new()))
            }

            /// Makes this block the only one of the request that writes the contract, if none is; else it may read it.
            pub async fn open(&self) -> #p::Result<#p::Opened<#writes<'__a>, #p::Reader<'__a, #ty>>> {
                self.its_reducers_are_methods.open().await
            }
        }

        impl<'__a> #batch<'__a> {
            #(#batched)*

            /// Stores what the updates make of the value, if each of them holds.
            pub fn commit(self) -> #p::Write<'__a, bool> {
                self.0.0.commit(self.0.1)
            }
        }

        impl #p::Contract for #ty where __state: #p::Sized {
            type Reducers = #reducers;
            type Writes<'__a> = #writes<'__a>;
            type Batch<'__a> = #batch<'__a>;
            fn writes(__w: #p::Writer<'_, Self>) -> #writes<'_> {
                #writes { its_reducers_are_methods: __w }
            }
            fn render(&self, __reader: &#p::str, __budget: #p::u32) -> #p::String {
                match __reader {
                    #(#rendered)*
                    _ => #p::String::new(),
                }
            }
        }
    }
}

/// The function that makes an update of what a reducer is given.
fn made(cx: &Cx, contract: &Contract, reducer: &Reducer) -> TokenStream {
    let (p, ty) = (cx.private(), &contract.ty);
    let Reducer { name, args, cfg, returns, .. } = reducer;
    let text = name.unraw().to_string();
    let names: Vec<_> = args.iter().map(|(name, _)| name).collect();
    let types = args.iter().map(|(_, ty)| {
        let help = "it is kept, since the reducer may run again: it is Clone, Send and Sync";
        let text = format!("`{}` cannot be given to a reducer\nhelp: {help}", written(ty));
        if is_data(ty) { quote!(#ty) } else { only(cx, ty, "CONFIG", &text) }
    });
    let (given, taken) = match args.len() {
        1 => (quote!(#(#names)*), quote!(#(#types)*)),
        _ => (quote!((#(#names),*)), quote!((#(#types),*))),
    };
    let call = quote!(__s.#name(#(#names),*));
    let at = cx.private_at(*returns);
    let reduced = quote_spanned!(*returns=> #at::Reduced::reduced);
    let call = placed_at(*returns, call);
    quote! {
        #cfg
        pub fn #name(#given: #taken) -> #p::Event<#ty> {
            #p::Event::new(#text, (#(#names,)*), |__s: &mut #ty, (#(#names,)*)| #reduced(#call))
        }
    }
}

fn args(reducer: &Reducer) -> TokenStream {
    let each = reducer.args.iter().map(|(name, ty)| quote!(#name: #ty));
    quote!(#(#each),*)
}

fn payload(reducer: &Reducer) -> TokenStream {
    let names: Vec<_> = reducer.args.iter().map(|(name, _)| name).collect();
    match &names[..] {
        [name] => quote!(#name),
        all => quote!((#(#all),*)),
    }
}

/// A contract that did not compile: known to all that name it, and silent.
fn stub(cx: &Cx, contract: &Contract) -> TokenStream {
    let (p, ty) = (cx.private(), &contract.ty);
    let unknown = cx.error_type();
    quote! {
        #[allow(non_camel_case_types)]
        type __unknown = #unknown;
        impl #p::Contract for #ty where __state: #p::Sized {
            type Reducers = __unknown;
            type Writes<'__a> = __unknown;
            type Batch<'__a> = __unknown;
            fn writes(_: #p::Writer<'_, Self>) -> __unknown { loop {} }
            fn render(&self, _: &#p::str, _: #p::u32) -> #p::String { loop {} }
        }
    }
}
