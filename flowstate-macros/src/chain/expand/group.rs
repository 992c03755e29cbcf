//! `parallel`, `step_all`, `step_any`, `race`, `for_each` with a factory, `do_until`, `do_while`, `branch`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, ExprClosure};

use super::super::parse::{Arm, BlockRef, Function, Shape, Target};
use super::{Writer, padded};
use crate::cx::ends;
use crate::text::written;

impl Writer<'_> {
    /// One branch: the statements that make its site, its block and its future `__f0`, bound for as long as they run.
    fn started(&self, i: usize, lane: usize, target: &Target, gated: bool) -> (TokenStream, Ident) {
        let site = self.site(i);
        let number = u32::try_from(lane).unwrap_or(u32::MAX);
        let [site_at, block_at, input_at, future] =
            ["__s", "__b", "__i", "__f"].map(|name| format_ident!("{}{}", name, lane));
        let (span, _) = ends(&target.block.expr);
        let (before, input) = self.connected(i, target, self.copied(&target.block));
        let value = self.owned(&target.block);
        let reference = quote_spanned!(span=> &#block_at);
        let call = if target.block.is_path() {
            quote!(#site_at.step(#input_at, #reference))
        } else {
            quote!(#site_at.step_value(#input_at, #reference))
        };
        let call = if gated { quote!(__gate.run(#call.go())) } else { quote!(#call.go()) };
        let cfg = &target.block.cfg;
        let statements = quote! {
            #cfg let #site_at = #site.lane(#number);
            #cfg let #block_at = #value;
            #cfg let #input_at = { #before #input };
            #cfg let #future = #call;
        };
        (statements, future)
    }

    fn gate(&self, most: Option<&Expr>) -> TokenStream {
        let p = &self.p;
        most.map(|most| quote!(let __gate = #p::Gate::new(#most);)).unwrap_or_default()
    }

    /// All branches at once; their outputs are `__o0`, `__o1`, … in what follows.
    fn joined(
        &self,
        i: usize,
        all: &[Target],
        most: Option<&Expr>,
    ) -> (TokenStream, Vec<TokenStream>) {
        let p = &self.p;
        let gate = self.gate(most);
        let (mut statements, mut futures, mut outputs) = (gate, Vec::new(), Vec::new());
        for (lane, target) in all.iter().enumerate() {
            let (started, future) = self.started(i, lane, target, most.is_some());
            statements.extend(started);
            let cfg = &target.block.cfg;
            if !cfg.is_always() {
                let (p, not) = (&self.p, cfg.not());
                statements.extend(quote!(#not let #future = #p::ready(#p::Result::Ok(()));));
            }
            futures.push(future);
            let (span, _) = ends(&target.block.expr);
            outputs.push(Ident::new(
                &format!("__o{lane}"),
                span.resolved_at(proc_macro2::Span::call_site()),
            ));
        }
        let mut pairs = futures.iter().zip(&outputs).rev();
        let Some((last, output)) = pairs.next() else { return (statements, Vec::new()) };
        let (mut future, mut pattern) = (quote!(#last), quote!(#output));
        for (next, output) in pairs {
            future = quote!(#p::try_join(#next, #future));
            pattern = quote!((#output, #pattern));
        }
        statements.extend(quote!(let #pattern = #future.await?;));
        (statements, outputs.iter().map(|output| quote!(#output)).collect())
    }

    pub(super) fn parallel(
        &self,
        i: usize,
        shape: &Shape,
        all: &[Target],
        most: Option<&Expr>,
    ) -> TokenStream {
        let (statements, outputs) = self.joined(i, all, most);
        let cfg = all.iter().map(|target| &target.block.cfg);
        let value = match shape {
            Shape::Tuple => quote!((#(#cfg #outputs,)*)),
            Shape::Struct(path, names) => {
                let fields = cfg
                    .zip(names)
                    .zip(&outputs)
                    .map(|((cfg, name), output)| quote!(#cfg #name: #output));
                quote!(#path { #(#fields),* })
            }
        };
        quote!(let __v = { #statements #value };)
    }

    pub(super) fn all(&self, i: usize, all: &[Target], most: Option<&Expr>) -> TokenStream {
        let p = &self.p;
        let (statements, outputs) = self.joined(i, all, most);
        let first = common(all.iter().map(|target| &target.block));
        let outputs = all.iter().enumerate().zip(outputs).map(|((lane, target), output)| {
            let block = format_ident!("__b{}", lane);
            let site = format_ident!("__s{}", lane);
            let (span, _) = ends(&target.block.expr);
            let block = quote_spanned!(span=> &#block);
            let output = self.agreed(&quote!(#site), first, &target.block, &output, &block);
            let cfg = &target.block.cfg;
            quote!(#cfg #output)
        });
        quote!(let __v = { #statements #p::list([#(#outputs),*]) };)
    }

    /// An output as the type that all must have; that of the first block which is named by a path.
    fn agreed(
        &self,
        site: &TokenStream,
        first: Option<&BlockRef>,
        block: &BlockRef,
        output: &TokenStream,
        reference: &TokenStream,
    ) -> TokenStream {
        match first {
            Some(first) if block.is_path() => {
                let p = &self.p;
                let path = self.alias(&first.expr, &first.expr);
                quote!(#site.output::<<#path as #p::Block>::Output, _>(#output, #reference))
            }
            _ => output.clone(),
        }
    }

    pub(super) fn any(&self, i: usize, all: &[Target]) -> TokenStream {
        let p = &self.p;
        let first = common(all.iter().map(|target| &target.block));
        let tries = all.iter().enumerate().map(|(lane, target)| {
            let (started, future) = self.started(i, lane, target, false);
            let (span, _) = ends(&target.block.expr);
            let (block, site) = (format_ident!("__b{}", lane), format_ident!("__s{}", lane));
            let block = quote_spanned!(span=> &#block);
            let output = self.agreed(&quote!(#site), first, &target.block, &quote!(__o), &block);
            let cfg = &target.block.cfg;
            quote! {#cfg {
                #started
                match #future.await {
                    #p::StdResult::Ok(__o) => break '__any #output,
                    #p::StdResult::Err(__e) => #site.failed(__e, &mut __failed)?,
                }
            }}
        });
        let site = self.site(i);
        quote! {
            let __v = '__any: {
                let mut __failed = #p::Vec::new();
                #(#tries)*
                #site.all_failed(__failed)?
            };
        }
    }

    pub(super) fn race(&self, i: usize, all: &[Target], most: Option<&Expr>) -> TokenStream {
        let p = &self.p;
        let gate = self.gate(most);
        let first = common(all.iter().map(|target| &target.block));
        let (mut statements, mut boxes) = (gate, Vec::new());
        for (lane, target) in all.iter().enumerate() {
            let (started, future) = self.started(i, lane, target, most.is_some());
            statements.extend(started);
            let (span, _) = ends(&target.block.expr);
            let (block, site) = (format_ident!("__b{}", lane), format_ident!("__s{}", lane));
            let block = quote_spanned!(span=> &#block);
            let output = self.agreed(&quote!(#site), first, &target.block, &quote!(__o), &block);
            let cfg = &target.block.cfg;
            boxes.push(quote! {
                #cfg
                __race.add(async {
                    let __o = #future.await?;
                    #p::Result::Ok(#output)
                });
            });
        }
        quote! {
            let __v = {
                #statements
                let mut __race = #p::Race::none();
                #(#boxes)*
                __race.go().await?
            };
        }
    }

    pub(super) fn each_of(
        &self,
        i: usize,
        pick: &ExprClosure,
        blocks: &[(Ident, BlockRef)],
        most: Option<&Expr>,
    ) -> TokenStream {
        let p = &self.p;
        let site = self.site(i);
        let mut pick = pick.clone();
        while pick.inputs.len() < 3 {
            pick.inputs.push(syn::parse_quote!(_));
        }
        let first = common(blocks.iter().map(|(_, block)| block));
        let names = blocks.iter().map(|(name, block)| {
            let cfg = &block.cfg;
            quote!(#cfg #name)
        });
        let values = blocks.iter().enumerate().map(|(n, (_, block))| {
            let (name, value, cfg) = (format_ident!("__b{}", n), self.owned(block), &block.cfg);
            quote!(#cfg let #name = #value;)
        });
        let references = blocks.iter().enumerate().map(|(n, (_, block))| {
            let (name, cfg) = (format_ident!("__b{}", n), &block.cfg);
            quote!(#cfg let #name = &#name;)
        });
        let arms = blocks.iter().enumerate().map(|(n, (name, block))| {
            let value = format_ident!("__b{}", n);
            let (span, _) = ends(&block.expr);
            let value = quote_spanned!(span=> #value);
            let call = if block.is_path() {
                quote!(__site.step(__item, #value))
            } else {
                quote!(__site.step_value(__item, #value))
            };
            let output = self.agreed(&quote!(__site), first, block, &quote!(__o), &value);
            let cfg = &block.cfg;
            quote!(#cfg Each::#name => { let __o = #call.go().await?; #p::Result::Ok(#output) })
        });
        let most = match most {
            Some(most) => quote!(#p::Option::Some(#most)),
            None => quote!(#p::Option::None),
        };
        quote! {
            let __v = {
                #[allow(dead_code, clippy::all, clippy::pedantic)]
                #[derive(#p::Clone, #p::Copy)]
                enum Each { #(#names),* }
                #(#values)*
                #(#references)*
                #site
                    .for_each_by(#p::Many::items(__v), #most, #pick, |__each, __site, __item| async move {
                        match __each { #(#arms)* }
                    })
                    .await?
            };
        }
    }

    pub(super) fn repeat(
        &self,
        i: usize,
        target: &Target,
        condition: &Function,
        until: bool,
        most: Option<&Expr>,
    ) -> TokenStream {
        let p = &self.p;
        let site = self.site(i);
        let (before, first) = self.connected(i, target, quote!(__v));
        let block = self.value(&target.block);
        let call = if target.block.is_path() {
            quote!(__site.repeat(__next, #block))
        } else {
            quote!(__site.step_value(__next, #block))
        };
        let holds = self.condition(i, condition);
        let holds = if until { quote!(#holds) } else { quote!(!#holds) };
        let most = most.map_or_else(|| quote!(#p::PASSES), |most| quote!(#most));
        let (method, name) = (self.ops[i].method.to_string(), written(&target.block.expr));
        quote! {
            let __v = {
                #before
                let mut __next = #first;
                let __most: u32 = #most;
                let mut __lane: u32 = 0;
                loop {
                    let __site = #site.lane(__lane);
                    let __v = #call.go().await?;
                    if #holds {
                        break __v;
                    }
                    __lane += 1;
                    if __lane >= __most {
                        break __site.loop_limit(#method, #name, __most)?;
                    }
                    __next = __v;
                }
            };
        }
    }

    pub(super) fn branch(&self, i: usize, arms: &[Arm], otherwise: Option<&Target>) -> TokenStream {
        let blocks = arms.iter().map(|arm| &arm.block);
        let first = common(blocks.chain(otherwise.map(|target| &target.block)));
        let site = self.site(i);
        let run = |lane: usize, block: &BlockRef, value: TokenStream| {
            let number = u32::try_from(lane).unwrap_or(u32::MAX);
            let value_of = self.value(block);
            let call = if block.is_path() {
                quote!(__site.step(#value, #value_of))
            } else {
                quote!(__site.step_value(#value, #value_of))
            };
            let output = self.agreed(&quote!(__site), first, block, &quote!(__o), &value_of);
            quote!({ let __site = #site.lane(#number); let __o = #call.go().await?; #output })
        };
        let mut out = match otherwise {
            Some(target) => {
                let run = run(arms.len(), &target.block, quote!(__v));
                either(&target.block, &run, &quote!({ #site.no_branch()? }))
            }
            None => quote!({ #site.no_branch()? }),
        };
        for (lane, arm) in arms.iter().enumerate().rev() {
            let with = match &arm.connector {
                None => {
                    let holds = self.condition(i, &arm.condition);
                    let run = run(lane, &arm.block, quote!(__v));
                    quote!({ if #holds #run else #out })
                }
                Some(connector) => {
                    let made = self.made(i, connector, &self.copied(&arm.block));
                    // the condition is on what the connector made, and the other arms want the value
                    let holds = self.condition(i, &arm.condition);
                    let run = run(lane, &arm.block, quote!(__w));
                    quote!({
                        let __w = #made;
                        let __holds = { let __v = __w; (#holds, __v) };
                        let (__holds, __w) = __holds;
                        if __holds #run else #out
                    })
                }
            };
            out = either(&arm.block, &with, &out);
        }
        quote!(let __v = #out;)
    }

    /// What a connector makes of a value.
    pub(super) fn made(&self, i: usize, connector: &Function, value: &TokenStream) -> TokenStream {
        let site = self.site(i);
        match connector {
            Function::Closure(closure) if super::is_async(closure) => {
                self.inlined(i, closure, value)
            }
            Function::Closure(closure) => {
                let closure = padded(closure);
                quote!(#site.map(#value, #closure))
            }
            Function::Path(path) => {
                let by = self.named(i, "map_by");
                quote!(#site.#by(#value, #path))
            }
        }
    }
}

/// What is made of an arm where it is there, and what else.
fn either(arm: &BlockRef, with: &TokenStream, without: &TokenStream) -> TokenStream {
    let cfg = &arm.cfg;
    if cfg.is_always() {
        return with.clone();
    }
    let not = cfg.not();
    quote!({ #cfg #with #not #without })
}

/// The block whose output the others must have.
fn common<'b>(mut blocks: impl Iterator<Item = &'b BlockRef>) -> Option<&'b BlockRef> {
    blocks.find(|block| block.is_path() && block.cfg.is_always())
}
