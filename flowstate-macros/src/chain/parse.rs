//! From the body's expression to a list of operations.

use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::{Expr, ExprClosure, ExprMethodCall, FnArg, Pat, Path};

use super::table::{METHODS, Method};
use crate::block::{Block, bottom};
use crate::cx::Cx;
use crate::text::{nearest, plain_expr, suggestion, written};

/// A function where one is wanted.
pub(super) enum Function {
    Closure(ExprClosure),
    Path(Expr),
}

/// A block where one is wanted.
pub(super) struct BlockRef {
    pub(super) expr: Expr,
    pub(super) path: Option<Path>,
}

impl BlockRef {
    /// Whether it is named by a plain path.
    pub(super) fn is_path(&self) -> bool {
        matches!(self.expr, Expr::Path(_))
    }
}

/// A block, and the connector that makes its input.
pub(super) struct Target {
    pub(super) connector: Option<Function>,
    pub(super) block: BlockRef,
}

pub(super) enum Tap {
    Function(Function),
    Block(Box<Target>),
}

pub(super) enum Kind {
    Step(Target),
    StepIf(Function, Target),
    Map(Function),
    TryMap(Function),
    Tap(Tap),
    TapIf(Function, Tap),
    ForEach(Target, Option<Expr>),
    LoopBack { target: Path, when: Option<Function>, most: Expr },
    ExitIf(Function),
}

pub(super) struct Op {
    /// The method's name, with its place.
    pub(super) method: Ident,
    pub(super) kind: Kind,
}

impl Op {
    /// The block that a `loop_back` to this operation names.
    pub(super) fn runs(&self) -> Option<&Target> {
        match &self.kind {
            Kind::Step(target) | Kind::StepIf(_, target) | Kind::ForEach(target, _) => Some(target),
            _ => None,
        }
    }
}

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
    calls.into_iter().filter_map(|call| op(cx, call)).collect()
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
    if let Some(turbofish) = &call.turbofish {
        cx.error(turbofish, format!("`{name}` takes no type arguments"));
    }
    let args = Args::read(cx, method, &call);
    let kind = args.kind(cx)?;
    Some(Op { method: call.method, kind })
}

/// A call's arguments, while they are read.
struct Args<'a> {
    method: &'static Method,
    name: &'a Ident,
    end: Span,
    plain: std::collections::VecDeque<Expr>,
    options: Vec<(String, Ident, Expr)>,
    /// Whether an option lacks its value.
    half_typed: bool,
}

impl<'a> Args<'a> {
    fn read(cx: &Cx, method: &'static Method, call: &'a ExprMethodCall) -> Self {
        let mut out = Self {
            method,
            name: &call.method,
            end: call.paren_token.span.close(),
            plain: std::collections::VecDeque::new(),
            options: Vec::new(),
            half_typed: false,
        };
        for arg in &call.args {
            match plain_expr(arg.clone()) {
                Expr::Assign(assign) => out.option(cx, &assign),
                Expr::Path(path) if method.options.iter().any(|name| path.path.is_ident(name)) => {
                    let name = written(&path);
                    cx.error(&path, format!("`{name}` is written `{name} = value`"));
                    out.half_typed = true;
                }
                other if out.options.is_empty() => out.plain.push_back(other),
                other => {
                    cx.error(&other, "options, `name = value`, come after the arguments");
                    out.plain.push_back(other);
                }
            }
        }
        out
    }

    fn option(&mut self, cx: &Cx, assign: &syn::ExprAssign) {
        let Expr::Path(path) = &*assign.left else {
            return cx.error(&assign.left, "an option is written `name = value`");
        };
        let Some(key) = path.path.get_ident() else {
            return cx.error(&assign.left, "an option is written `name = value`");
        };
        let text = key.to_string();
        if !self.method.options.contains(&text.as_str()) {
            let name = self.method.name;
            if self.method.options.is_empty() {
                cx.error(key, format!("`{name}` has no options, so no `{text}`"));
            } else {
                let hint = suggestion(&text, self.method.options);
                cx.error(key, format!("`{name}` has no option `{text}`{hint}"));
            }
        } else if self.options.iter().any(|(known, ..)| *known == text) {
            cx.error(key, format!("option `{text}` is given twice"));
        } else {
            self.options.push((text, key.clone(), (*assign.right).clone()));
        }
    }

    fn take_option(&mut self, name: &str) -> Option<Expr> {
        let index = self.options.iter().position(|(known, ..)| known == name)?;
        Some(plain_expr(self.options.remove(index).2))
    }

    /// Says how the method is written, at what is missing or too much.
    fn form(&self, cx: &Cx, at: Span, what: &str) {
        cx.error_at(at, format!("{what}: it is written `{}`", self.method.form));
    }

    fn form_of(&self, cx: &Cx, tokens: impl quote::ToTokens, what: &str) {
        cx.error(tokens, format!("{what}: it is written `{}`", self.method.form));
    }

    fn missing(&self, cx: &Cx) {
        let what = format!("`{}` lacks an argument", self.method.name);
        let at = self.name.span().join(self.end).unwrap_or_else(|| self.name.span());
        self.form(cx, at, &what);
    }

    fn kind(mut self, cx: &Cx) -> Option<Kind> {
        let kind = match self.method.name {
            "step" => Kind::Step(self.target(cx)?),
            "step_if" => Kind::StepIf(self.function(cx)?, self.target(cx)?),
            "map" => Kind::Map(self.function(cx)?),
            "try_map" => Kind::TryMap(self.function(cx)?),
            "tap" => Kind::Tap(self.tap(cx)?),
            "tap_if" => Kind::TapIf(self.function(cx)?, self.tap(cx)?),
            "for_each" => {
                let most = self.take_option("max_concurrency");
                if let Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })) = &most
                    && number.base10_digits() == "0"
                {
                    cx.error(number, "`max_concurrency` is at least 1");
                }
                Kind::ForEach(self.target(cx)?, most)
            }
            "loop_back" => self.loop_back(cx)?,
            _ => Kind::ExitIf(self.function(cx)?),
        };
        if let Some(extra) = self.plain.front() {
            let what = format!("`{}` has an argument too many", self.method.name);
            cx.error(extra, format!("{what}: it is written `{}`", self.method.form));
            return None;
        }
        Some(kind)
    }

    fn next(&mut self, cx: &Cx) -> Option<Expr> {
        let next = self.plain.pop_front();
        if next.is_none() {
            self.missing(cx);
        }
        next
    }

    fn function(&mut self, cx: &Cx) -> Option<Function> {
        let expr = self.next(cx)?;
        function(cx, expr, self.method.form)
    }

    /// `block`, or `connector, block`.
    fn target(&mut self, cx: &Cx) -> Option<Target> {
        let connector = match self.plain.front() {
            Some(Expr::Closure(found)) if self.plain.len() == 1 => {
                let name = self.method.name;
                let what = format!("`{name}` runs a block, and this is a function");
                self.form_of(cx, found, &what);
                return None;
            }
            Some(Expr::Closure(_)) => Some(self.function(cx)?),
            Some(_)
                if self.plain.len() > 1
                    && matches!(self.plain.get(1), Some(Expr::Path(_) | Expr::MethodCall(_))) =>
            {
                Some(self.function(cx)?)
            }
            _ => None,
        };
        let expr = self.next(cx)?;
        Some(Target { connector, block: block_ref(cx, expr, self.method.form)? })
    }

    /// A closure alone is a function; a path is a block.
    fn tap(&mut self, cx: &Cx) -> Option<Tap> {
        match (self.plain.front(), self.plain.len()) {
            (Some(Expr::Closure(_)), 1) => Some(Tap::Function(self.function(cx)?)),
            _ => Some(Tap::Block(Box::new(self.target(cx)?))),
        }
    }

    fn loop_back(&mut self, cx: &Cx) -> Option<Kind> {
        let when = self.take_option("when");
        let most = self.take_option("max_iterations");
        let expr = self.next(cx)?;
        let Expr::Path(path) = expr else {
            cx.error(expr, "`loop_back` names the block of an earlier step");
            return None;
        };
        let when = match when {
            Some(expr) => Some(function(cx, expr, self.method.form)?),
            None => None,
        };
        let Some(most) = most else {
            if !self.half_typed {
                self.form(cx, self.name.span(), "`loop_back` says how often it may go back");
            }
            return None;
        };
        Some(Kind::LoopBack { target: path.path, when, most })
    }
}

fn function(cx: &Cx, expr: Expr, form: &str) -> Option<Function> {
    match expr {
        Expr::Closure(closure) => {
            match closure.inputs.len() {
                1 | 2 => {}
                _ => {
                    cx.error(&closure, "a function in a chain takes `|value|` or `|value, ctx|`");
                    return None;
                }
            }
            Some(Function::Closure(closure))
        }
        Expr::Path(_) => Some(Function::Path(expr)),
        other => {
            cx.error(
                other,
                format!(
                    "expected a function, `|value| …` or the name of one: it is written `{form}`"
                ),
            );
            None
        }
    }
}

fn block_ref(cx: &Cx, expr: Expr, form: &str) -> Option<BlockRef> {
    match &expr {
        Expr::Path(_) | Expr::MethodCall(_) | Expr::Call(_) | Expr::Macro(_) | Expr::Struct(_) => {
            let path = bottom(&expr).cloned();
            Some(BlockRef { expr, path })
        }
        other => {
            let found = if matches!(other, Expr::Closure(_)) { ", not a function" } else { "" };
            cx.error(
                other.to_token_stream(),
                format!("expected a block{found}: it is written `{form}`"),
            );
            None
        }
    }
}
