//! The body of an async sequencer: which blocks it runs, and each call with its number.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Token};

use super::asked::Asked;
use super::config::Config;
use super::{adapted, asked, called};
use crate::cfg::Cfg;
use crate::cx::{Cx, ends, only};
use crate::text::{plain_expr, written};

/// A block that a sequencer runs.
#[derive(Clone)]
pub(crate) struct Child {
    /// The expression that makes it, or its path.
    pub(crate) expr: Expr,
    /// Under what conditions it is there.
    pub(crate) cfg: Cfg,
}

/// A child that runs beside others: which it is, and as it stands there.
pub(crate) type Beside = (usize, Child);

pub(crate) struct Body {
    pub(crate) tokens: TokenStream,
    pub(crate) children: Vec<Child>,
    /// How many calls there are.
    pub(crate) sites: u32,
    /// Whether it waits for items.
    pub(crate) waits: bool,
    /// The children that run beside each other, of each such call.
    pub(crate) beside: Vec<Vec<Beside>>,
}

const CALLS: &[&str] = &["step", "for_each", "parallel", "side_chain"];

const WAIT: &str = "wait_for_condition";

/// Reads the body; `steps` are the blocks that the option of that name declares.
pub(crate) fn read(cx: &Cx, ctx: &Ident, steps: Vec<Child>, body: TokenStream) -> Body {
    let (cfg, beside, noted) = (Vec::new(), Vec::new(), Vec::new());
    let mut reader =
        Reader { cx, ctx, children: steps, sites: 0, waits: false, cfg, beside, noted };
    let tokens = reader.stream(body.clone());
    called::refuse(cx, &reader.children, body);
    let Reader { children, sites, waits, beside, .. } = reader;
    Body { tokens, children, sites, waits, beside }
}

struct Reader<'a> {
    cx: &'a Cx,
    ctx: &'a Ident,
    children: Vec<Child>,
    sites: u32,
    waits: bool,
    /// The conditions of the `#[cfg(…)]`s around what is being read.
    cfg: Vec<TokenStream>,
    beside: Vec<Vec<Beside>>,
    /// What was noted of the call that is being read.
    noted: Vec<Beside>,
}

impl Reader<'_> {
    fn stream(&mut self, body: TokenStream) -> TokenStream {
        self.rewrite(&body.into_iter().collect::<Vec<_>>())
    }

    fn rewrite(&mut self, tokens: &[TokenTree]) -> TokenStream {
        let mut out = TokenStream::new();
        let mut i = 0;
        while i < tokens.len() {
            if let Some(condition) = condition(&tokens[i..]) {
                let end = i + 2 + extent(&tokens[i + 2..]);
                self.cfg.push(condition);
                out.extend(tokens[i..i + 2].iter().cloned());
                out.extend(self.rewrite(&tokens[i + 2..end]));
                self.cfg.pop();
                i = end;
                continue;
            }
            if let Some((method, args)) = call(self.ctx, &tokens[i..])
                && !(i > 0 && is_punct(&tokens[i - 1], '.'))
                && CALLS.iter().any(|known| method == known)
            {
                let op = self.sites;
                self.sites += 1;
                let (receiver, dot) = (&tokens[i], &tokens[i + 1]);
                let inside = self.stream(args.stream());
                let inside = self.arguments(method, args, inside);
                let mut group = Group::new(Delimiter::Parenthesis, inside);
                group.set_span(args.span());
                i += 4;
                let awaited = tokens.get(i).is_some_and(|token| is_punct(token, '.'))
                    && matches!(tokens.get(i + 1), Some(TokenTree::Ident(word)) if word == "await");
                out.extend(if awaited && method == "step" {
                    quote_spanned!(method.span()=> #receiver #dot at_once(#op) . #method #group .go())
                } else {
                    quote_spanned!(method.span()=> #receiver #dot at(#op) . #method #group)
                });
                continue;
            }
            if let Some((name, args)) = call(self.ctx, &tokens[i..])
                && name == WAIT
            {
                self.waits = true;
                let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
                if let Ok(all) = parse.parse2(args.stream()) {
                    self.counted(name, args, all.len());
                }
            }
            match &tokens[i] {
                TokenTree::Group(group) => {
                    let inside = self.stream(group.stream());
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

    /// Whether a call has its two arguments; if not, what is said.
    fn counted(&self, method: &Ident, group: &Group, found: usize) -> bool {
        if found == 2 {
            return true;
        }
        let at = method.span().join(group.span_close()).unwrap_or_else(|| method.span());
        let (few, form) = (if found < 2 { "few" } else { "many" }, form(method));
        let text = format!("`ctx.{method}` has too {few} arguments: it is written `{form}`");
        self.cx.error_at(at, text);
        false
    }

    /// Notes the blocks that a call runs: its first argument, or the parts of it where it is a tuple.
    fn arguments(&mut self, method: &Ident, group: &Group, inside: TokenStream) -> TokenStream {
        let cx = self.cx;
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
        if !self.counted(method, group, args.len()) {
            return inside;
        }
        let mut args = args.into_iter();
        let (Some(first), rest) = (args.next(), args) else { return inside };
        let first = match plain_expr(first) {
            Expr::Tuple(tuple) if method == "parallel" && !tuple.elems.is_empty() => {
                let span = tuple.paren_token.span.join();
                let elems = tuple.elems.into_iter();
                self.noted.clear();
                let parts: Vec<_> = elems.map(|elem| self.noted(plain_expr(elem), form)).collect();
                self.beside.push(std::mem::take(&mut self.noted));
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
            other => self.noted(other, form),
        };
        quote!(#first, #(#rest),*)
    }

    /// A plain path is written as a type, so that a wrong one gives one error.
    fn noted(&mut self, mut expr: Expr, form: &str) -> TokenStream {
        let cfg = taken(&mut expr);
        if !is_block(&expr) {
            let what = format!("expected a block, by its name: it is written `{form}`");
            self.cx.error(&expr, what);
            return quote!(#expr);
        }
        let conditions = cfg.iter().filter_map(|attr| attr.meta.require_list().ok());
        let mut all = self.cfg.clone();
        all.extend(conditions.map(|list| list.tokens.clone()));
        let child = Child { expr: expr.clone(), cfg: Cfg::all(&all) };
        let known = note(&mut self.children, child.clone());
        self.noted.push((known, child));
        let out = match &expr {
            Expr::Path(path) => {
                let (span, _) = ends(path);
                let p = self.cx.private_at(span);
                let step = alias(known, &expr);
                quote_spanned!(span=> <#step as #p::ByName>::by_name())
            }
            other => {
                let made = adapted::lowered(self.cx, known, other);
                match bottom_call(other) {
                    false => made,
                    true => {
                        let (span, _) = ends(other);
                        let p = self.cx.private_at(span);
                        quote_spanned!(span=> #p::noted(#made))
                    }
                }
            }
        };
        quote!(#(#cfg)* #out)
    }
}

/// Whether an expression looks like a block.
pub(crate) fn is_block(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Path(_) | Expr::MethodCall(_) | Expr::Call(_) | Expr::Macro(_) | Expr::Struct(_)
    )
}

/// How a call is written.
fn form(method: &Ident) -> &'static str {
    match method.to_string().as_str() {
        "step" => "ctx.step(block, input)",
        "for_each" => "ctx.for_each(block, items)",
        "side_chain" => "ctx.side_chain(block, input)",
        WAIT => "ctx.wait_for_condition(|items| …, Duration::from_secs(5))",
        _ => "ctx.parallel((a, b), value)",
    }
}

/// Takes the `#[cfg(…)]`s off an expression, wherever it begins.
pub(crate) fn taken(expr: &mut Expr) -> Vec<Attribute> {
    let attrs = match expr {
        Expr::MethodCall(call) => {
            // `#[cfg(…)] a.connect_input(…)`: syn gives the attribute to the whole
            &mut call.attrs
        }
        Expr::Path(path) => &mut path.attrs,
        Expr::Call(call) => &mut call.attrs,
        Expr::Struct(all) => &mut all.attrs,
        Expr::Tuple(tuple) => &mut tuple.attrs,
        Expr::Macro(call) => &mut call.attrs,
        Expr::Assign(pair) => &mut pair.attrs,
        _ => return Vec::new(),
    };
    attrs.extract_if(.., |attr| attr.path().is_ident("cfg")).collect()
}

/// `#[cfg(…)]`
fn condition(tokens: &[TokenTree]) -> Option<TokenStream> {
    let [hash, TokenTree::Group(group), ..] = tokens else { return None };
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    match inside.as_slice() {
        [TokenTree::Ident(word), TokenTree::Group(condition)]
            if is_punct(hash, '#') && group.delimiter() == Delimiter::Bracket && word == "cfg" =>
        {
            Some(condition.stream())
        }
        _ => None,
    }
}

/// How many tokens an attribute before them is for: a statement, an arm, an element.
fn extent(tokens: &[TokenTree]) -> usize {
    const BLOCKS: &[&str] = &["if", "match", "for", "while", "loop", "unsafe"];
    let mut i = 0;
    while is_some_punct(tokens.get(i), '#') {
        i += 2;
    }
    let (is_block, is_let) = match tokens.get(i) {
        Some(TokenTree::Ident(word)) => (BLOCKS.iter().any(|known| word == known), word == "let"),
        Some(TokenTree::Group(group)) => (group.delimiter() == Delimiter::Brace, false),
        label => (is_some_punct(label, '\''), false),
    };
    while let Some(token) = tokens.get(i) {
        i += 1;
        match token {
            TokenTree::Punct(end) if end.as_char() == ';' => return i,
            TokenTree::Punct(end) if end.as_char() == ',' && !is_let => return i,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let arm = i > 2 && is_punct(&tokens[i - 3], '=') && is_punct(&tokens[i - 2], '>');
                let goes_on = match tokens.get(i) {
                    Some(TokenTree::Ident(word)) => word == "else",
                    Some(TokenTree::Punct(punct)) => ['.', '?', '='].contains(&punct.as_char()),
                    _ => false,
                };
                if arm && !is_some_punct(tokens.get(i), ',') || is_block && !goes_on {
                    return i;
                }
            }
            _ => {}
        }
    }
    i
}

fn is_some_punct(token: Option<&TokenTree>, c: char) -> bool {
    token.is_some_and(|token| is_punct(token, c))
}

/// `ctx . method ( … )`
fn call<'t>(ctx: &Ident, tokens: &'t [TokenTree]) -> Option<(&'t Ident, &'t Group)> {
    match tokens {
        [TokenTree::Ident(name), dot, TokenTree::Ident(method), TokenTree::Group(args), ..]
            if name == ctx && is_punct(dot, '.') && args.delimiter() == Delimiter::Parenthesis =>
        {
            Some((method, args))
        }
        _ => None,
    }
}

pub(super) fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

/// Adds a child, unless it is known, and gives its number.
pub(crate) fn note(children: &mut Vec<Child>, child: Child) -> usize {
    let text = written(&child.expr);
    if let Some(known) = children.iter().position(|other| written(&other.expr) == text) {
        children[known].cfg.or(&child.cfg);
        return known;
    }
    children.push(child);
    children.len() - 1
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

/// The names of all blocks that the children are made of.
pub(crate) fn aliases(cx: &Cx, children: &[Child], asked: &[Asked]) -> TokenStream {
    let kept = |path| asked.iter().any(|block| asked::is(&block.path, path));
    let each = children.iter().enumerate().map(|(index, Child { expr, cfg, .. })| {
        if let Expr::Path(path) = expr {
            return declared(cx, alias(index, expr), expr, kept(&path.path), cfg);
        }
        let names = adapted::names(expr).into_iter().enumerate();
        names
            .map(|(n, (path, again))| {
                let name = adapted::alias(index, n, path);
                declared(cx, name, path, !again && kept(path), cfg)
            })
            .collect()
    });
    quote!(#(#each)*)
}

/// A name for a block's type, which is checked here once; with `kept`, for one whose outputs are kept.
fn declared(cx: &Cx, name: Ident, path: &impl ToTokens, kept: bool, cfg: &Cfg) -> TokenStream {
    let (name, text) = (at_macro(name), written(path));
    let help = "put `#[block(…)]` on the function, and name it without arguments";
    let message = format!("`{text}` is not a block\nhelp: {help}");
    let mut block = only(cx, path, "BLOCK", &message);
    if kept {
        let p = cx.private();
        block = quote!(#p::KeepsOutput<#block>);
    }
    quote!(#cfg #[allow(non_camel_case_types, unused_parens)] type #name = #block;)
}

/// The path that an expression of adapters begins with.
pub(crate) fn bottom(expr: &Expr) -> Option<&syn::Path> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => Some(&path.path),
        Expr::MethodCall(call) => bottom(&call.receiver),
        Expr::Group(group) => bottom(&group.expr),
        Expr::Paren(paren) => bottom(&paren.expr),
        Expr::Call(call) if !adapted::is_again(&call.func) => bottom(&call.func),
        _ => None,
    }
}

/// Whether an expression begins with a call, whose type has no name that could be declared as a step.
fn bottom_call(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => bottom_call(&call.receiver),
        Expr::Group(group) => bottom_call(&group.expr),
        Expr::Paren(paren) => bottom_call(&paren.expr),
        Expr::Call(_) | Expr::Macro(_) => adapted::names(expr).is_empty(),
        _ => false,
    }
}

/// The definition of a child, in a constant.
pub(crate) fn def(cx: &Cx, config: &[Config], index: usize, expr: &Expr) -> TokenStream {
    let (span, _) = ends(expr);
    let p = cx.private_at(span);
    match expr {
        Expr::Path(_) => {
            let step = alias(index, expr);
            quote_spanned!(span=> <#step as #p::Block>::DEF)
        }
        other => {
            let made = adapted::lowered(cx, index, other);
            // it is never called: all that counts is the type of what it makes
            let config = config.iter().map(|config| {
                let (name, ty) = (&config.name, &config.ty);
                let by = config.borrowed.then(|| quote!(&));
                quote!(let #name: #by #ty = loop {};)
            });
            let config: Vec<_> = config.collect();
            let closure =
                if config.is_empty() { quote!(|| #made) } else { quote!(|| { #(#config)* #made }) };
            quote_spanned!(span=> #p::def_of(&#closure))
        }
    }
}
