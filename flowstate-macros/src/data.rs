//! `#[data]`: the derives of a value that goes in and out of blocks.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::parse::Parser as _;

use crate::cx::Cx;
use crate::options::{self, Shape, Spec, Value};
use crate::stored::{Ask, is_plain};
use crate::text::written;

const OPTIONS: &[Spec] = &[Spec { name: "crate", shape: Shape::Path, on: &[] }];

pub(crate) fn expand(cx: &Cx, args: TokenStream, item: TokenStream) -> TokenStream {
    let given = |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, OPTIONS, ""));
    for option in given.parse2(args).unwrap_or_default() {
        if let Value::Path(path) = option.value {
            cx.set_crate(path);
        }
    }
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Struct(mut ty)) => {
            let derives = derives(cx, &ty.ident, &ty.attrs, &[]);
            let names = fields(cx, &ty);
            let asked = ask(cx, &ty.ident, &ty.attrs, &ty.generics, [&mut ty.fields]);
            quote!(#asked #derives #ty #names)
        }
        Ok(syn::Item::Enum(mut ty)) => {
            let derives = derives(cx, &ty.ident, &ty.attrs, &[]);
            let plain = ty.variants.iter_mut().filter(|variant| is_plain(&variant.attrs));
            let fields = plain.map(|variant| &mut variant.fields);
            let asked = ask(cx, &ty.ident, &ty.attrs, &ty.generics, fields);
            quote!(#asked #derives #ty)
        }
        Ok(other) => {
            let found = kind_of(&other);
            cx.error(
                first(&other),
                format!("`#[data]` goes on a struct or an enum, not on {found}"),
            );
            item
        }
        Err(error) => {
            cx.push(error);
            item
        }
    }
}

/// Asks of the fields whether they are data.
fn ask<'f>(
    cx: &Cx,
    owner: &syn::Ident,
    attrs: &[syn::Attribute],
    generics: &syn::Generics,
    all: impl IntoIterator<Item = &'f mut syn::Fields>,
) -> TokenStream {
    let mut ask = Ask { cx, owner, attrs, nested: true, names: Vec::new() };
    if generics.params.is_empty() {
        all.into_iter().for_each(|fields| ask.fields(fields));
    }
    ask.names.into_iter().collect()
}

/// The names of a struct's fields, for the checks.
fn fields(cx: &Cx, ty: &syn::ItemStruct) -> Option<TokenStream> {
    let unconditional = |attrs: &[syn::Attribute]| crate::cfg::Cfg::of(attrs).is_always();
    let syn::Fields::Named(fields) = &ty.fields else { return None };
    let known = unconditional(&ty.attrs) && fields.named.iter().all(|f| unconditional(&f.attrs));
    if !known || !ty.generics.params.is_empty() {
        return None;
    }
    let (p, ident) = (cx.private(), &ty.ident);
    let name = syn::ext::IdentExt::unraw(ident).to_string();
    let names = fields.named.iter().filter_map(|field| field.ident.as_ref());
    let names = names.map(|name| syn::ext::IdentExt::unraw(name).to_string());
    Some(quote! {
        #[automatically_derived]
        impl #p::Fields for #ident {
            const FIELDS: &'static [&'static str] = &[#(#names),*];
        }
        #[automatically_derived]
        impl #p::FlowConfig for #ident {
            const DEF: &'static #p::StateDef = &#p::StateDef::new(
                #name,
                #p::concat!(
                    #p::module_path!(), "::", #name, "@", #p::file!(), ":", #p::line!(), ":", #p::column!()
                ),
                "",
                &[],
            );
        }
    })
}

/// An item. What stands in the functions of an `impl` is not parsed, so that a half-typed body stops nothing else:
/// [`with_bodies`] puts it back.
pub(crate) fn item(tokens: TokenStream) -> syn::Result<syn::Item> {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if let Some(TokenTree::Group(all)) = tokens.last_mut() {
        let mut signature = false;
        let items = all.stream().into_iter().map(|token| match token {
            TokenTree::Group(body) if signature && body.delimiter() == Delimiter::Brace => {
                signature = false;
                grouped(&body, quote!(__body! { #body })).into()
            }
            other => {
                signature |= matches!(&other, TokenTree::Ident(word) if word == "fn");
                other
            }
        });
        *all = grouped(all, items.collect());
    }
    syn::parse2(tokens.into_iter().collect())
}

/// What was made of an item, with the bodies that were not parsed.
pub(crate) fn with_bodies(tokens: TokenStream) -> TokenStream {
    let put_back = |token| {
        let TokenTree::Group(group) = token else { return token };
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        if let [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Group(body)] = &inside[..]
            && word == "__body"
            && let Some(body) = body.stream().into_iter().next()
        {
            return body;
        }
        grouped(&group, with_bodies(group.stream())).into()
    };
    tokens.into_iter().map(put_back).collect()
}

/// A group of the same sort and place, with something else in it.
fn grouped(group: &Group, inside: TokenStream) -> Group {
    let mut out = Group::new(group.delimiter(), inside);
    out.set_span(group.span());
    out
}

/// The keyword of an item, which is where an error about its sort shows.
pub(crate) fn first(item: &syn::Item) -> TokenStream {
    let mut tokens = item.to_token_stream().into_iter().peekable();
    while let Some(token) = tokens.next() {
        // not the attributes, and not `pub` or `pub(…)`
        let skipped = match (&token, tokens.peek()) {
            (TokenTree::Punct(hash), Some(_)) if hash.as_char() == '#' => true,
            (TokenTree::Ident(word), next) if word == "pub" => {
                let scope = matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                if !scope {
                    continue;
                }
                true
            }
            _ => false,
        };
        if !skipped {
            return token.into();
        }
        tokens.next();
    }
    item.to_token_stream()
}

/// "an `impl`", "a function".
pub(crate) fn kind_of(item: &syn::Item) -> &'static str {
    match item {
        syn::Item::Struct(_) => "a struct",
        syn::Item::Enum(_) => "an enum",
        syn::Item::Union(_) => "a union",
        syn::Item::Fn(_) => "a function",
        syn::Item::Impl(_) => "an `impl`",
        syn::Item::Trait(_) => "a trait",
        syn::Item::Mod(_) => "a module",
        syn::Item::Const(_) => "a constant",
        syn::Item::Static(_) => "a static",
        syn::Item::Type(_) => "a type alias",
        syn::Item::Macro(_) => "a macro call",
        _ => "this item",
    }
}

/// Those of these derives that the user does not write.
pub(crate) fn missing<'n>(attrs: &[syn::Attribute], wanted: &[&'n str]) -> Vec<&'n str> {
    let mut have: Vec<String> = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        let _ = attr.parse_nested_meta(|meta| {
            have.extend(meta.path.segments.last().map(|last| last.ident.to_string()));
            Ok(())
        });
    }
    wanted.iter().copied().filter(|name| !have.iter().any(|known| known == name)).collect()
}

/// The derives of data, but for those that the user writes below, and what they need to find their crates.
pub(crate) fn derives(
    cx: &Cx,
    ident: &syn::Ident,
    attrs: &[syn::Attribute],
    more: &[TokenStream],
) -> TokenStream {
    let p = cx.private();
    let missing = missing(attrs, &["Clone", "Debug", "Serialize", "Deserialize", "JsonSchema"]);
    let ours = missing.iter().map(|name| {
        let name = quote::format_ident!("{}", name);
        quote!(#p::#name)
    });
    let (mut serde, mut schemars) = (written(&quote!(#p::serde)), written(&quote!(#p::schemars)));
    let mut imports = TokenStream::new();
    if serde.contains('$') {
        // those two read the path from a text, where `$crate` means nothing
        for (path, krate) in [(&mut serde, quote!(serde)), (&mut schemars, quote!(schemars))] {
            let name = quote::format_ident!("__{}_of_{}", krate.to_string(), ident);
            *path = name.to_string();
            imports.extend(quote!(#[allow(unused_imports)] use #p::#krate as #name;));
        }
    }
    let use_serde = (missing.contains(&"Serialize") || missing.contains(&"Deserialize"))
        .then(|| quote!(#[serde(crate = #serde)]));
    let use_schemars =
        missing.contains(&"JsonSchema").then(|| quote!(#[schemars(crate = #schemars)]));
    quote!(#imports #[derive(#(#ours,)* #(#more),*)] #use_serde #use_schemars)
}
