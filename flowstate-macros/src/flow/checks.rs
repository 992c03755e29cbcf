//! The constant checks of a flow, each where the user wrote what it checks.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Entry, Options};
use crate::cfg::Cfg;
use crate::cx::{Cx, check};
use crate::text::camel;

/// A hook: its block, its option, and when it is there.
pub(super) type Hook<'a> = (&'a syn::Type, &'static str, &'a [syn::Attribute]);

pub(super) fn checks(
    cx: &Cx,
    ident: &Ident,
    when: &Cfg,
    options: &Options,
    entries: &[Entry],
    hooks: &[Hook<'_>],
) -> TokenStream {
    let p = cx.private();
    let roots = entries.iter().map(|entry| {
        let Entry { text, block, cfg, sort, token_budget, .. } = entry;
        let sort = format_ident!("{}", camel(sort));
        let def = quote!(<#ident as #p::Flow>::DEF, #p::EntryType::#sort, #text);
        let root = check(block, quote!(#p::check::entry), &def);
        let budget = token_budget.as_ref().map(|budget| {
            let check = check(budget, quote!(#p::check::token_budget), &def);
            quote!(#when #(#cfg)* #check)
        });
        quote!(#when #(#cfg)* #root #budget)
    });
    let named = hooks.iter().enumerate().map(|(i, (path, what, cfg))| {
        let what = format!("the hook `{what}`");
        // those that are not there do not count
        let before = hooks[..i].iter().map(|(_, _, cfg)| quote!(#(#cfg)* ()));
        let index = quote!({ const __BEFORE: &[()] = &[#(#before),*]; __BEFORE.len() });
        let def = quote!(<#ident as #p::Flow>::DEF.hooks[#index], #what);
        let check = check(path, quote!(#p::check::hook), &def);
        quote!(#when #(#cfg)* #check)
    });
    let clients = options.client.iter().map(|client| {
        let (reach, ty) = (format_ident!("{}", camel(client.reach)), &client.state);
        let state = quote!(<#ty as #p::State>::DEF);
        let def = quote!(<#ident as #p::Flow>::DEF, #p::Reach::#reach, #state);
        let check = check(ty, quote!(#p::check::client), &def);
        quote!(#when #check)
    });
    let whole = check(ident, quote!(#p::check::flow), &quote!(<#ident as #p::Flow>::DEF));
    quote!(#(#roots)* #(#named)* #(#clients)* #when #whole)
}
