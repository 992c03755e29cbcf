//! From the operations to straight-line code: one statement an operation, no nesting of types.

use std::ops::Range;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprClosure, Path, ReturnType};

use super::parse::{BlockRef, Function, Kind, Op, Tap, Target, Thrown};
use crate::block::{Block, Child, Parts, add, itself};
use crate::cx::{Cx, ends};

pub(super) fn expand(cx: &Cx, block: &Block, ops: &[Op]) -> Parts {
    let mut children: Vec<Child> = Vec::new();
    let mut note = |found: &BlockRef| {
        itself(cx, block, found.path.as_ref());
        let (expr, path, cfg) = (found.expr.clone(), found.path.clone(), found.cfg.clone());
        add(&mut children, Child { expr, path, cfg });
    };
    for found in ops.iter().flat_map(|op| op.kind.blocks()) {
        note(found);
    }
    let loops = loops(cx, ops);
    let writer = Writer { cx, block, p: cx.private(), ops, loops };
    let pass = (!writer.loops.is_empty()).then(|| quote!(let mut __pass: u32 = 0;));
    let statements = writer.range(0..ops.len(), &mut (0..writer.loops.len()).collect());
    let me = block.ident();
    let p = &writer.p;
    let (span, _) = ends(&block.returns());
    let owner = quote_spanned!(span=> #me);
    let end = quote_spanned!(block.at(span)=> __rt.end::<_, #owner>(__v));
    let chain = quote!(#pass #statements #p::Result::Ok(#end));
    Parts { function: TokenStream::new(), children, chain, sites: 0 }
}

/// A `loop_back`: from which operation, back to which.
struct Loop {
    from: usize,
    to: usize,
}

fn loops(cx: &Cx, ops: &[Op]) -> Vec<Loop> {
    let mut all: Vec<Loop> = Vec::new();
    for (from, op) in ops.iter().enumerate() {
        let Kind::LoopBack { target, .. } = &op.kind else { continue };
        let runs = |op: &Op| {
            op.runs()
                .and_then(|target| target.block.path.as_ref())
                .is_some_and(|p| last(p) == last(target))
        };
        let Some(to) = ops[..from].iter().rposition(runs) else {
            let name = last(target);
            cx.error(target, format!("`{name}` is not an earlier step of this sequencer"));
            continue;
        };
        let crosses = |other: &Loop| other.to < to && to <= other.from && other.from < from;
        let inside = |other: &Loop| to < other.to && other.to <= from && from < other.from;
        if all.iter().any(|other| crosses(other) || inside(other)) {
            cx.error(
                target,
                "this loop begins inside another loop and ends outside of it: loops nest or stand apart",
            );
            continue;
        }
        all.push(Loop { from, to });
    }
    all
}

fn last(path: &Path) -> String {
    path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
}

struct Writer<'a> {
    cx: &'a Cx,
    block: &'a Block,
    p: TokenStream,
    ops: &'a [Op],
    loops: Vec<Loop>,
}

impl Writer<'_> {
    /// The statements of some operations; loops among `open` that lie inside are written round their part.
    fn range(&self, range: Range<usize>, open: &mut Vec<usize>) -> TokenStream {
        let mut out = TokenStream::new();
        let mut i = range.start;
        while i < range.end {
            let outermost = open
                .iter()
                .copied()
                .filter(|index| self.loops[*index].to == i && self.loops[*index].from < range.end)
                .max_by_key(|index| self.loops[*index].from);
            if let Some(index) = outermost {
                open.retain(|other| *other != index);
                let Loop { from, to } = self.loops[index];
                let inside = self.range(to..from, open);
                out.extend(self.looped(from, to, &inside));
                i = from + 1;
            } else {
                out.extend(self.op(i));
                i += 1;
            }
        }
        out
    }

    fn looped(&self, from: usize, to: usize, inside: &TokenStream) -> TokenStream {
        let Kind::LoopBack { target, when, most } = &self.ops[from].kind else {
            return TokenStream::new();
        };
        let method = &self.ops[from].method;
        let more = match when {
            Some(when) => {
                let holds = self.condition(from, when);
                quote!(&& #holds)
            }
            None => TokenStream::new(),
        };
        let site = self.site(from);
        let direct = self.ops[to].runs().is_some_and(|target| {
            target.connector.is_none()
                && target.block.is_path()
                && matches!(self.ops[to].kind, Kind::Step(_) | Kind::StepIf(..))
        });
        let back = if direct {
            let value = unit(self.cx, target);
            quote!(#site.#method(__v, #value))
        } else {
            let (span, _) = ends(target);
            quote_spanned!(self.block.at(span)=> __v)
        };
        quote! {
            let __v = {
                let mut __next = __v;
                let mut __left: u32 = #most;
                loop {
                    let __v = __next;
                    #inside
                    if __left > 0 #more {
                        __left -= 1;
                        __pass += 1;
                        __next = #back;
                        continue;
                    }
                    break __v;
                }
            };
        }
    }

    /// `__rt` at an operation.
    fn site(&self, i: usize) -> TokenStream {
        let op = u32::try_from(i).unwrap_or(u32::MAX);
        let pass = if self.loops.is_empty() { quote!(0) } else { quote!(__pass) };
        quote!(__rt.at(#op, #pass))
    }

    fn op(&self, i: usize) -> TokenStream {
        let Op { method, kind } = &self.ops[i];
        let site = self.site(i);
        match kind {
            Kind::Step(target) => {
                let run = self.run(i, target, quote!(__v));
                quote!(let __v = #run;)
            }
            Kind::StepIf(condition, target) => {
                let holds = self.condition(i, condition);
                if target.connector.is_some() || !target.block.is_path() {
                    // the block takes something else than the value, so only its output must be the value again
                    let run = self.run(i, target, quote!(__v));
                    return quote!(let __v = if #holds { #run } else { __v };);
                }
                let block = self.value(&target.block);
                quote! {
                    let __holds = #holds;
                    let __v = #site.#method(__v, __holds, #block).go().await?;
                }
            }
            Kind::Map(function) => match function {
                Function::Closure(closure) if is_async(closure) => {
                    let value = self.inlined(i, closure, quote!(__v));
                    quote!(let __v = #value;)
                }
                Function::Closure(closure) => {
                    let closure = padded(closure);
                    quote!(let __v = #site.#method(__v, #closure);)
                }
                Function::Path(path) => quote!(let __v = #site.map_by(__v, #path);),
            },
            Kind::TryMap(function) => match function {
                Function::Closure(closure) if is_async(closure) => {
                    let value = self.inlined(i, closure, quote!(__v));
                    quote! {
                        let __r = #value;
                        let __v = #site.#method((), |(), _| __r)?;
                    }
                }
                Function::Closure(closure) => {
                    let closure = padded(closure);
                    quote!(let __v = #site.#method(__v, #closure)?;)
                }
                Function::Path(path) => quote!(let __v = #site.try_map_by(__v, #path)?;),
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
                    quote!(#site.for_each_value(#value, #block))
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
                        quote!(#site.throw_by::<(), _, _>(&__v, #closure))
                    }
                    Thrown::Function(Function::Path(value)) | Thrown::Value(value) => {
                        quote!(#site.throw::<(), _>(#value))
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
                let me = self.block.ident();
                let p = &self.p;
                quote! {
                    if #holds {
                        return #p::Result::Ok(#site.#method::<_, #me>(__v));
                    }
                }
            }
            Kind::LoopBack { .. } => TokenStream::new(),
        }
    }

    /// The output of a block that runs once.
    fn run(&self, i: usize, target: &Target, value: TokenStream) -> TokenStream {
        let (before, value) = self.connected(i, target, value);
        let site = self.site(i);
        let method = syn::Ident::new("step", self.ops[i].method.span());
        let block = self.value(&target.block);
        let call = if target.block.is_path() {
            quote!(#site.#method(#value, #block))
        } else {
            quote!(#site.step_value(#value, #block))
        };
        quote!({ #before #call.go().await? })
    }

    /// The block's input: the value, or what the connector makes of it.
    fn connected(
        &self,
        i: usize,
        target: &Target,
        value: TokenStream,
    ) -> (TokenStream, TokenStream) {
        let Some(connector) = &target.connector else { return (TokenStream::new(), value) };
        let made = self.made(i, connector, value);
        (quote!(let __w = #made;), quote!(__w))
    }

    fn tap(&self, i: usize, tap: &Tap) -> TokenStream {
        let site = self.site(i);
        match tap {
            Tap::Function(Function::Closure(closure)) if is_async(closure) => {
                let value = self.inlined(i, closure, quote!(&__v));
                quote!(#site.tap_end(#value)?;)
            }
            Tap::Function(Function::Closure(closure)) => {
                let closure = padded(closure);
                let method = syn::Ident::new("tap", self.ops[i].method.span());
                quote!(#site.#method(&__v, #closure)?;)
            }
            Tap::Function(Function::Path(path)) => {
                quote!(#site.tap_end(#site.map_by(&__v, #path))?;)
            }
            Tap::Block(target) => {
                let (span, _) = ends(&target.block.expr);
                let p = self.cx.private_at(span);
                // where the value cannot be cloned, the block says so
                let copy = quote_spanned!(self.block.at(span)=> #p::Clone::clone(&__v));
                let run = self.run(i, target, copy);
                quote!(let _ = #run;)
            }
        }
    }

    fn condition(&self, i: usize, condition: &Function) -> TokenStream {
        let site = self.site(i);
        match condition {
            Function::Closure(closure) if is_async(closure) => {
                self.cx.error(
                    closure,
                    "a condition is not async: find out before, in a `map` or a `step`",
                );
                quote!(false)
            }
            Function::Closure(closure) => {
                let closure = padded(closure);
                quote!(#site.when(&__v, #closure))
            }
            Function::Path(path) => quote!(#site.when_by(&__v, #path)),
        }
    }

    /// An async closure as an async block in place, so that nothing is boxed.
    fn inlined(&self, i: usize, closure: &ExprClosure, value: TokenStream) -> TokenStream {
        let site = self.site(i);
        let mut inputs = closure.inputs.iter();
        let first = inputs.next();
        let second = inputs.next().map(|ctx| quote!(let #ctx = #site.ctx();));
        let body = match &*closure.body {
            // the statements alone: braces round one expression would be a lint in the user's code
            Expr::Async(syn::ExprAsync { block, .. })
            | Expr::Block(syn::ExprBlock { block, label: None, .. }) => {
                let statements = &block.stmts;
                quote!(#(#statements)*)
            }
            other => quote!(#other),
        };
        let run = quote!(async { let #first = #value; #second #body }.await);
        match &closure.output {
            ReturnType::Type(_, ty) => quote!({ let __r: #ty = #run; __r }),
            ReturnType::Default => run,
        }
    }

    /// A block's value.
    fn value(&self, block: &BlockRef) -> TokenStream {
        match &block.expr {
            Expr::Path(path) => unit(self.cx, &path.path),
            other => {
                let (span, _) = ends(other);
                let p = self.cx.private_at(span);
                quote_spanned!(span=> &#p::IntoBlock::into_block(#other))
            }
        }
    }
}

/// Blocks that run side by side, and the loops of one block: see `group`.
mod group;

/// The value of a block that is named by its path. A type is named, never a value: a wrong name gives one error.
fn unit(cx: &Cx, path: &Path) -> TokenStream {
    let (first, last) = ends(path);
    let p = cx.private_at(first);
    let head = quote_spanned!(first=> &<#path as #p::Default>::default);
    let call = quote_spanned!(last=> ());
    quote!(#head #call)
}

fn is_async(closure: &ExprClosure) -> bool {
    closure.asyncness.is_some() || matches!(&*closure.body, Expr::Async(_))
}

/// A closure with two arguments, so that one runtime method serves both forms.
fn padded(closure: &ExprClosure) -> TokenStream {
    let mut closure = closure.clone();
    if closure.inputs.len() == 1 {
        closure.inputs.push(syn::Pat::Wild(syn::PatWild {
            attrs: Vec::new(),
            underscore_token: syn::Token![_](Span::call_site()),
        }));
    }
    quote!(#closure)
}
