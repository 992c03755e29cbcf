//! A block that an expression makes of the variables of an async body: in a constant there are none, and its type alone counts.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::Expr;

use super::model::{Block, Kind};
use super::written::is_punct;

/// The expression with `loop {}` for each argument of a call that names a variable of the body: there is none in a constant.
pub(super) fn without(block: &Block, expr: &Expr) -> Expr {
    if block.kind != Kind::Written {
        return expr.clone();
    }
    let mut locals = Vec::new();
    let inputs = block.function.sig.inputs.to_token_stream();
    add_names(&inputs.into_iter().collect::<Vec<_>>(), &mut locals);
    add_locals(block.function.body.clone(), &mut locals);
    without_names(expr, &locals)
}

/// The same for these names.
pub(crate) fn without_names(expr: &Expr, names: &[String]) -> Expr {
    let mut expr = expr.clone();
    replace(&mut expr, names);
    expr
}

fn replace(expr: &mut Expr, locals: &[String]) {
    match expr {
        Expr::MethodCall(call) => replace(&mut call.receiver, locals),
        Expr::Group(group) => replace(&mut group.expr, locals),
        Expr::Paren(paren) => replace(&mut paren.expr, locals),
        Expr::Call(call) => {
            for arg in &mut call.args {
                if mentions(arg.to_token_stream(), locals) {
                    *arg = syn::parse_quote!(loop {});
                }
            }
        }
        _ => {}
    }
}

fn mentions(tokens: TokenStream, names: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => names.iter().any(|name| word == name),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}

/// Adds the names that a body binds: whatever stands in the pattern of a `let`, a `for`, an arm or a closure.
fn add_locals(tokens: TokenStream, out: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut i, mut arm) = (0, 0);
    while i < tokens.len() {
        let until = |end: &dyn Fn(&TokenTree) -> bool| {
            tokens[i + 1..].iter().position(end).map_or(tokens.len(), |at| i + 1 + at)
        };
        match &tokens[i] {
            TokenTree::Ident(word) if word == "let" => {
                let end = until(&|token| is_punct(token, '=') || is_punct(token, ';'));
                add_names(&tokens[i + 1..end], out);
                i = end;
                continue;
            }
            TokenTree::Ident(word) if word == "for" => {
                let end = until(&|token| matches!(token, TokenTree::Ident(word) if word == "in"));
                add_names(&tokens[i + 1..end], out);
                i = end;
                continue;
            }
            bar if is_punct(bar, '|') => {
                let end = until(&|token| is_punct(token, '|'));
                add_names(&tokens[i + 1..end], out);
                i = end;
            }
            end if is_punct(end, '>') && i > 0 && is_punct(&tokens[i - 1], '=') => {
                add_names(&tokens[arm..i - 1], out);
            }
            end if is_punct(end, ',') => arm = i + 1,
            TokenTree::Group(group) => {
                add_locals(group.stream(), out);
                if group.delimiter() == Delimiter::Brace {
                    arm = i + 1;
                }
            }
            _ => {}
        }
        i += 1;
    }
}

fn add_names(pattern: &[TokenTree], out: &mut Vec<String>) {
    for token in pattern {
        match token {
            TokenTree::Ident(word) => out.push(word.to_string()),
            TokenTree::Group(group) => {
                add_names(&group.stream().into_iter().collect::<Vec<_>>(), out);
            }
            _ => {}
        }
    }
}
