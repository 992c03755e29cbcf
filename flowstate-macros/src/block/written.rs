//! The body of an async sequencer: which blocks it runs, and each call with its number.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

use super::adapted;
use crate::cx::{Cx, ends, only};
use crate::text::{plain_expr, written};

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

/// Reads the body; `steps` are the blocks that the option of that name declares.
pub(crate) fn read(cx: &Cx, ctx: &Ident, steps: Vec<Child>, body: TokenStream) -> Body {
    let mut out = Body { tokens: TokenStream::new(), children: steps, sites: 0 };
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
            let inside = arguments(cx, method, args, inside, children);
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

/// How a call is written.
fn form(method: &Ident) -> &'static str {
    match method.to_string().as_str() {
        "step" => "ctx.step(block, input)",
        "for_each" => "ctx.for_each(block, items)",
        _ => "ctx.parallel((a, b), value)",
    }
}

/// Notes the blocks that a call runs: its first argument, or the parts of it where it is a tuple.
fn arguments(
    cx: &Cx,
    method: &Ident,
    group: &Group,
    inside: TokenStream,
    children: &mut Vec<Child>,
) -> TokenStream {
    let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
    let Ok(args) = parse.parse2(inside.clone()) else { return inside };
    let form = form(method);
    if let Some(option) = args.iter().find(|arg| matches!(arg, Expr::Assign(_))) {
        let text = written(option);
        let name = text.split(' ').next().unwrap_or_default();
        let text = if method == "for_each" && name == "max_concurrency" {
            format!("it is written `{form}.max_concurrency(…)`")
        } else {
            format!("`ctx.{method}` has no options: it is written `{form}`")
        };
        cx.error(option, text);
        return inside;
    }
    if args.len() != 2 {
        let at = method.span().join(group.span_close()).unwrap_or_else(|| method.span());
        let found = if args.len() < 2 { "few" } else { "many" };
        cx.error_at(
            at,
            format!("`ctx.{method}` has too {found} arguments: it is written `{form}`"),
        );
        return inside;
    }
    let mut args = args.into_iter();
    let (Some(first), rest) = (args.next(), args) else { return inside };
    let first = match plain_expr(first) {
        Expr::Tuple(tuple) if method == "parallel" && !tuple.elems.is_empty() => {
            let span = tuple.paren_token.span.join();
            let parts =
                tuple.elems.into_iter().map(|elem| noted(cx, plain_expr(elem), form, children));
            let mut group = Group::new(Delimiter::Parenthesis, quote!(#(#parts,)*));
            group.set_span(span);
            group.to_token_stream()
        }
        other if method == "parallel" => {
            cx.error(
                &other,
                format!("expected several blocks in parentheses: it is written `{form}`"),
            );
            return inside;
        }
        other => noted(cx, other, form, children),
    };
    quote!(#first, #(#rest),*)
}

/// A plain path is written as a type, so that a wrong one gives one error.
fn noted(cx: &Cx, expr: Expr, form: &str, children: &mut Vec<Child>) -> TokenStream {
    if matches!(expr, Expr::Closure(_) | Expr::Lit(_)) {
        cx.error(&expr, format!("expected a block, by its name: it is written `{form}`"));
        return quote!(#expr);
    }
    let path = bottom(&expr).cloned();
    let known = note(children, Child { expr: expr.clone(), path });
    match &expr {
        Expr::Path(path) => {
            let (span, _) = ends(path);
            let p = cx.private_at(span);
            let step = alias(known, &expr);
            quote_spanned!(span=> <#step as #p::Default>::default())
        }
        other => adapted::lowered(cx, known, other),
    }
}

/// Adds a child, unless it is known, and gives its number.
pub(crate) fn note(children: &mut Vec<Child>, child: Child) -> usize {
    let text = written(&child.expr);
    let known = children.iter().position(|other| written(&other.expr) == text);
    known.unwrap_or_else(|| {
        children.push(child);
        children.len() - 1
    })
}

/// The name under which generated code knows a child that is a plain path.
pub(crate) fn alias(index: usize, at: &impl ToTokens) -> Ident {
    Ident::new(&format!("__step{index}"), ends(at).0)
}

/// The name where it is declared: there the user's place would draw advice about the declaration.
pub(crate) fn at_macro(mut name: Ident) -> Ident {
    name.set_span(proc_macro2::Span::call_site());
    name
}

/// The names of all children that are plain paths.
pub(crate) fn aliases(cx: &Cx, children: &[Child]) -> TokenStream {
    let each = children.iter().enumerate().map(|(index, Child { expr, .. })| {
        if let Expr::Path(_) = expr {
            return declared(cx, alias(index, expr), expr);
        }
        let names = adapted::names(expr).into_iter().enumerate();
        names.map(|(n, (path, _))| declared(cx, adapted::alias(index, n, path), path)).collect()
    });
    quote!(#(#each)*)
}

/// A name for a block's type, which is checked here once.
fn declared(cx: &Cx, name: Ident, path: &impl ToTokens) -> TokenStream {
    let (name, text) = (at_macro(name), written(path));
    let help = "put `#[block(…)]` on the function, and name it without arguments";
    let block = only(cx, path, "BLOCK", &format!("`{text}` is not a block\nhelp: {help}"));
    quote!(#[allow(non_camel_case_types, unused_parens)] type #name = #block;)
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
pub(crate) fn def(cx: &Cx, index: usize, expr: &Expr) -> TokenStream {
    let (span, _) = ends(expr);
    let p = cx.private_at(span);
    match expr {
        Expr::Path(_) => {
            let step = alias(index, expr);
            quote_spanned!(span=> <#step as #p::Block>::DEF)
        }
        other => {
            let made = adapted::lowered(cx, index, other);
            let closure = quote!(|| #made);
            quote_spanned!(span=> #p::def_of(&#closure))
        }
    }
}
