//! `parallel`, `step_all`, `step_any`, `race`, `for_each` with a factory, `do_until`, `do_while`, `branch`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, ExprClosure};

use super::Writer;
use super::closures::padded;
use super::values::placed;
use crate::chain::model::{Arm, BlockRef, Function, Shape, Target};
use crate::cx::{ends, placed_at};
use crate::text::written;

impl Writer<'_> {
    /// One branch: the statements that make its site, its block and its future `__f0`, bound for as long as they run.
    fn started(&self, i: usize, lane: usize, target: &Target, gated: bool) -> (TokenStream, Ident) {
        let number = u32::try_from(lane).unwrap_or(u32::MAX);
        let [site_at, block_at, input_at, future] =
            ["__s", "__b", "__i", "__f"].map(|name| format_ident!("{}{}", name, lane));
        let (before, input) = self.connected(i, target, quote!(__all.copy()));
        let value = self.owned(&target.block);
        let reference = placed(&target.block, quote!(&#block_at));
        let (site, input_of) = (quote!(#site_at), quote!(#input_at));
        let call = self.stepped(i, &site, &target.block, input_of, &reference);
        let site = self.site(i);
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

    /// The value, to be cloned for each block.
    fn several(&self, i: usize) -> TokenStream {
        let (site, method) = (self.site(i), self.named(i, "several"));
        let value = placed_at(method.span(), quote!(&__v));
        quote!(let __all = #site.#method(#value);)
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
        let (all_of, gate) = (self.several(i), self.gate(most));
        let (mut statements, mut futures, mut outputs) =
            (quote!(#all_of #gate), Vec::new(), Vec::new());
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
        let pairs: Vec<_> =
            futures.iter().zip(&outputs).map(|(f, o)| (quote!(#f), quote!(#o))).collect();
        let (future, pattern) = balanced(p, &pairs);
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
                let fields = cfg.zip(names).zip(all.iter().zip(&outputs)).map(
                    |((cfg, name), (target, output))| {
                        let (span, last) = ends(&target.block.expr);
                        let p = self.cx.private_at(span);
                        let field = quote_spanned!(span=> #p::FieldIs::field);
                        let output = placed(&target.block, output.clone());
                        let output = quote_spanned!(last=> (#output));
                        quote!(#cfg #name: #field #output)
                    },
                );
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
            let cfg = &target.block.cfg;
            let output =
                self.agreed(i, &quote!(#site), first, &target.block, output, quote!(&#block));
            quote!(#cfg #output)
        });
        quote!(let __v = { #statements #p::list([#(#outputs),*]) };)
    }

    /// An output as the type that all must have; that of the first block which is named by a path.
    fn agreed(
        &self,
        i: usize,
        site: &TokenStream,
        first: Option<&BlockRef>,
        block: &BlockRef,
        output: TokenStream,
        reference: TokenStream,
    ) -> TokenStream {
        let output = placed(block, output);
        let Some(first) = first else { return output };
        let p = &self.p;
        let path = self.alias(&first.expr, &first.expr);
        let wanted = placed(block, quote!(#p::Like::<<#path as #p::Block>::Output>::TYPE));
        if block.is_path() {
            let (method, reference) = (self.named(i, "output"), placed(block, reference));
            quote!(#site.#method(#wanted, #output, #reference))
        } else {
            let method = self.named(i, "output_value");
            quote!(#site.#method(#wanted, #output))
        }
    }

    pub(super) fn any(&self, i: usize, all: &[Target]) -> TokenStream {
        let p = &self.p;
        let first = common(all.iter().map(|target| &target.block));
        let tries = all.iter().enumerate().map(|(lane, target)| {
            let (started, future) = self.started(i, lane, target, false);
            let (block, site) = (format_ident!("__b{}", lane), format_ident!("__s{}", lane));
            let (site, block) = (quote!(#site), quote!(&#block));
            let output = self.agreed(i, &site, first, &target.block, quote!(__o), block);
            let cfg = &target.block.cfg;
            quote! {#cfg {
                #started
                match #future.await {
                    #p::StdResult::Ok(__o) => break '__any #output,
                    #p::StdResult::Err(__e) => #site.failed(__e, &mut __failed)?,
                }
            }}
        });
        let (site, several) = (self.site(i), self.several(i));
        quote! {
            let __v = '__any: {
                #several
                let mut __failed = #p::Vec::new();
                #(#tries)*
                #site.all_failed(__failed)?
            };
        }
    }

    pub(super) fn race(&self, i: usize, all: &[Target], most: Option<&Expr>) -> TokenStream {
        let p = &self.p;
        let (several, gate) = (self.several(i), self.gate(most));
        let first = common(all.iter().map(|target| &target.block));
        let (mut statements, mut boxes) = (quote!(#several #gate), Vec::new());
        for (lane, target) in all.iter().enumerate() {
            let (started, future) = self.started(i, lane, target, most.is_some());
            statements.extend(started);
            let (block, site) = (format_ident!("__b{}", lane), format_ident!("__s{}", lane));
            let (site, block) = (quote!(#site), quote!(&#block));
            let output = self.agreed(i, &site, first, &target.block, quote!(__o), block);
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
            let (reference, site) = (placed(block, quote!(#value)), quote!(__site));
            let call = self.stepped(i, &site, block, quote!(__item), &reference);
            let output = self.agreed(i, &site, first, block, quote!(__o), reference);
            let cfg = &block.cfg;
            quote!(#cfg Each::#name => { let __o = #call.go().await?; #p::Result::Ok(#output) })
        });
        let method = self.named(i, "for_each_by");
        let value = placed_at(method.span(), quote!(__v));
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
                    .#method::<Each, _, _, _>(#value, #most, #pick, |__each, __site, __item| async move {
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
        let made = self.owned(&target.block);
        let block = placed(&target.block, quote!(&__b));
        let call = if target.block.is_path() {
            let method = self.named(i, "repeat");
            quote!(__site.#method(__next, #block))
        } else {
            let method = self.named(i, "repeat_value");
            let value = placed(&target.block, quote!(__next));
            quote!(__site.of(#block).#method(#value))
        };
        let holds = self.condition(i, condition);
        let holds = if until { quote!(#holds) } else { quote!(!#holds) };
        let most = most.map_or_else(|| quote!(#p::PASSES), |most| quote!(#most));
        let (method, name) = (self.ops[i].method.to_string(), written(&target.block.expr));
        quote! {
            let __v = {
                #before
                let mut __next = #first;
                let __b = #made;
                let __most: u32 = #most;
                let mut __lane: u32 = 0;
                loop {
                    let __site = #site.lane(__lane);
                    let (__call, __same) = #call;
                    let __v = __call.go().await?;
                    if #holds {
                        break __v;
                    }
                    __lane += 1;
                    if __lane >= __most {
                        break __site.loop_limit(#method, #name, __most)?;
                    }
                    __next = __same(__v);
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
            let made = self.owned(block);
            let block_of = quote!(__b);
            let reference = placed(block, quote!(&#block_of));
            let call = self.stepped(i, &quote!(__site), block, value, &reference);
            let output = self.agreed(i, &quote!(__site), first, block, quote!(__o), reference);
            quote!({
                let __site = #site.lane(#number);
                let __b = #made;
                let __o = #call.go().await?;
                #output
            })
        };
        let shared = arms.iter().any(|arm| arm.connector.is_some()).then(|| self.several(i));
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
                    let made = self.made(i, connector, &quote!(__all.copy()));
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
        quote!(let __v = { #shared #out };)
    }

    /// What a connector makes of a value.
    pub(super) fn made(&self, i: usize, connector: &Function, value: &TokenStream) -> TokenStream {
        let site = self.site(i);
        match connector {
            Function::Closure(closure) if super::closures::is_async(closure) => {
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

/// Futures joined in pairs of pairs, so that the type is as deep as a tree is and not as long as a list.
fn balanced(p: &TokenStream, pairs: &[(TokenStream, TokenStream)]) -> (TokenStream, TokenStream) {
    match pairs {
        [] => (quote!(#p::ready(#p::Result::Ok(()))), quote!(())),
        [(future, output)] => (future.clone(), output.clone()),
        _ => {
            let (left, right) = pairs.split_at(pairs.len() / 2);
            let ((a, x), (b, y)) = (balanced(p, left), balanced(p, right));
            (quote!(#p::try_join(#a, #b)), quote!((#x, #y)))
        }
    }
}
