//! What a block becomes.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, Pat};

use super::adapted;
use super::asked;
use super::asked::Asked;
use super::attrs::Attrs;
use super::checks::checks;
use super::context::context;
use super::declaration::declaration;
use super::generator;
use super::implementation::implementation;
use super::model::{Block, Kind};
use super::router;
use super::run::{body, function};
use super::stub::stub;
use super::types::aliases;
use super::written;
use super::written::{Beside, Body, Child};
use crate::chain;
use crate::cx::Cx;

/// Lints that generated code may trip and no one can mend.
pub(crate) fn quiet() -> TokenStream {
    quote! {
        #[allow(
            deprecated, missing_docs, missing_debug_implementations, missing_copy_implementations,
            non_camel_case_types, non_snake_case, unreachable_pub, unused_qualifications,
            private_interfaces, private_bounds, trivial_bounds, unused_braces, unused_variables, dead_code, clippy::all, clippy::pedantic, clippy::nursery
        )]
    }
}

pub(crate) fn expand(cx: &Cx, block: &Block) -> TokenStream {
    let p = cx.private();
    let attrs = Attrs::of(block);
    let parts = match block.kind {
        Kind::Chain => chain::parts(cx, block),
        Kind::Written => written_parts(cx, block, &attrs),
        Kind::Router => router::parts(cx, block, function(cx, block, &attrs, None)),
        Kind::Generator => generator::parts(cx, block, function(cx, block, &attrs, None)),
        Kind::Handler => Parts { function: function(cx, block, &attrs, None), ..Parts::default() },
    };
    let mut ty = declaration(cx, block, &attrs);
    if block.kind == Kind::Router {
        ty.extend(router::declaration(cx, block, &attrs.cfg, &quiet()));
    }
    if !block.tools.is_empty() {
        ty.extend(generator::declaration(cx, block, &attrs.cfg, &quiet()));
    }
    let context = context(&p, block, !parts.asked.is_empty());
    if cx.failed() {
        let stub = stub(cx, block, &attrs, &parts, &context);
        return quote!(#ty #stub);
    }
    let body = body(cx, block, &parts, &context);
    let (checks, inner) = (checks(cx, block, &parts), &parts.function);
    let implementation = implementation(cx, block, &attrs, &context, &parts, &body);
    let (types, quiet) = (aliases(cx, block, &parts), quiet());
    let (cfg, allow) = (&attrs.cfg, attrs.allow());
    quote! {
        #ty
        #(#cfg)*
        #allow
        const _: () = {
            #[allow(unused_imports)]
            use #p::Otherwise as _;
            #inner
            #types
            // in an item of its own: a list of lints at each of them takes the compiler longer
            #quiet
            const _: () = { #implementation };
        };
        #checks
    }
}

/// What the kinds of block differ in.
#[derive(Default)]
pub(crate) struct Parts {
    /// The user's function, renamed.
    pub(crate) function: TokenStream,
    pub(crate) children: Vec<Child>,
    /// Statements that give the block's result, of a chain.
    pub(crate) chain: TokenStream,
    /// How many calls an async body makes.
    pub(crate) sites: u32,
    /// The blocks whose outputs the sequencer asks for.
    pub(crate) asked: Vec<Asked>,
    /// Whether it waits for items of the request.
    pub(crate) waits: bool,
    /// The children that run beside each other, of each such step.
    pub(crate) beside: Vec<Vec<Beside>>,
}

fn written_parts(cx: &Cx, block: &Block, attrs: &Attrs) -> Parts {
    let mut steps: Vec<Child> = Vec::new();
    for (cfg, path) in &block.steps {
        let expr = syn::parse_quote!(#path);
        written::note(&mut steps, Child { expr, cfg: cfg.clone() });
    }
    let ctx = match block.function.sig.inputs.iter().nth(1) {
        Some(FnArg::Typed(arg)) => match &*arg.pat {
            Pat::Ident(pat) => Some(pat.ident.clone()),
            _ => None,
        },
        _ => None,
    };
    let body = match ctx {
        Some(ctx) => written::read(cx, &ctx, steps, block.function.body.clone()),
        None => {
            let tokens = block.function.body.clone();
            Body { tokens, children: steps, sites: 0, waits: false, beside: Vec::new() }
        }
    };
    let Body { tokens, children, sites, waits, beside } = body;
    for child in &children {
        adapted::check(cx, block.ident(), &child.expr);
    }
    let asked = asked::asked(cx, &children, block.function.body.clone());
    let function = function(cx, block, attrs, Some(tokens));
    Parts { function, children, sites, asked, waits, beside, ..Parts::default() }
}
