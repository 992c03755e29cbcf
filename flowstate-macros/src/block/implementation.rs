//! The block's `impl`s.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::asked::Asked;
use super::attrs::Attrs;
use super::caching;
use super::context::Context;
use super::contracts;
use super::definition::{definition, head};
use super::expand::Parts;
use super::model::{Block, Kind, name_span};
use super::router;
use super::types::written_input;
use crate::cfg::Cfg;
use crate::cx::{Cx, ends};
use crate::text::written as text;

pub(super) fn implementation(
    cx: &Cx,
    block: &Block,
    attrs: &Attrs,
    context: &Context,
    parts: &Parts,
    body: &TokenStream,
) -> TokenStream {
    let p = cx.private();
    let ident = block.ident();
    let head = head(cx, block, attrs, parts.waits);
    let (def, attempts) = (definition(cx, block, &parts.children), attempts(cx, block));
    let caching = block.caching.as_ref().map(|caching| caching::method(cx, caching));
    let written_input = written_input(&p, block);
    // where a future that is not `Send` is explained
    let span = name_span(block);
    let pr = cx.private_at(span);
    let start = quote_spanned!(name_span(block)=> async move);
    // names of values are not at the user's place: under `macro_rules!` they would not be found
    let (given, at, cells) = (quote!(__input), quote!(__at), quote!(__cells));
    let future =
        quote_spanned!(span=> impl #pr::Future<Output = #pr::Result<Self::Output>> + #pr::Send);
    let args = quote_spanned!(span=> &'__a self, #given: Self::Input, #at: #pr::At<'__a>);
    let reads = block.parent.is_some() || (block.sequencer.is_some() && !block.kind.is_sequencer());
    let run = if reads && block.ctx_is_made() {
        quote_spanned! {span=>
            fn run<'__a>(#args) -> #future {
                self.run_in::<()>(#given, #at, #pr::Option::None)
            }
            #[inline]
            fn run_in<'__a, __X: #pr::Cells>(
                #args,
                #cells: #pr::Option<&'__a __X>,
            ) -> #future
        }
    } else {
        quote_spanned!(span=> fn run<'__a>(#args) -> #future)
    };
    let body = &contracts::fed(cx, block, body);
    let future = match block.kind {
        Kind::Handler if block.starts_at_once() => body.clone(),
        Kind::Handler => quote!(#start { #body }),
        // a future that holds its steps' futures by their types cannot nest deeper than about 10 sequencers
        Kind::Router | Kind::Generator => quote_spanned!(span=> #pr::boxed(#start { #body })),
        _ => {
            let boxed = quote_spanned!(span=> <#ident as #pr::Block>::DEF.holds == 0);
            quote_spanned!(span=> #pr::held::<{ #boxed }, _>(#start { #body }))
        }
    };
    let with_ctx = with_ctx(cx, block, context);
    let (into, asks) = (into_block(&p, ident, attempts.is_some()), asks(cx, block, parts));
    let (mut generics, mut clause, mut beside) =
        (TokenStream::new(), TokenStream::new(), TokenStream::new());
    let (mut output, mut future) = (quote!(__Output), future);
    if block.kind == Kind::Router {
        let hidden = router::hidden(cx, block, reads && block.ctx_is_made(), &future);
        (generics, clause, beside) = (hidden.generics, hidden.clause, hidden.beside);
        (output, future) = (quote!(__O), hidden.future);
    }
    let steps = (block.kind == Kind::Written).then(|| {
        let mut steps: Vec<(TokenStream, Cfg, Span)> = Vec::new();
        // of an expression all blocks in it are steps: what it recovers with, too
        let names = parts.children.iter().flat_map(|child| {
            super::adapted::names(&child.expr).into_iter().map(move |name| (name, &child.cfg))
        });
        for ((path, again), cfg) in names {
            let (span, _) = ends(path);
            let p = cx.private_at(span);
            // the path itself: two projections would count as overlapping
            let path = if again { quote_spanned!(span=> #p::Again<#path>) } else { quote!(#path) };
            match steps.iter_mut().find(|(known, ..)| text(known) == text(&path)) {
                Some((_, known, _)) => known.or(cfg),
                None => steps.push((path, cfg.clone(), span)),
            }
        }
        let each = steps.iter().map(|(path, cfg, span)| {
            let p = cx.private_at(*span);
            let step = quote_spanned!(*span=> impl #p::StepOf<#ident> for #path {});
            quote!(#cfg #step)
        });
        quote!(#(#[automatically_derived] #each)*)
    });
    quote! {
        #beside
        #[automatically_derived]
        impl #generics #pr::Block for #ident #clause {
            type Input = __Input;
            type Output = #output;
            const HEAD: &'static #p::Head = #head;
            #def
            #caching
            #[inline]
            #run {
                #future
            }
        }
        #attempts
        #[automatically_derived]
        impl #p::Takes<#written_input> for #ident {}
        #[automatically_derived]
        impl #p::Returns<__Output> for #ident {}
        #into
        #with_ctx
        #steps
        #asks
    }
}

/// That a sequencer waits, and whose outputs it asks for.
fn asks(cx: &Cx, block: &Block, parts: &Parts) -> TokenStream {
    let (p, me) = (cx.private(), block.ident());
    let waits = (parts.waits && block.kind == Kind::Written).then(|| {
        quote! {
            #[automatically_derived]
            impl #p::Waits for #me {}
        }
    });
    let each = parts.asked.iter().map(|Asked { path, cfg }| {
        let (span, _) = ends(path);
        let p = cx.private_at(span);
        let asks = quote_spanned!(span=> impl #p::AsksFor<#me> for #path {});
        quote!(#cfg #[automatically_derived] #asks)
    });
    quote!(#waits #(#each)*)
}

/// How often and how long the block is tried: as it says itself, else as its capabilities say.
fn attempts(cx: &Cx, block: &Block) -> Option<TokenStream> {
    let p = cx.private();
    let used = (!block.uses.is_empty()).then(|| quote!(<__Uses as #p::Uses>::ATTEMPTS));
    let own = block.attempts.any().then(|| block.attempts.constant(cx));
    let all = match (own, used) {
        (None, None) => return None,
        (None, Some(used)) => used,
        (Some(own), used) => quote!(#own.all(&[#used])),
    };
    let ident = block.ident();
    Some(quote! {
        #[automatically_derived]
        impl #p::Says for #ident {
            const ATTEMPTS: #p::Option<#p::Attempts> = #all;
        }
    })
}

pub(super) fn into_block(p: &TokenStream, ident: &Ident, says: bool) -> TokenStream {
    let attempt = if says { quote!(#p::AsSaid<Self>) } else { quote!(#p::Tried) };
    quote! {
        #[automatically_derived]
        impl #p::IntoBlock for #ident {
            type Block = Self;
            type Attempt = #attempt;
            #[inline]
            fn into_block(self) -> Self {
                self
            }
        }
    }
}

/// The context's items, where the block has a context.
pub(super) fn with_ctx(cx: &Cx, block: &Block, context: &Context) -> TokenStream {
    if !block.ctx_is_made() {
        return TokenStream::new();
    }
    let p = cx.private();
    let ident = block.ident();
    let (items, ctx) = (&context.items, &context.ident);
    quote! {
        #(#items)*
        #[automatically_derived]
        impl #p::WithCtx for #ident {
            type Ctx<'__a> = #ctx<'__a>;
        }
    }
}
