//! The user's function, and the `run` that calls it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::FnArg;
use syn::ext::IdentExt as _;

use super::attrs::Attrs;
use super::config::Config;
use super::context::{Context, cells, cells_type};
use super::contracts;
use super::expand::Parts;
use super::generator;
use super::model::{Block, CtxForm, Kind};
use super::router;
use crate::cx::{Cx, ends};

/// (With a prefix that no generated local has: those of a block named `own` or `scope` would hide its function.)
fn inner_ident(block: &Block) -> Ident {
    let ident = block.ident();
    Ident::new(&format!("__fn_{}", ident.unraw()), ident.span())
}

/// The user's function, under another name and with the real type of its context.
pub(super) fn function(
    cx: &Cx,
    block: &Block,
    attrs: &Attrs,
    body: Option<TokenStream>,
) -> TokenStream {
    let mut sig = block.function.sig.clone();
    let ident = block.ident();
    sig.ident = inner_ident(block);
    if let Some(FnArg::Typed(arg)) = sig.inputs.iter_mut().nth(1) {
        let (span, _) = ends(&arg.ty);
        let p = cx.private_at(span);
        *arg.ty = match block.ctx {
            CtxForm::Borrowed => syn::parse_quote_spanned!(span=> &#p::Ctx<'_, #ident>),
            _ => syn::parse_quote_spanned!(span=> #p::Ctx<'_, #ident>),
        };
    }
    for Config { name, ty, borrowed } in &block.config {
        let by = borrowed.then(|| quote!(&));
        sig.inputs.push(syn::parse_quote!(#name: #by #ty));
    }
    let (allow, attrs) = (attrs.allow(), &attrs.on_function);
    let body = body.unwrap_or_else(|| block.function.body.clone());
    let alias = match block.kind {
        Kind::Router => Some(router::alias(block)),
        _ => (!block.tools.is_empty()).then(|| generator::alias(block)),
    };
    quote! {
        #alias
        #(#attrs)*
        #allow
        #[allow(
            clippy::unused_async, clippy::needless_pass_by_value, clippy::unnecessary_wraps,
            clippy::redundant_closure, clippy::trivially_copy_pass_by_ref, non_snake_case
        )]
        #sig #body
    }
}

/// The statements of `run`.
pub(super) fn body(cx: &Cx, block: &Block, parts: &Parts, context: &Context) -> TokenStream {
    let p = cx.private();
    let (before, value) = (&context.before, &context.value);
    let (cells, cells_type) = (cells(&p, block), cells_type(&p, block));
    let open = quote! {
        let __scope = __at.open(<Self as #p::Block>::HEAD, #cells);
        let __known = __scope.known::<#cells_type>();
        let __link = __at.inside(&__scope);
        let __base = #p::base::<Self>(&__link);
    };
    if block.kind == Kind::Chain {
        let chain = &parts.chain;
        let config = block.config.iter().map(|config| {
            let (name, value) = (&config.name, config.value(cx));
            quote!(#[allow(unused_variables)] let #name = #value;)
        });
        return quote! {
            #(#config)*
            #open
            #before
            let __ctx = #value;
            let __rt = #p::Seq::new(&__scope, __known, &__ctx);
            let __v = __input;
            #chain
        };
    }
    // every token where an error about the return type should show (one error, not five)
    let ret = block.returns();
    let (span, _) = ends(&ret);
    let pr = cx.private_at(span);
    let inner = inner_ident(block);
    let input = if block.borrowed {
        quote!(<__Input as #p::Borrow<_>>::borrow(&__input))
    } else if matches!(block.kind, Kind::Router | Kind::Generator) {
        // the route is given it too; a generator's function is called again before each step
        quote!(<__Input as #p::Clone>::clone(&__input))
    } else {
        quote!(__input)
    };
    let (make, args) = match block.ctx {
        CtxForm::None => (TokenStream::new(), quote!(#input)),
        CtxForm::Owned => (quote!(#before let __ctx = #value;), quote!(#input, __ctx)),
        CtxForm::Borrowed => (quote!(#before let __ctx = #value;), quote!(#input, &__ctx)),
    };
    let start = if matches!(block.kind, Kind::Router | Kind::Generator) {
        open
    } else if block.kind == Kind::Written {
        let sites = parts.sites as usize;
        quote! {
            #open
            let __sites = [const { #p::AtomicU32::new(0) }; #sites];
        }
    } else if block.ctx == CtxForm::None {
        TokenStream::new()
    } else {
        quote!(let __base = #p::base_at::<Self>(__at);)
    };
    if block.starts_at_once() {
        let called = match block.ctx {
            CtxForm::None => quote_spanned!(span=> Begun::new),
            _ => quote_spanned!(span=> Called::running),
        };
        return quote_spanned!(span=> #start #make #pr::#called(#inner(#args)));
    }
    let wait = block.function.sig.asyncness.map(|_| quote_spanned!(span=> .await));
    let result = quote_spanned!(span=> __r);
    let config = block.config.iter().map(|config| {
        let (name, value) = (format_ident!("__{}", config.name.unraw()), config.value(cx));
        (quote!(let #name = #value;), name)
    });
    let (config, names): (Vec<_>, Vec<_>) = config.unzip();
    let call = quote!(#(#config)* let #result = #inner(#args #(, #names)*) #wait;);
    let end = quote_spanned!(span=> <__Returned as #pr::BlockResult>::into_result(#result));
    if block.kind == Kind::Router {
        let taken = router::take(cx, block, &parts.children);
        return quote!(#start #make #call let __route = #end?; #taken);
    }
    if block.kind == Kind::Generator {
        let (once, views) = contracts::seen(cx, block);
        let prompt = match &block.uses[..] {
            [] => quote!(#make #call #end),
            _ => {
                // without a context nothing is made yet
                let before = (block.ctx == CtxForm::None).then_some(before);
                let asks = !block.models.is_empty();
                quote!(#before #make #call #p::bring::<__Uses, _>(__given, #end?, #asks).await)
            }
        };
        let asks = generator::asks(cx, block, &parts.children, &prompt, &once, &views);
        return quote!(#start #asks);
    }
    quote!(#start #make #call #end)
}
