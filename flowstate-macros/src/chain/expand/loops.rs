//! `loop_back`: which loops there are, and the statements round their part.

use std::ops::Range;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Path;

use super::Writer;
use crate::chain::model::{Kind, Op};
use crate::cx::{Cx, ends};

/// A `loop_back`: from which operation, back to which.
pub(super) struct Loop {
    from: usize,
    to: usize,
}

pub(super) fn loops(cx: &Cx, ops: &[Op]) -> Vec<Loop> {
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

pub(super) fn last(path: &Path) -> String {
    path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
}

impl Writer<'_> {
    /// The statements of some operations; loops among `open` that lie inside are written round their part.
    pub(super) fn range(&self, range: Range<usize>, open: &mut Vec<usize>) -> TokenStream {
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

    pub(super) fn looped(&self, from: usize, to: usize, inside: &TokenStream) -> TokenStream {
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
}
