//! From the operations to straight-line code: one statement an operation, no nesting of types.

use std::ops::Range;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::visit::Visit;
use syn::{Expr, ExprClosure, ExprPath, Path, ReturnType};

use super::model::{BlockRef, Failures, Function, Kind, Op, Tap, Target, Thrown};
use crate::block::{Beside, Block, Child, Parts, alias, asked, check_block, lowered, note};
use crate::cx::{Cx, check, ends, placed_at};
use crate::text::written;

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
    let loops = loops(cx, ops);
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

/// A `loop_back`: from which operation, back to which.
struct Loop {
    from: usize,
    to: usize,
}

fn loops(cx: &Cx, ops: &[Op]) -> Vec<Loop> {
    let mut all: Vec<Loop> = Vec::new();
    for (from, op) in ops.iter().enumerate() {
        let Kind::LoopBack { target, .. } = &op.kind else {
            continue;
        };
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
    children: &'a [Child],
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
        let direct = self.ops[to].runs().filter(|target| {
            target.connector.is_none()
                && target.block.is_path()
                && matches!(self.ops[to].kind, Kind::Step(_) | Kind::StepIf(..))
        });
        let back = if let Some(step) = direct {
            let value = self.unit(&step.block.expr, target);
            quote!(#site.#method(__v).to(#value))
        } else {
            let (first, last) = ends(target);
            let (began, value) = (quote!(__first), quote!(__v));
            let same = quote_spanned!(first=> #began.with);
            // braces, so that the whole argument is at the user's place
            let args = quote_spanned!(last=> ({ #site.#method(#value) }));
            quote!(#same #args)
        };
        quote! {
            let __v = {
                let __first = __rt.like(&__v);
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

    /// The method for a closure that ends in a `Result`: `own` where the closure says what its error is.
    fn ending(&self, i: usize, method: &str, closure: &ExprClosure, own: &str) -> syn::Ident {
        self.named(i, if names_error(closure) { own } else { method })
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

    /// A chain, and what is run in its place where it fails.
    fn rescues(&self, first: usize, chain: &TokenStream) -> TokenStream {
        let p = &self.p;
        let site = self.site_of(first, &quote!(0));
        let clauses = self.ops.iter().enumerate().skip(first).filter_map(|(i, op)| {
            let Kind::Rescue { of, block } = &op.kind else { return None };
            let site = self.site_of(i, &quote!(0));
            let condition = match of {
                Failures::All => None,
                Failures::Of(ty) => {
                    let (span, _) = ends(ty);
                    let (p, error) = (self.cx.private_at(span), quote!(&__e));
                    Some(quote_spanned!(span=> if <#ty as #p::Rescuable>::matches(#error)))
                }
                Failures::Code(code) => {
                    let has_code = self.named(i, "has_code");
                    Some(quote!(if #site.#has_code(&__e, #code)))
                }
            };
            let value = self.owned(block);
            let like = placed(block, quote!(#p::Like::<__Output>::TYPE));
            let (failure, reference) = (placed(block, quote!(__i)), placed(block, quote!(&__b)));
            let call = if block.is_path() {
                let method = self.named(i, "rescue");
                quote!(#site.#method(#like, #failure, #reference).go().await)
            } else {
                let [step, end] = ["step_value", "end_value"].map(|name| self.named(i, name));
                let output = placed(block, quote!(__o));
                quote! {{
                    let __o = #site.of(#reference).#step(#failure).go().await?;
                    #p::Result::Ok(#site.#end(#like, #output))
                }}
            };
            let reached = match self.ops.get(i.wrapping_sub(1)).map(|op| &op.kind) {
                Some(Kind::Rescue { of: Failures::Of(ty), .. }) => check(
                    &self.ops[i].method,
                    quote!(#p::reached),
                    &quote!(<#ty as #p::Rescuable>::EVERY),
                ),
                _ => TokenStream::new(),
            };
            Some(quote! {
                #reached
                #condition {
                    let __b = #value;
                    let __i = #p::Rescued::new(__e);
                    return #call;
                }
            })
        });
        quote! {
            let __done: #p::Result<__Output> = #p::rescued(async { #chain }).await;
            let __e = match __done {
                #p::Result::Ok(__v) => return #p::Result::Ok(__v),
                #p::Result::Err(__e) => #site.rescuable(__e)?,
            };
            #(#clauses)*
            #[allow(unreachable_code)]
            #p::Result::Err(__e)
        }
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
            Function::Path(path) => {
                let by = self.named(i, "when_by");
                quote!(#site.#by(&__v, #path))
            }
        }
    }

    /// An async closure as an async block in place, so that nothing is boxed.
    fn inlined(&self, i: usize, closure: &ExprClosure, value: &TokenStream) -> TokenStream {
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

    /// The name under which generated code knows a block that is a plain path.
    fn alias(&self, step: &Expr, at: &impl ToTokens) -> syn::Ident {
        let text = written(step);
        let known = self.children.iter().position(|child| written(&child.expr) == text);
        alias(known.unwrap_or_default(), at)
    }

    /// The value of a block that is a plain path. A type is named, never a value: a wrong name gives one error.
    fn unit(&self, step: &Expr, at: &impl ToTokens) -> TokenStream {
        let step = self.alias(step, at);
        let (first, last) = ends(at);
        let p = self.cx.private_at(first);
        let head = quote_spanned!(first=> <#step as #p::ByName>::by_name);
        let call = quote_spanned!(last=> ());
        quote!(#head #call)
    }

    /// A copy of the value, at the place of the block that takes it: where it cannot be cloned, the block says so.
    fn copied(&self, block: &BlockRef) -> TokenStream {
        let (span, _) = ends(&block.expr);
        let p = self.cx.private_at(span);
        quote_spanned!(self.block.at(span)=> #p::Clone::clone(&__v))
    }

    /// A reference to a block's value.
    fn value(&self, block: &BlockRef) -> TokenStream {
        let (span, _) = ends(&block.expr);
        let value = self.owned(block);
        quote_spanned!(span=> &#value)
    }

    /// A block's value.
    fn owned(&self, block: &BlockRef) -> TokenStream {
        match &block.expr {
            Expr::Path(path) => self.unit(&block.expr, path),
            other => {
                let (span, _) = ends(other);
                let p = self.cx.private_at(span);
                let text = written(other);
                let known = self.children.iter().position(|child| written(&child.expr) == text);
                let made = lowered(self.cx, known.unwrap_or_default(), other);
                quote_spanned!(span=> #p::IntoBlock::into_block(#made))
            }
        }
    }
}

/// Blocks that run side by side, and the loops of one block.
mod group;

/// An argument at the place of a block, so that it is the block which does not fit.
fn placed(block: &BlockRef, argument: TokenStream) -> TokenStream {
    placed_at(ends(&block.expr).0, argument)
}

fn is_async(closure: &ExprClosure) -> bool {
    closure.asyncness.is_some() || matches!(&*closure.body, Expr::Async(_))
}

/// Whether the type of a closure's error is written, or follows from its body. Else it is `Error`: what `?`, `into`, a macro and a
/// lone `Ok` make is known by what is wanted.
fn names_error(closure: &ExprClosure) -> bool {
    #[derive(Default)]
    struct Found {
        open: bool,
        ok: bool,
        err: bool,
    }
    impl Visit<'_> for Found {
        fn visit_expr_try(&mut self, _: &syn::ExprTry) {
            self.open = true;
        }
        fn visit_ident(&mut self, word: &syn::Ident) {
            self.open |= ["into", "Into", "From"].iter().any(|known| word == known);
        }
        fn visit_macro(&mut self, called: &syn::Macro) {
            self.open |= !["format", "println", "vec", "matches", "json"]
                .iter()
                .any(|known| called.path.segments.last().is_some_and(|last| last.ident == known));
        }
        fn visit_expr_call(&mut self, call: &syn::ExprCall) {
            if let Expr::Path(ExprPath { qself: None, path, .. }) = &*call.func
                && path.segments.iter().all(|part| part.arguments.is_none())
                && let Some(last) = path.segments.last()
            {
                self.ok |= last.ident == "Ok";
                self.err |= last.ident == "Err";
            }
            syn::visit::visit_expr_call(self, call);
        }
    }
    let mut found = Found::default();
    found.visit_expr(&closure.body);
    let written = matches!(closure.output, ReturnType::Type(..));
    written || !found.open && (!found.ok || found.err)
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
