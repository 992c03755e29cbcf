//! A block that is an expression: `a.connect_input(…)`, `a.rescue::<E>(b)`, `again(a)`. Each name in it is written as a
//! type, and each adapter as a function that says in one error what does not fit.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprMethodCall, GenericArgument, Path, Type};

use crate::cx::{Cx, ends};
use crate::text::plain_expr;

/// Whether a name can be that of a block: a constant's or a variant's is not.
fn names_block(path: &Path) -> bool {
    let of_type = path.segments.iter().rev().nth(1);
    if of_type.is_some_and(|of| of.ident.to_string().starts_with(char::is_uppercase)) {
        return false;
    }
    let last = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    last.chars().any(char::is_lowercase)
}

pub(super) fn is_again(callee: &Expr) -> bool {
    matches!(callee, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "again"))
}

fn is_rescue(call: &ExprMethodCall) -> bool {
    call.method == "rescue" || call.method == "rescue_code"
}

/// The block among the arguments of an adapter.
fn fallback(call: &ExprMethodCall) -> Option<&Expr> {
    is_rescue(call).then(|| call.args.last()).flatten()
}

/// The names of blocks in an expression, in order, and whether each is led back to.
pub(crate) fn names(expr: &Expr) -> Vec<(&Path, bool)> {
    let mut out = Vec::new();
    collect(expr, false, &mut out);
    out
}

fn collect<'e>(expr: &'e Expr, again: bool, out: &mut Vec<(&'e Path, bool)>) {
    match expr {
        Expr::Group(group) => collect(&group.expr, again, out),
        Expr::Paren(paren) => collect(&paren.expr, again, out),
        Expr::Path(path) if path.qself.is_none() && names_block(&path.path) => {
            out.push((&path.path, again));
        }
        Expr::MethodCall(call) => {
            collect(&call.receiver, again, out);
            if let Some(fallback) = fallback(call) {
                collect(fallback, again, out);
            }
        }
        Expr::Call(call) if is_again(&call.func) && call.args.len() == 1 => {
            collect(&call.args[0], true, out);
        }
        _ => {}
    }
}

/// Says what is wrong with the expression of a block, as far as its text tells.
pub(crate) fn check(cx: &Cx, name: &Ident, expr: &Expr) {
    for (path, again) in names(expr) {
        // a block that runs itself is a cycle that the compiler explains at great length
        if !again && path.is_ident(name) {
            cx.error(path, format!("`{name}` runs itself: lead back to it with `again({name})`"));
        }
    }
    check_form(cx, expr);
}

fn check_form(cx: &Cx, expr: &Expr) {
    match expr {
        Expr::Group(group) => check_form(cx, &group.expr),
        Expr::Paren(paren) => check_form(cx, &paren.expr),
        Expr::Call(call)
            if is_again(&call.func)
                && call.args.len() == 1
                && !matches!(plain_expr(call.args[0].clone()), Expr::Path(_)) =>
        {
            let text = "`again` leads back to a block by its name: `again(block)`";
            cx.error(&call.args[0], text);
        }
        Expr::MethodCall(call) => {
            check_form(cx, &call.receiver);
            if is_rescue(call) {
                check_rescue(cx, call);
            }
            if let Some(fallback) = fallback(call) {
                check_form(cx, fallback);
            }
        }
        _ => {}
    }
}

fn check_rescue(cx: &Cx, call: &ExprMethodCall) {
    const FORM: &str =
        "it is written `block.rescue::<Error>(other)` or `block.rescue_code(\"…\", other)`";
    if let Some(code) = call.args.iter().find(|arg| matches!(arg, Expr::Assign(_))) {
        cx.error(code, format!("the `rescue` of a block has no options: {FORM}"));
        return;
    }
    let by_type = call.method == "rescue";
    if by_type && error_type(call).is_none() {
        match &call.turbofish {
            Some(turbofish) => {
                cx.error(turbofish, format!("a `rescue` names one type of error: {FORM}"));
            }
            None => cx.error(
                &call.method,
                format!("the `rescue` of a block says of which error, `Error` for all: {FORM}"),
            ),
        }
        return;
    }
    if let (false, Some(turbofish)) = (by_type, &call.turbofish) {
        cx.error(turbofish, "`rescue_code` takes no type arguments");
    }
    if call.args.len() != if by_type { 1 } else { 2 } {
        let at = call.method.span().join(call.paren_token.span.close());
        cx.error_at(
            at.unwrap_or_else(|| call.method.span()),
            format!("`{}` has an argument too many or too few: {FORM}", call.method),
        );
        return;
    }
    if let Some(Expr::Closure(closure)) = fallback(call) {
        cx.error(closure, format!("expected a block that takes `Rescued`, not a function: {FORM}"));
    }
}

fn error_type(call: &ExprMethodCall) -> Option<&Type> {
    let args = &call.turbofish.as_ref()?.args;
    match (args.first()?, args.len()) {
        (GenericArgument::Type(ty), 1) => Some(ty),
        _ => None,
    }
}

/// The name under which generated code knows one of the [`names`] of a child.
pub(crate) fn alias(index: usize, nth: usize, path: &Path) -> Ident {
    Ident::new(&format!("__step{index}_{nth}"), ends(path).0)
}

/// The expression of child `index`, as generated code writes it.
pub(crate) fn lowered(cx: &Cx, index: usize, expr: &Expr) -> TokenStream {
    lower(cx, index, expr, &mut 0)
}

fn lower(cx: &Cx, index: usize, expr: &Expr, nth: &mut usize) -> TokenStream {
    match expr {
        Expr::Group(group) => lower(cx, index, &group.expr, nth),
        Expr::Paren(paren) => lower(cx, index, &paren.expr, nth),
        Expr::Path(path) if path.qself.is_none() && names_block(&path.path) => {
            let (first, last) = ends(path);
            let (name, p) = (alias(index, *nth, &path.path), cx.private_at(first));
            *nth += 1;
            let head = quote_spanned!(first=> <#name as #p::ByName>::by_name);
            let call = quote_spanned!(last=> ());
            quote!(#head #call)
        }
        Expr::Call(call) if is_again(&call.func) && call.args.len() == 1 => {
            let (callee, inside) = (&call.func, lower(cx, index, &call.args[0], nth));
            quote!(#callee(#inside))
        }
        Expr::MethodCall(call) => {
            let receiver = lower(cx, index, &call.receiver, nth);
            let (method, turbofish, span) = (&call.method, &call.turbofish, call.method.span());
            let p = cx.private_at(span);
            let arguments = call.args.iter().map(|arg| match plain_expr(arg.clone()) {
                // as a closure a function that does not fit is one error, at its name
                Expr::Path(path) if method == "connect_input" || method == "connect_output" => {
                    let (first, last) = ends(&path);
                    let value = Ident::new("__x", proc_macro2::Span::call_site().located_at(first));
                    let head = quote_spanned!(first=> |#value| #path);
                    let call = quote_spanned!(last=> (#value));
                    quote!(#head #call)
                }
                other => quote!(#other),
            });
            let arguments: Vec<_> = arguments.collect();
            let Some(expr) = fallback(call) else {
                return quote!(#receiver.#method #turbofish(#(#arguments),*));
            };
            let named = matches!(plain_expr(expr.clone()), Expr::Path(_));
            let other = lower(cx, index, expr, nth);
            let (ty, code) = (error_type(call), call.args.first());
            match (method == "rescue", named) {
                (true, true) => {
                    let head = quote_spanned!(span=> #p::rescue_by::<#ty, _, _>);
                    quote!(#head(#receiver, #other))
                }
                (false, true) => {
                    let head = quote_spanned!(span=> #p::rescue_by_code);
                    quote!(#head(#receiver, #code, #other))
                }
                (true, false) => quote!(#receiver.rescue #turbofish(#other)),
                (false, false) => quote!(#receiver.rescue_code(#code, #other)),
            }
        }
        other => quote!(#other),
    }
}
