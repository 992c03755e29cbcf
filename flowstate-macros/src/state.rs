//! `#[state]`: the attribute. It puts the derives on; the work is done by `derive(StateFields)`, behind `#[cfg]`.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::parse::Parser as _;

use crate::cx::Cx;
use crate::data::{derives, first, kind_of};
use crate::options::{self, Shape, Spec, Value};
use crate::stored::Ask;

const OPTIONS: &[Spec] = &[
    Spec { name: "key", shape: Shape::Text, on: &[] },
    Spec { name: "crate", shape: Shape::Path, on: &[] },
];

pub(crate) fn expand(cx: &Cx, args: TokenStream, item: TokenStream) -> TokenStream {
    let given = |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, OPTIONS, ""));
    let mut key = None;
    for option in given.parse2(args).unwrap_or_default() {
        match option.value {
            Value::Path(path) => cx.set_crate(path),
            Value::Text(text) if text.value().trim().is_empty() => {
                cx.error(&text, "a state's key is not empty");
            }
            Value::Text(text) => key = Some(text),
            _ => {}
        }
    }
    let mut ty = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Struct(ty)) => ty,
        Ok(other) => {
            let found = kind_of(&other);
            cx.error(
                first(&other),
                format!("`#[state]` goes on a struct with named fields, not on {found}"),
            );
            return match &other {
                syn::Item::Enum(ty) if ty.generics.params.is_empty() => {
                    stub(cx, &ty.ident, &ty.generics, &ty.attrs, &item)
                }
                _ => item,
            };
        }
        Err(error) => {
            cx.push(error);
            return item;
        }
    };
    if !matches!(ty.fields, syn::Fields::Named(_)) {
        cx.error(&ty.ident, "a state has named fields: `pub struct Note { pub text: String }`");
    }
    if ty.generics.params.iter().next().is_some() {
        cx.error(&ty.generics, "a state cannot be generic: one state is one type");
    }
    // with named fields it is still a state, so that what names it is not wrong as well
    let named = matches!(ty.fields, syn::Fields::Named(_)) && ty.generics.params.is_empty();
    for field in &mut ty.fields {
        for attr in &mut field.attrs {
            // the helper must not have the name of the attribute that programs import
            attr.meta = rename(attr.meta.to_token_stream()).unwrap_or_else(|| attr.meta.clone());
        }
        if !named {
            crate::derive::check_field(cx, field);
            field.attrs.retain(|attr| !attr.path().is_ident("flowstate"));
        }
    }
    // (what borrows is not even data)
    if !named && ty.generics.lifetimes().next().is_none() {
        return stub(cx, &ty.ident, &ty.generics, &ty.attrs, &quote!(#ty));
    }
    if !named {
        let derives = derives(cx, &ty.ident, &ty.attrs, &[]);
        return quote!(#derives #ty);
    }
    let krate = cx.krate();
    let p = cx.private();
    let derives = derives(cx, &ty.ident, &ty.attrs, &[quote!(#p::StateFields)]);
    let (owner, attrs) = (&ty.ident, &*ty.attrs);
    let mut ask = Ask { cx, owner, attrs, nested: false, names: Vec::new() };
    ask.fields(&mut ty.fields);
    let asked = ask.names;
    let key = key.map(|key| quote!(, key = #key));
    quote!(#(#asked)* #derives #[serde(default)] #[flowstate(crate = #krate #key)] #ty)
}

/// A state that cannot be one: known to all that name it, and silent.
fn stub(
    cx: &Cx,
    ident: &syn::Ident,
    generics: &syn::Generics,
    attrs: &[syn::Attribute],
    item: &TokenStream,
) -> TokenStream {
    let p = cx.private();
    let mut bounded = generics.clone();
    for param in bounded.type_params_mut() {
        param.bounds.push(syn::parse_quote!(#p::Data));
    }
    let (params, clause) = (bounded.split_for_impl().0, &generics.where_clause);
    let args = generics.split_for_impl().1;
    let derives = derives(cx, ident, attrs, &[]);
    let cfg = crate::cfg::Cfg::of(attrs);
    let unknown = cx.error_type();
    quote! {
        #derives #item
        #cfg
        #[allow(clippy::all)]
        const _: () = {
            #[allow(non_camel_case_types)]
            type __unknown = #unknown;
            #[automatically_derived]
            impl #params #p::Default for #ident #args #clause {
                fn default() -> Self { loop {} }
            }
            #[automatically_derived]
            impl #params #p::State for #ident #args #clause {
                const DEF: &'static #p::StateDef = &#p::StateDef::new("", "", "", &[]);
                type Handle<'__a, __A: #p::Access, __R: '__a> = __unknown;
                fn handle<'__a, __A: #p::Access, __R: '__a>(
                    _: #p::Tail<'__a, __A, Self, __R>,
                ) -> __unknown { loop {} }
                fn same(&self, _: &Self) -> bool { true }
            }
        };
    }
}

/// `#[state(…)]` as `#[flowstate(…)]`, also inside `cfg_attr`.
fn rename(meta: TokenStream) -> Option<syn::Meta> {
    let mut tokens: Vec<TokenTree> = meta.into_iter().collect();
    match tokens.first_mut()? {
        TokenTree::Ident(ident) if *ident == "state" => {
            *ident = proc_macro2::Ident::new("flowstate", ident.span());
        }
        TokenTree::Ident(ident) if *ident == "cfg_attr" => {
            for token in &mut tokens {
                if let TokenTree::Group(group) = token {
                    let inside = group.stream().into_iter().map(|token| match token {
                        TokenTree::Ident(ident) if ident == "state" => {
                            proc_macro2::Ident::new("flowstate", ident.span()).into()
                        }
                        other => other,
                    });
                    let mut renamed = Group::new(group.delimiter(), inside.collect());
                    renamed.set_span(group.span());
                    *token = renamed.into();
                }
            }
        }
        _ => return None,
    }
    syn::parse2(tokens.into_iter().collect()).ok()
}
