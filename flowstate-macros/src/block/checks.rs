//! The constant checks of a block.

use proc_macro2::TokenStream;
use quote::quote;

use super::attrs::Attrs;
use super::contracts;
use super::expand::Parts;
use super::generator;
use super::model::Block;
use super::uses;
use super::written::{Beside, Child};
use crate::cx::{Cx, check};

/// The constant checks, each where the user wrote what it checks.
pub(super) fn checks(cx: &Cx, block: &Block, parts: &Parts) -> TokenStream {
    let p = cx.private();
    let ident = block.ident();
    let mut out = TokenStream::new();
    let several =
        block.state.len() > 1 || block.lasting.iter().any(|lasting| lasting.types.len() > 1);
    let at = block.state.iter().chain(block.lasting.iter().flat_map(|l| &l.types)).next();
    let at = match &block.uses[..] {
        [] => quote!(#at),
        uses => uses::written(uses),
    };
    if several || !block.uses.is_empty() {
        out.extend(check(&at, quote!(#p::check::states), &quote!(<#ident as #p::Block>::HEAD)));
    }
    for (index, child) in parts.children.iter().enumerate() {
        let cfg = &child.cfg;
        let index = position(&parts.children[..index]);
        let check = check(
            &child.expr,
            quote!(#p::check::child),
            &quote!(<#ident as #p::Block>::DEF, #index),
        );
        out.extend(quote!(#cfg #check));
    }
    out.extend(contracts::checks(cx, block));
    out.extend(beside(cx, block, parts));
    out.extend(generator::checks(cx, block, &parts.children));
    let attrs = Attrs::of(block);
    let (cfg, allow) = (&attrs.cfg, attrs.allow());
    if cfg.is_empty() && allow.is_none() {
        return out;
    }
    match syn::parse2::<syn::File>(out.clone()) {
        Ok(file) => {
            let items = file.items;
            let attrs = quote!(#(#cfg)* #allow);
            quote!(#(#attrs #items)*)
        }
        Err(_) => out,
    }
}

/// The checks of branches that run beside each other, each at the later one.
fn beside(cx: &Cx, block: &Block, parts: &Parts) -> TokenStream {
    let (p, me) = (cx.private(), block.ident());
    let each = parts.beside.iter().flat_map(|branches| {
        let place = |(child, _): &Beside| position(&parts.children[..*child]);
        let p = &p;
        branches.iter().enumerate().skip(1).map(move |(i, branch)| {
            let earlier = branches[..i].iter().map(|branch| {
                let (cfg, place) = (&branch.1.cfg, place(branch));
                quote!(#cfg {#place})
            });
            let (Child { expr, cfg }, index) = (&branch.1, place(branch));
            let arguments = quote!(<#me as #p::Block>::DEF, &[#(#earlier),*], #index);
            let check = check(expr, quote!(#p::check::beside), &arguments);
            quote!(#cfg #check)
        })
    });
    quote!(#(#each)*)
}

/// How many of these children are there, in a constant.
pub(super) fn position(before: &[Child]) -> TokenStream {
    let always = before.iter().filter(|child| child.cfg.is_always()).count();
    let cfg: Vec<_> = before.iter().map(|c| &c.cfg).filter(|cfg| !cfg.is_always()).collect();
    if cfg.is_empty() {
        return quote!(#always);
    }
    quote!(#always + { const __THERE: &[()] = &[#(#cfg ()),*]; __THERE.len() })
}
