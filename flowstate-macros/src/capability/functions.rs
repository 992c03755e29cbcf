//! The `impl` of a capability: each function becomes a method of `ctx.cap.<name>`, which gives it its context.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::{Attribute, FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Type};

use super::api_ident;
use crate::cfg::Cfg;
use crate::cx::{Cx, check, ends, here, respan};
use crate::options;
use crate::text::{last_name, plain, written};

pub(super) fn expand(cx: &Cx, args: TokenStream, mut all: ItemImpl) -> TokenStream {
    if !args.is_empty() {
        read_crate(cx, args);
    }
    let Some(path) = target(cx, &mut all) else { return quote!(#all) };
    let refused = cx.failed();
    let mut api = path;
    if let Some(last) = api.path.segments.last_mut() {
        last.ident = api_ident(&last.ident);
    }
    let mut methods = Vec::new();
    let mut broken = Vec::new();
    for item in &mut all.items {
        if let ImplItem::Fn(function) = item {
            match method(cx, &all.self_ty, &api, function) {
                Ok(method) if !refused => methods.extend(method),
                _ => broken.push(item),
            }
        }
    }
    for item in broken {
        if let ImplItem::Fn(function) = item {
            let (function, method) = unknown(function);
            methods.push(method);
            *item = ImplItem::Verbatim(function);
        }
    }
    let cfg = Cfg::of(&all.attrs);
    let me = &all.self_ty;
    let capability = known(cx, me);
    let whole = quote! {
        #cfg
        #capability

        #[allow(clippy::unused_async, clippy::unnecessary_wraps, clippy::needless_pass_by_value)]
        #all

        #cfg
        #[allow(dead_code, clippy::unused_async, clippy::unnecessary_wraps, clippy::too_many_arguments)]
        impl #api<'_> {
            #(#methods)*
        }
    };
    if !cx.failed() {
        return whole;
    }
    let error = cx.error_type();
    quote! {
        #cfg
        const _: () = {
            #[allow(non_camel_case_types, dead_code)]
            type __unknown = #error;
            #whole
        };
    }
}

/// Says that it is no capability, where it is none.
fn known(cx: &Cx, me: &Type) -> TokenStream {
    let name = written(me);
    let text = format!(
        "`{name}` is not a capability\nhelp: put `#[capability]` on the declaration of `{name}`"
    );
    let p = cx.private();
    let check = check(me, quote!(#p::is_capability), &quote!(<#p::Probe<#me>>::CAPABILITY, #text));
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use #p::Otherwise as _;
            #check
        };
    }
}

/// What is wrong with a function was said.
struct Wrong;

/// A function that is wrong, and its method: known to all that call them, and silent.
fn unknown(function: &ImplItemFn) -> (TokenStream, TokenStream) {
    let (vis, name, inputs) = (&function.vis, &function.sig.ident, &function.sig.inputs);
    let cfg = Cfg::of(&function.attrs);
    let all = inputs.iter().map(|_| quote!(_: __unknown));
    let passed = |arg: &&FnArg| matches!(arg, FnArg::Typed(_)) && !takes_ctx(arg);
    let given = inputs.iter().filter(passed).map(|_| quote!(_: __unknown));
    (
        quote!(#cfg #vis fn #name(#(#all),*) -> __unknown { loop {} }),
        quote!(#cfg #vis fn #name(&self, #(#given),*) -> __unknown { loop {} }),
    )
}

/// Whether an argument is a context, however it is passed.
fn takes_ctx(arg: &FnArg) -> bool {
    match arg {
        FnArg::Typed(arg) => match plain(&arg.ty) {
            Type::Reference(by) => last_name(&by.elem).as_deref() == Some("Ctx"),
            ty => last_name(ty).as_deref() == Some("Ctx"),
        },
        FnArg::Receiver(_) => false,
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

fn target(cx: &Cx, all: &mut ItemImpl) -> Option<syn::TypePath> {
    if let Some((_, of, _)) = &all.trait_ {
        cx.error(
            of,
            "the functions of a capability stand in its own `impl`, not in that of a trait",
        );
        return None;
    }
    if !all.generics.params.is_empty() {
        cx.error(&all.generics, "a capability cannot be generic: one capability is one type");
        // without them its functions are known to all that name them
        all.generics = syn::Generics::default();
        all.items.retain(|item| matches!(item, ImplItem::Fn(_)));
        if let Type::Path(path) = &mut *all.self_ty
            && let Some(last) = path.path.segments.last_mut()
        {
            last.arguments = syn::PathArguments::None;
        }
    }
    match plain(&all.self_ty) {
        Type::Path(path) if path.qself.is_none() => Some(path.clone()),
        other => {
            cx.error(other, "a capability is a unit struct, by its name");
            None
        }
    }
}

/// The method for a function; one that takes the context gets the context's real type.
fn method(
    cx: &Cx,
    me: &Type,
    api: &syn::TypePath,
    function: &mut ImplItemFn,
) -> Result<Option<TokenStream>, Wrong> {
    let wrong = |at: TokenStream, text: &str| {
        cx.error(at, text);
        Err(Wrong)
    };
    let sig = &mut function.sig;
    if let Some(receiver) = sig.receiver() {
        let text = "a capability has no value: its functions take `ctx: &Ctx` first";
        return wrong(receiver.to_token_stream(), text);
    }
    let Some(at) = sig.inputs.iter().position(takes_ctx) else {
        return Ok(sig.unsafety.is_none().then(|| forward(me, None, function)));
    };
    if at > 0 {
        let text = "a capability's function takes its context first: `ctx: &Ctx`";
        return wrong(sig.inputs[at].to_token_stream(), text);
    }
    let Some(FnArg::Typed(first)) = sig.inputs.first_mut() else { return Ok(None) };
    let lifetime = match plain(&first.ty) {
        Type::Reference(by) if by.mutability.is_none() => by.lifetime.clone(),
        Type::Reference(_) => {
            let text = "a capability's function reads its context: write `ctx: &Ctx`";
            return wrong(first.ty.to_token_stream(), text);
        }
        _ => {
            let text = "a capability's function borrows its context: write `ctx: &Ctx`";
            return wrong(first.ty.to_token_stream(), text);
        }
    };
    if let Some(word) = &sig.unsafety {
        return wrong(word.to_token_stream(), "a capability's function cannot be `unsafe`");
    }
    if let ReturnType::Type(_, ty) = &sig.output
        && let Some(at) = borrowed(ty.to_token_stream(), lifetime.as_ref())
    {
        cx.error_at(
            at,
            "a capability's function returns what it owns: clone it, or take a closure that looks at it",
        );
        return Err(Wrong);
    }
    if let ReturnType::Type(_, ty) = &sig.output
        && let Some(at) = unnamed(ty.to_token_stream())
    {
        let text = "a capability's function returns what it owns, and `impl …` may borrow from the context: name the \
                    type, or write `impl … + use<>`";
        cx.error_at(at, text);
        return Err(Wrong);
    }
    let (span, _) = ends(&first.ty);
    let p = cx.private_at(span);
    *first.ty = syn::parse_quote_spanned!(span=> & #lifetime <#api<'_> as #p::Api>::Ctx);
    Ok(Some(forward(me, lifetime.as_ref(), function)))
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
    let mut values: Vec<TokenStream> = Vec::new();
    let takes = sig.inputs.first().is_some_and(takes_ctx);
    if !takes {
        // by value: what it returns may borrow from its arguments
        sig.inputs.insert(0, syn::parse_quote!(self));
    }
    for (i, arg) in sig.inputs.iter_mut().enumerate() {
        if i == 0 && takes {
            let by = respan(quote!(& #lifetime self), here(ends(arg).0));
            *arg = syn::parse_quote!(#by);
        } else if let FnArg::Typed(arg) = arg {
            let name = match &*arg.pat {
                Pat::Ident(pat) if pat.subpat.is_none() => pat.ident.clone(),
                _ => format_ident!("__arg{}", i),
            };
            *arg.pat = syn::parse_quote!(#name);
            *arg.ty = Type::Verbatim(as_named(arg.ty.to_token_stream(), me));
            arg.attrs.clear();
            values.push(quote!(#name));
        }
    }
    if let ReturnType::Type(_, ty) = &mut sig.output {
        **ty = Type::Verbatim(as_named(ty.to_token_stream(), me));
    }
    let wait = sig.asyncness.map(|_| quote!(.await));
    let call = quote_spanned!(name.span()=> <#me>::#name);
    if takes {
        values.insert(0, respan(quote!(&self.__ctx()), here(name.span())));
    }
    quote! {
        #(#attrs)*
        #[inline]
        #vis #sig {
            #call(#(#values),*) #wait
        }
    }
}

/// `Self` is the user's type, in the method of another type too.
pub(crate) fn as_named(tokens: TokenStream, me: &Type) -> TokenStream {
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

/// The place of an `impl …` that does not say that it borrows nothing.
fn unnamed(tokens: TokenStream) -> Option<proc_macro2::Span> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    if tokens.iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "use")) {
        return None;
    }
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(word) if word == "impl" => Some(word.span()),
        TokenTree::Group(group) => unnamed(group.stream()),
        _ => None,
    })
}

/// The place of a reference without a lifetime, or with that of the context.
fn borrowed(tokens: TokenStream, ctx: Option<&syn::Lifetime>) -> Option<proc_macro2::Span> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is = |next: Option<&TokenTree>, mark| matches!(next, Some(TokenTree::Punct(next)) if next.as_char() == mark);
        match token {
            TokenTree::Punct(and) if and.as_char() == '&' && !is(tokens.peek(), '\'') => {
                return Some(and.span());
            }
            TokenTree::Punct(tick) if tick.as_char() == '\'' => {
                let Some(TokenTree::Ident(name)) = tokens.peek() else { continue };
                if name == "_" || ctx.is_some_and(|ctx| ctx.ident == *name) {
                    return Some(name.span());
                }
            }
            TokenTree::Group(group) => {
                if let Some(at) = borrowed(group.stream(), ctx) {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
