//! The `impl` of a capability: each function that takes its context becomes a method of `ctx.cap.<name>`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::{Attribute, FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Type};

use super::api_ident;
use crate::cfg::Cfg;
use crate::cx::{Cx, ends};
use crate::options;
use crate::text::{last_name, plain};

pub(super) fn expand(cx: &Cx, args: TokenStream, mut all: ItemImpl) -> TokenStream {
    if !args.is_empty() {
        read_crate(cx, args);
    }
    let Some(path) = target(cx, &all) else { return quote!(#all) };
    let mut methods = Vec::new();
    for item in &mut all.items {
        if let ImplItem::Fn(function) = item {
            methods.extend(method(cx, &all.self_ty, function));
        }
    }
    let cfg = Cfg::of(&all.attrs);
    let mut api = path;
    if let Some(last) = api.path.segments.last_mut() {
        last.ident = api_ident(&last.ident);
    }
    if cx.failed() {
        return quote!(#all);
    }
    quote! {
        #[allow(clippy::unused_async, clippy::unnecessary_wraps, clippy::needless_pass_by_value)]
        #all

        #cfg
        #[allow(dead_code, clippy::unused_async, clippy::unnecessary_wraps, clippy::too_many_arguments)]
        impl #api<'_> {
            #(#methods)*
        }
    }
}

/// Options stand on the struct, but for the path of the crate.
fn read_crate(cx: &Cx, args: TokenStream) {
    let specs: &'static [options::Spec] =
        &[options::Spec { name: "crate", shape: options::Shape::Path, on: &[] }];
    let at = args.clone();
    let known = args.into_iter().next().is_some_and(|word| word.to_string() == "crate");
    if !known {
        cx.error(at, "the options of a capability stand on its struct");
        return;
    }
    let parse = |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, specs, ""));
    for given in syn::parse::Parser::parse2(parse, at).unwrap_or_default() {
        if let options::Value::Path(path) = given.value {
            cx.set_crate(path);
        }
    }
}

fn target(cx: &Cx, all: &ItemImpl) -> Option<syn::TypePath> {
    if let Some((_, of, _)) = &all.trait_ {
        cx.error(
            of,
            "the functions of a capability stand in its own `impl`, not in that of a trait",
        );
        return None;
    }
    if !all.generics.params.is_empty() {
        cx.error(&all.generics, "a capability cannot be generic: one capability is one type");
        return None;
    }
    match plain(&all.self_ty) {
        Type::Path(path) if path.qself.is_none() => Some(path.clone()),
        other => {
            cx.error(other, "a capability is a unit struct, by its name");
            None
        }
    }
}

/// The method for a function that takes the context; the function gets the context's real type.
fn method(cx: &Cx, me: &Type, function: &mut ImplItemFn) -> Option<TokenStream> {
    let sig = &mut function.sig;
    if let Some(receiver) = sig.receiver() {
        cx.error(receiver, "a capability has no value: its functions take `ctx: &Ctx` first");
        return None;
    }
    let takes = |ty: &Type| last_name(ty).as_deref() == Some("Ctx");
    let mut args = sig.inputs.iter_mut();
    let Some(FnArg::Typed(first)) = args.next() else { return None };
    let lifetime = match plain(&first.ty) {
        Type::Reference(by) if takes(&by.elem) && by.mutability.is_none() => by.lifetime.clone(),
        Type::Reference(by) if takes(&by.elem) => {
            cx.error(&first.ty, "a capability's function reads its context: write `ctx: &Ctx`");
            return None;
        }
        ty if takes(ty) => {
            cx.error(&first.ty, "a capability's function borrows its context: write `ctx: &Ctx`");
            return None;
        }
        _ => {
            let late = args.find(|arg| match arg {
                FnArg::Typed(arg) => match plain(&arg.ty) {
                    Type::Reference(by) => takes(&by.elem),
                    ty => takes(ty),
                },
                FnArg::Receiver(_) => false,
            });
            if let Some(late) = late {
                cx.error(late, "a capability's function takes its context first: `ctx: &Ctx`");
            }
            // a helper, without a context
            return None;
        }
    };
    if let Some(word) = &sig.unsafety {
        cx.error(word, "a capability's function cannot be `unsafe`");
        return None;
    }
    if let ReturnType::Type(_, ty) = &sig.output
        && let Some(at) = borrowed(ty.to_token_stream())
    {
        cx.error_at(
            at,
            "a capability's function returns what it owns: clone it, or take a closure that looks at it",
        );
        return None;
    }
    let (span, _) = ends(&first.ty);
    let p = cx.private_at(span);
    *first.ty = syn::parse_quote_spanned!(span=> & #lifetime #p::Ctx<'_, #me>);
    Some(forward(me, lifetime.as_ref(), function))
}

/// The method of `ctx.cap.<name>` that calls the function.
fn forward(me: &Type, lifetime: Option<&syn::Lifetime>, function: &ImplItemFn) -> TokenStream {
    let shown = |attr: &&Attribute| {
        ["doc", "cfg", "deprecated", "must_use", "allow", "expect"]
            .iter()
            .any(|name| attr.path().is_ident(name))
    };
    let attrs = function.attrs.iter().filter(shown);
    let (vis, mut sig) = (&function.vis, function.sig.clone());
    let name = &function.sig.ident;
    let mut values: Vec<Ident> = Vec::new();
    for (i, arg) in sig.inputs.iter_mut().enumerate() {
        if i == 0 {
            *arg = syn::parse_quote!(& #lifetime self);
        } else if let FnArg::Typed(arg) = arg {
            let name = match &*arg.pat {
                Pat::Ident(pat) if pat.subpat.is_none() => pat.ident.clone(),
                _ => format_ident!("__arg{}", i),
            };
            *arg.pat = syn::parse_quote!(#name);
            *arg.ty = Type::Verbatim(as_named(arg.ty.to_token_stream(), me));
            arg.attrs.clear();
            values.push(name);
        }
    }
    if let ReturnType::Type(_, ty) = &mut sig.output {
        **ty = Type::Verbatim(as_named(ty.to_token_stream(), me));
    }
    let wait = sig.asyncness.map(|_| quote!(.await));
    let call = quote_spanned!(name.span()=> <#me>::#name);
    quote! {
        #(#attrs)*
        #[inline]
        #vis #sig {
            #call(&self.__ctx(), #(#values),*) #wait
        }
    }
}

/// `Self` is the capability, in the method of another type too.
fn as_named(tokens: TokenStream, me: &Type) -> TokenStream {
    let named = |token| match token {
        TokenTree::Ident(word) if word == "Self" => quote!(#me),
        TokenTree::Group(group) => {
            let inside = as_named(group.stream(), me);
            let mut out = proc_macro2::Group::new(group.delimiter(), inside);
            out.set_span(group.span());
            TokenTree::Group(out).into()
        }
        other => other.into(),
    };
    tokens.into_iter().map(named).collect::<Vec<TokenStream>>().into_iter().collect()
}

/// The place of a reference without a lifetime.
fn borrowed(tokens: TokenStream) -> Option<proc_macro2::Span> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(and) if and.as_char() == '&' => {
                let named =
                    matches!(tokens.peek(), Some(TokenTree::Punct(tick)) if tick.as_char() == '\'');
                if !named {
                    return Some(and.span());
                }
            }
            TokenTree::Group(group) => {
                if let Some(at) = borrowed(group.stream()) {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
