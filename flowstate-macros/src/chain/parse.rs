//! From the body's expression to a list of operations.

use proc_macro2::Ident;
use syn::{Expr, ExprMethodCall, FnArg, Pat};

use super::arguments::Args;
use super::model::{Failures, Kind, Op};
use super::table::METHODS;
use crate::block::Block;
use crate::cx::Cx;
use crate::text::{nearest, plain_expr, suggestion, written};

pub(super) fn parse(cx: &Cx, block: &Block) -> Vec<Op> {
    let body = block.function.body.clone();
    let (Some(input), Some(root)) = (input_name(cx, block), body_expr(cx, block, body)) else {
        return Vec::new();
    };
    let mut calls = Vec::new();
    let mut expr = root;
    loop {
        expr = match plain_expr(expr) {
            Expr::MethodCall(call) => {
                let receiver = (*call.receiver).clone();
                calls.push(call);
                receiver
            }
            Expr::Path(path) if path.path.is_ident(&input) => break,
            other => {
                not_a_chain(cx, &other, &input);
                return Vec::new();
            }
        };
    }
    calls.reverse();
    let ops: Vec<Op> = calls.into_iter().filter_map(|call| op(cx, call)).collect();
    rescues_last(cx, &ops);
    ops
}

/// What stands behind a `rescue` would not run on its value, nor be covered by it.
fn rescues_last(cx: &Cx, ops: &[Op]) {
    if let Some(Op { method, kind: Kind::Rescue { .. } }) = ops.first() {
        cx.error(method, "there is nothing before this `rescue` that could fail");
        return;
    }
    let mut seen: Vec<String> = Vec::new();
    for Op { method, kind } in ops {
        let Kind::Rescue { of, .. } = kind else { continue };
        let of = match of {
            Failures::All => continue,
            Failures::Of(ty) => format!("`{}`", written(ty)),
            Failures::Code(code) => format!("the code `{}`", written(code)),
        };
        if seen.contains(&of) {
            let text = format!("this `rescue` is never reached: one before it takes {of}");
            cx.error(method, text);
        }
        seen.push(of);
    }
    for pair in ops.windows(2) {
        let Kind::Rescue { of, .. } = &pair[0].kind else { continue };
        let method = &pair[1].method;
        if !matches!(pair[1].kind, Kind::Rescue { .. }) {
            cx.error(method, "a `rescue` ends the chain: put it last, or rescue one block, `step(block.rescue::<…>(…))`");
            return;
        }
        if matches!(of, Failures::All) {
            cx.error(
                method,
                "this `rescue` is never reached: the one before it takes every failure",
            );
        }
    }
}

fn not_a_chain(cx: &Cx, other: &Expr, input: &Ident) {
    match other {
        Expr::Await(found) => cx.error(
            found.await_token,
            "a chain awaits by itself; for ordinary Rust write `async fn` and `ctx.step(…).await?`",
        ),
        Expr::Try(found) => cx.error(
            found.question_token,
            "in a chain an error ends the sequencer by itself: leave the `?` out",
        ),
        other => cx.error(
            other,
            format!(
                "a sequencer's body is one chain of methods on its input, `{input}.step(…)`; for ordinary Rust \
                 write `async fn` with `ctx: Ctx`"
            ),
        ),
    }
}

fn input_name(cx: &Cx, block: &Block) -> Option<Ident> {
    let Some(FnArg::Typed(arg)) = block.function.sig.inputs.first() else {
        return None;
    };
    match &*arg.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(pat.ident.clone()),
        other => {
            cx.error(other, "a chain's input has a name, which the chain begins with");
            None
        }
    }
}

fn body_expr(cx: &Cx, block: &Block, body: proc_macro2::TokenStream) -> Option<Expr> {
    let body: syn::Block = match syn::parse2(body) {
        Ok(body) => body,
        Err(error) => {
            cx.push(error);
            return None;
        }
    };
    let say = "a sequencer's body is one chain of methods on its input; for ordinary Rust write `async fn` with \
               `ctx: Ctx`";
    match body.stmts.as_slice() {
        [syn::Stmt::Expr(expr, None)] => Some(expr.clone()),
        [syn::Stmt::Expr(_, Some(semi))] => {
            cx.error(semi, "a chain's value is what the sequencer returns: leave the `;` out");
            None
        }
        [first, ..] => {
            cx.error(first, say);
            None
        }
        [] => {
            cx.error(block.ident(), say);
            None
        }
    }
}

fn op(cx: &Cx, call: ExprMethodCall) -> Option<Op> {
    let name = call.method.to_string();
    let Some(method) = METHODS.iter().find(|method| method.name == name) else {
        let known: Vec<_> = METHODS.iter().map(|method| method.name).collect();
        let hint = match nearest(&name, known.iter().copied()) {
            Some(near) => format!(": did you mean `{near}`?"),
            None => suggestion(&name, &known),
        };
        cx.error(&call.method, format!("a sequencer has no method `{name}`{hint}"));
        return None;
    };
    if let Some(turbofish) = &call.turbofish
        && name != "rescue"
    {
        cx.error(turbofish, format!("`{name}` takes no type arguments"));
    }
    let args = Args::read(cx, method, &call);
    let kind = args.kind(cx, call.turbofish.as_ref())?;
    Some(Op { method: call.method, kind })
}
