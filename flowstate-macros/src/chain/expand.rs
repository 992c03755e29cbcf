//! From the operations to straight-line code: one statement an operation, no nesting of types.

mod closures;
mod group;
mod loops;
mod rescues;
mod values;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::model::{BlockRef, Function, Kind, Op, Tap, Target, Thrown};
use crate::block::{Beside, Block, Child, Parts, asked, check_block, note};
use crate::cx::{Cx, ends};
use crate::text::written;
use closures::{is_async, padded};
use loops::Loop;
use values::placed;

pub(super) fn expand(cx: &Cx, block: &Block, ops: &[Op]) -> Parts {
    let mut children: Vec<Child> = Vec::new();
    let mut add = |found: &BlockRef| {
        let before = children.len();
        let (expr, cfg) = (found.expr.clone(), found.cfg.clone());
        note(&mut children, Child { expr, cfg });
        if children.len() > before {
            check_block(cx, block.ident(), &found.expr);
        }
    };
    for found in ops.iter().flat_map(|op| op.kind.blocks()) {
        add(found);
    }
    let loops = loops::loops(cx, ops);
    let writer = Writer { cx, block, p: cx.private(), ops, children: &children, loops };
    let pass = (!writer.loops.is_empty()).then(|| quote!(let mut __pass: u32 = 0;));
    let steps = ops.iter().position(|op| matches!(op.kind, Kind::Rescue { .. }));
    let steps = steps.unwrap_or(ops.len());
    let statements = writer.range(0..steps, &mut (0..writer.loops.len()).collect());
    let me = block.ident();
    let p = &writer.p;
    let (span, _) = ends(&block.returns());
    let mut owner = me.clone();
    owner.set_span(span);
    let end = quote_spanned!(span=> .of::<#owner>());
    let end = quote!(__rt.end(__v) #end);
    let mut chain = quote!(#pass #statements #p::Result::Ok(#end));
    if steps < ops.len() {
        chain = writer.rescues(steps, &chain);
    }
    let asked = asked(cx, &children, block.function.body.clone());
    let waits = ops.iter().any(|op| matches!(op.kind, Kind::Wait { .. }));
    let beside = ops.iter().filter_map(|op| beside(&op.kind, &children)).collect();
    Parts { children, chain, asked, waits, beside, ..Parts::default() }
}

/// The blocks of an operation that run beside each other.
fn beside(kind: &Kind, children: &[Child]) -> Option<Vec<Beside>> {
    let (Kind::Parallel(_, all, _) | Kind::All(all, _) | Kind::Race(all, _)) = kind else {
        return None;
    };
    let child = |block: &BlockRef| {
        let same = written(&block.expr);
        let at = children.iter().position(|child| written(&child.expr) == same)?;
        Some((at, Child { expr: block.expr.clone(), cfg: block.cfg.clone() }))
    };
    Some(all.iter().filter_map(|target| child(&target.block)).collect())
}

struct Writer<'a> {
    cx: &'a Cx,
    block: &'a Block,
    p: TokenStream,
    ops: &'a [Op],
    children: &'a [Child],
    loops: Vec<Loop>,
}

impl Writer<'_> {
    /// `__rt` at an operation.
    fn site(&self, i: usize) -> TokenStream {
        let pass = if self.loops.is_empty() { quote!(0) } else { quote!(__pass) };
        self.site_of(i, &pass)
    }

    fn site_of(&self, i: usize, pass: &TokenStream) -> TokenStream {
        let op = u32::try_from(i).unwrap_or(u32::MAX);
        quote!(__rt.at(#op, #pass))
    }

    /// A method of the runtime, at the place of the method that the user wrote.
    fn named(&self, i: usize, name: &str) -> syn::Ident {
        syn::Ident::new(name, self.ops[i].method.span())
    }

    fn op(&self, i: usize) -> TokenStream {
        let Op { method, kind } = &self.ops[i];
        let site = self.site(i);
        match kind {
            Kind::Step(target) => {
                let run = self.run(i, target, quote!(__v));
                quote!(let __v = #run;)
            }
            Kind::StepIf(condition, target) => self.step_if(i, condition, target),
            Kind::Map(function) => match function {
                Function::Closure(closure) if is_async(closure) => {
                    let value = self.inlined(i, closure, &quote!(__v));
                    quote!(let __v = #value;)
                }
                Function::Closure(closure) => {
                    let closure = padded(closure);
                    quote!(let __v = #site.#method(__v, #closure);)
                }
                Function::Path(path) => {
                    let by = self.named(i, "map_by");
                    quote!(let __v = #site.#by(__v, #path);)
                }
            },
            Kind::TryMap(function) => match function {
                Function::Closure(closure) if is_async(closure) => {
                    let value = self.inlined(i, closure, &quote!(__v));
                    let by = self.ending(i, "try_map", closure, "try_map_own");
                    quote! {
                        let __r = #value;
                        let __v = #site.#by((), |(), _| __r)?;
                    }
                }
                Function::Closure(closure) => {
                    let by = self.ending(i, "try_map", closure, "try_map_own");
                    let closure = padded(closure);
                    quote!(let __v = #site.#by(__v, #closure)?;)
                }
                Function::Path(path) => {
                    let by = self.named(i, "try_map_by");
                    quote!(let __v = #site.#by(__v, #path)?;)
                }
            },
            Kind::Tap(tap) => self.tap(i, tap),
            Kind::TapIf(condition, tap) => {
                let holds = self.condition(i, condition);
                let tap = self.tap(i, tap);
                quote!(if #holds { #tap })
            }
            Kind::ForEach(target, most) => {
                let (before, value) = self.connected(i, target, quote!(__v));
                let block = self.value(&target.block);
                let most = most.as_ref().map(|most| quote!(.max_concurrency(#most)));
                let call = if target.block.is_path() {
                    quote!(#site.#method(#value, #block))
                } else {
                    let (method, value) =
                        (self.named(i, "for_each_value"), placed(&target.block, value));
                    quote!(#site.of(#block).#method(#value))
                };
                quote! {
                    #before
                    let __v = #call #most.go().await?;
                }
            }
            Kind::ThrowIf(condition, thrown) => {
                let holds = self.condition(i, condition);
                let error = match thrown {
                    Thrown::Function(Function::Closure(closure)) => {
                        let closure = padded(closure);
                        let method = self.named(i, "throw_by");
                        quote!(#site.#method(&__v, #closure))
                    }
                    Thrown::Function(Function::Path(value)) | Thrown::Value(value) => {
                        let method = self.named(i, "throw");
                        quote!(#site.#method(#value))
                    }
                };
                quote!(if #holds { #error?; })
            }
            Kind::Parallel(shape, all, most) => self.parallel(i, shape, all, most.as_ref()),
            Kind::All(all, most) => self.all(i, all, most.as_ref()),
            Kind::Any(all) => self.any(i, all),
            Kind::Race(all, most) => self.race(i, all, most.as_ref()),
            Kind::EachOf { pick, blocks, most } => self.each_of(i, pick, blocks, most.as_ref()),
            Kind::Repeat { target, condition, until, most } => {
                self.repeat(i, target, condition, *until, most.as_ref())
            }
            Kind::Branch { arms, otherwise } => self.branch(i, arms, otherwise.as_ref()),
            Kind::ExitIf(condition) => {
                let holds = self.condition(i, condition);
                let mut me = self.block.ident().clone();
                me.set_span(method.span());
                let p = &self.p;
                let end = quote_spanned!(method.span()=> .of::<#me>());
                quote! {
                    if #holds {
                        return #p::Result::Ok(#site.#method(__v) #end);
                    }
                }
            }
            Kind::Side { condition, target } => {
                let side = self.side(i, target);
                match condition {
                    None => side,
                    Some(condition) => {
                        let holds = self.condition(i, condition);
                        quote!(if #holds { #side })
                    }
                }
            }
            Kind::SideEach(target, most) => {
                let (before, value) = self.connected(i, target, self.copied(&target.block));
                let (p, block) = (&self.p, self.owned(&target.block));
                let name = if target.block.is_path() { "" } else { "_value" };
                let method = self.named(i, &format!("for_each_side_chain{name}"));
                let most = match most {
                    Some(most) => quote!(#p::Option::Some(#most)),
                    None => quote!(#p::Option::None),
                };
                quote!({ #before #site.#method(#value, #block, #most); })
            }
            Kind::SideWait { fail, timeout } => {
                let p = &self.p;
                let fail = fail.as_ref().map_or_else(|| quote!(false), |fail| quote!(#fail));
                let timeout = match timeout {
                    Some(time) => quote!(#p::Option::Some(#p::Duration::from_millis(#time))),
                    None => quote!(#p::Option::None),
                };
                quote!(#site.#method(#fail, #timeout).await?;)
            }
            Kind::Wait { predicate, timeout, wake_on } => {
                let p = &self.p;
                let predicate = match predicate {
                    Function::Closure(closure) => padded(closure),
                    Function::Path(path) => {
                        let by = self.named(i, "when_by");
                        quote!(|__items, _| #site.#by(__items, #path))
                    }
                };
                let wake_on = wake_on.as_ref().map_or_else(|| quote!(|_, _| true), |f| quote!(#f));
                let timeout = quote!(#p::Duration::from_millis(#timeout));
                quote!(let __v = #site.#method(__v, #timeout, #predicate, #wake_on).await;)
            }
            Kind::LoopBack { .. } | Kind::Rescue { .. } => TokenStream::new(),
        }
    }

    fn side(&self, i: usize, target: &Target) -> TokenStream {
        let (before, value) = self.connected(i, target, self.copied(&target.block));
        let (site, block) = (self.site(i), self.owned(&target.block));
        let name = if target.block.is_path() { "side_chain" } else { "side_chain_value" };
        let method = self.named(i, name);
        quote!({ #before #site.#method(#value, #block); })
    }

    /// The output of a block that runs once.
    fn run(&self, i: usize, target: &Target, value: TokenStream) -> TokenStream {
        let (before, value) = self.connected(i, target, value);
        let site = self.site(i);
        let block = self.value(&target.block);
        let call = self.stepped(i, &site, &target.block, value, &block);
        let go = self.go(i, target);
        quote!({ #before #call #go.await? })
    }

    /// What starts a call: with `on_settled` and `abort_signal`, where it has them. What is aborted is dropped, and so told.
    fn go(&self, i: usize, target: &Target) -> TokenStream {
        let site = self.site(i);
        let settled = target.settled.as_ref().map(|function| {
            let on_settled = self.named(i, "on_settled");
            quote!(|__c| #site.#on_settled(#function).of(__c.go()))
        });
        let aborts = target.aborts.as_ref().map(|function| {
            let abort_signal = self.named(i, "abort_signal");
            let run = settled.clone().unwrap_or_else(|| quote!(|__c| __c.go()));
            quote!(|__c| #site.#abort_signal(#function).of(__c, #run))
        });
        match aborts.or(settled) {
            Some(by) => quote!(.by(#by)),
            None => quote!(.go()),
        }
    }

    fn step_if(&self, i: usize, condition: &Function, target: &Target) -> TokenStream {
        let (site, method) = (self.site(i), &self.ops[i].method);
        let (holds, block) = (self.condition(i, condition), &target.block);
        if target.connector.is_some() {
            // the block takes something else, so only its output must be the value again
            let run = self.run(i, target, quote!(__v));
            let (like, output) = (placed(block, quote!(__like)), placed(block, quote!(__o)));
            let replaced = if block.is_path() {
                let (method, block) = (self.named(i, "replaced"), self.value(block));
                quote!(#site.#method(#like, #output, #block))
            } else {
                let method = self.named(i, "replaced_value");
                quote!(#site.#method(#like, #output))
            };
            return quote! {
                let __like = __rt.like(&__v);
                let __v = if #holds {
                    let __o = #run;
                    #replaced
                } else {
                    __v
                };
            };
        }
        let (value, go) = (self.value(block), self.go(i, target));
        let call = if block.is_path() {
            quote!(#site.#method(__v, __holds, #value))
        } else {
            let method = self.named(i, "step_if_value");
            let given = placed(block, quote!(__v));
            quote!(#site.of(#value).#method(#given, __holds))
        };
        quote! {
            let __holds = #holds;
            let __v = #call #go.await?;
        }
    }

    /// The call that runs a block with a value.
    fn stepped(
        &self,
        i: usize,
        site: &TokenStream,
        block: &BlockRef,
        value: TokenStream,
        reference: &TokenStream,
    ) -> TokenStream {
        if block.is_path() {
            let method = self.named(i, "step");
            quote!(#site.#method(#value, #reference))
        } else {
            let (method, value) = (self.named(i, "step_value"), placed(block, value));
            quote!(#site.of(#reference).#method(#value))
        }
    }

    /// The block's input: the value, or what the connector makes of it.
    fn connected(
        &self,
        i: usize,
        target: &Target,
        value: TokenStream,
    ) -> (TokenStream, TokenStream) {
        let Some(connector) = &target.connector else { return (TokenStream::new(), value) };
        let made = self.made(i, connector, &value);
        (quote!(let __w = #made;), quote!(__w))
    }

    fn tap(&self, i: usize, tap: &Tap) -> TokenStream {
        let site = self.site(i);
        match tap {
            Tap::Function(Function::Closure(closure)) if is_async(closure) => {
                let value = self.inlined(i, closure, &quote!(&__v));
                let end = self.ending(i, "tap_end", closure, "tap_own_end");
                quote!(#site.#end(#value)?;)
            }
            Tap::Function(Function::Closure(closure)) => {
                let method = self.ending(i, "tap", closure, "tap_own");
                let closure = padded(closure);
                quote!(#site.#method(&__v, #closure)?;)
            }
            Tap::Function(Function::Path(path)) => {
                let (end, by) = (self.named(i, "tap_own_end"), self.named(i, "map_by"));
                quote!(#site.#end(#site.#by(&__v, #path))?;)
            }
            Tap::Block(target) => {
                let run = self.run(i, target, self.copied(&target.block));
                quote!(let _ = #run;)
            }
        }
    }
}
