//! The body of an async sequencer: which blocks it runs, and each call with its number.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::Expr;

use crate::cx::{Cx, ends};
use crate::text::plain_expr;

/// A block that a sequencer runs.
pub(crate) struct Child {
    /// The expression that makes it, or its path.
    pub(crate) expr: Expr,
    /// The path at the bottom of it: `a` of `a.connect_input(…)`.
    pub(crate) path: Option<syn::Path>,
}

pub(crate) struct Body {
    pub(crate) tokens: TokenStream,
    pub(crate) children: Vec<Child>,
    /// How many calls there are.
    pub(crate) sites: u32,
}

const CALLS: &[&str] = &["step", "for_each", "parallel"];

pub(crate) fn read(cx: &Cx, ctx: &Ident, body: TokenStream) -> Body {
    let mut out = Body { tokens: TokenStream::new(), children: Vec::new(), sites: 0 };
    out.tokens = rewrite(cx, ctx, body, &mut out.children, &mut out.sites);
    out
}

fn rewrite(
    cx: &Cx,
    ctx: &Ident,
    body: TokenStream,
    children: &mut Vec<Child>,
    sites: &mut u32,
) -> TokenStream {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut out = TokenStream::new();
    let mut i = 0;
    while i < tokens.len() {
        if let Some((method, args)) = call(ctx, &tokens[i..])
            && !(i > 0 && is_punct(&tokens[i - 1], '.'))
        {
            let op = *sites;
            *sites += 1;
            let (receiver, dot) = (&tokens[i], &tokens[i + 1]);
            let inside = rewrite(cx, ctx, args.stream(), children, sites);
            let inside = first_argument(cx, inside, children);
            let mut group = Group::new(Delimiter::Parenthesis, inside);
            group.set_span(args.span());
            out.extend(quote_spanned!(method.span()=> #receiver #dot at(#op) . #method #group));
            i += 4;
            let awaited = tokens.get(i).is_some_and(|token| is_punct(token, '.'))
                && matches!(tokens.get(i + 1), Some(TokenTree::Ident(word)) if word == "await");
            if awaited && method == "step" {
                out.extend(quote_spanned!(method.span()=> .go()));
            }
            continue;
        }
        match &tokens[i] {
            TokenTree::Group(group) => {
                let inside = rewrite(cx, ctx, group.stream(), children, sites);
                let mut group_out = Group::new(group.delimiter(), inside);
                group_out.set_span(group.span());
                out.extend([TokenTree::Group(group_out)]);
            }
            other => out.extend([other.clone()]),
        }
        i += 1;
    }
    out
}

/// `ctx . step ( … )`
fn call<'t>(ctx: &Ident, tokens: &'t [TokenTree]) -> Option<(&'t Ident, &'t Group)> {
    match tokens {
        [TokenTree::Ident(name), dot, TokenTree::Ident(method), TokenTree::Group(args), ..]
            if name == ctx
                && is_punct(dot, '.')
                && CALLS.iter().any(|known| method == known)
                && args.delimiter() == Delimiter::Parenthesis =>
        {
            Some((method, args))
        }
        _ => None,
    }
}

fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

/// Notes the blocks that a call runs: its first argument, or the parts of it where it is a tuple.
fn first_argument(cx: &Cx, args: TokenStream, children: &mut Vec<Child>) -> TokenStream {
    let mut rest = args.clone().into_iter();
    let first: TokenStream = rest.by_ref().take_while(|token| !is_punct(token, ',')).collect();
    let rest: TokenStream = rest.collect();
    let Ok(expr) = syn::parse2::<Expr>(first) else { return args };
    let out = match plain_expr(expr) {
        Expr::Tuple(tuple) => {
            let parts = tuple.elems.into_iter().map(|elem| noted(cx, plain_expr(elem), children));
            quote!((#(#parts,)*))
        }
        other => noted(cx, other, children),
    };
    quote!(#out, #rest)
}

/// A plain path is written as a type, so that a wrong one gives one error.
fn noted(cx: &Cx, expr: Expr, children: &mut Vec<Child>) -> TokenStream {
    let out = match &expr {
        Expr::Path(path) => {
            let (span, _) = ends(path);
            let p = cx.private_at(span);
            quote_spanned!(span=> <#path as #p::Default>::default)
        }
        other => quote!(#other),
    };
    children.push(Child { path: bottom(&expr).cloned(), expr });
    out
}

/// The path that an expression of adapters begins with.
pub(crate) fn bottom(expr: &Expr) -> Option<&syn::Path> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => Some(&path.path),
        Expr::MethodCall(call) => bottom(&call.receiver),
        Expr::Group(group) => bottom(&group.expr),
        Expr::Paren(paren) => bottom(&paren.expr),
        _ => None,
    }
}

/// `planner` of `again(planner)`.
pub(crate) fn led_back(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Call(call) if call.args.len() == 1 => match &*call.func {
            Expr::Path(path) if path.path.segments.last()?.ident == "again" => call.args.first(),
            _ => None,
        },
        Expr::MethodCall(call) => led_back(&call.receiver),
        _ => None,
    }
}

/// The definition of a child, in a constant.
pub(crate) fn def(cx: &Cx, expr: &Expr) -> TokenStream {
    let (span, _) = ends(expr);
    let p = cx.private_at(span);
    match expr {
        Expr::Path(path) => quote_spanned!(span=> <#path as #p::Block>::DEF),
        other => {
            let closure = quote!(|| #other);
            quote_spanned!(span=> #p::def_of(&#closure))
        }
    }
}
