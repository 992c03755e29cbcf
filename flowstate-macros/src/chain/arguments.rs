//! The arguments of a method of a chain: functions, blocks, and options by their names.

mod kinds;

use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::{Expr, ExprMethodCall};

use super::model::{BlockRef, Function, Target};
use super::table::Method;
use crate::block::{bottom, taken};
use crate::cfg::Cfg;
use crate::cx::Cx;
use crate::text::{plain_expr, suggestion, written};

/// A call's arguments, while they are read.
pub(super) struct Args<'a> {
    method: &'static Method,
    name: &'a Ident,
    end: Span,
    plain: std::collections::VecDeque<Expr>,
    options: Vec<(String, Ident, Expr)>,
    /// Whether an option lacks its value.
    half_typed: bool,
}

impl<'a> Args<'a> {
    pub(super) fn read(cx: &Cx, method: &'static Method, call: &'a ExprMethodCall) -> Self {
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
                other if out.options.is_empty() || method.name == "rescue" => {
                    out.plain.push_back(other);
                }
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
            self.half_typed = true;
        } else if self.options.iter().any(|(known, ..)| *known == text) {
            cx.error(key, format!("option `{text}` is given twice"));
        } else {
            self.options.push((text, key.clone(), (*assign.right).clone()));
        }
    }

    /// How many at once, and at least one.
    fn take_concurrency(&mut self, cx: &Cx) -> Option<Expr> {
        let most = self.take_option("max_concurrency");
        if let Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })) = &most
            && number.base10_digits() == "0"
        {
            cx.error(number, "`max_concurrency` is at least 1");
        }
        most
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
        if self.half_typed {
            return;
        }
        let what = format!("`{}` lacks an argument", self.method.name);
        let at = self.name.span().join(self.end).unwrap_or_else(|| self.name.span());
        self.form(cx, at, &what);
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

    /// An option that is a function; with a reason where it cannot be async.
    fn take_function(
        &mut self,
        cx: &Cx,
        name: &str,
        form: &str,
        never_async: Option<&str>,
    ) -> Option<Expr> {
        let call = self.take_option(name)?;
        let arguments = form.matches(',').count() + 1;
        match (&call, never_async) {
            (Expr::Path(_), _) => return Some(call),
            (Expr::Closure(closure), Some(why)) if closure.asyncness.is_some() => {
                cx.error(closure, format!("`{name}` is not async: {why}"));
            }
            (Expr::Closure(closure), _) if closure.inputs.len() == arguments => return Some(call),
            _ => cx.error(&call, format!("`{name}` is written `{name} = {form}`")),
        }
        self.half_typed = true;
        None
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
        Some(Target::new(connector, block_ref(cx, expr, self.method.form)?))
    }

    /// `block`, or `connector, block`, where a function follows.
    fn target_before_function(&mut self, cx: &Cx) -> Option<Target> {
        let connector =
            if self.plain.len() > 2 || matches!(self.plain.front(), Some(Expr::Closure(_))) {
                Some(self.function(cx)?)
            } else {
                None
            };
        let expr = self.next(cx)?;
        Some(Target::new(connector, block_ref(cx, expr, self.method.form)?))
    }

    /// `a`, or `(connector, a)`.
    fn branch_target(&self, cx: &Cx, mut expr: Expr) -> Option<Target> {
        let cfg = Cfg::of(&taken(&mut expr));
        let mut target = self.branch_target_of(cx, expr)?;
        target.block.cfg = cfg;
        Some(target)
    }

    fn branch_target_of(&self, cx: &Cx, expr: Expr) -> Option<Target> {
        let form = self.method.form;
        match expr {
            Expr::Tuple(pair) if pair.elems.len() == 2 => {
                let mut elems = pair.elems.into_iter().map(plain_expr);
                let (connector, block) = (elems.next()?, elems.next()?);
                let connector = Some(function(cx, connector, form)?);
                Some(Target::new(connector, block_ref(cx, block, form)?))
            }
            other => Some(Target::new(None, block_ref(cx, other, form)?)),
        }
    }

    /// `[a, b]`
    fn blocks(&mut self, cx: &Cx) -> Option<Vec<Target>> {
        let expr = self.next(cx)?;
        let Expr::Array(array) = expr else {
            cx.error(
                &expr,
                format!("expected blocks in brackets: it is written `{}`", self.method.form),
            );
            return None;
        };
        if array.elems.is_empty() {
            cx.error(&array, format!("`{}` has no block to run", self.method.name));
            return None;
        }
        array.elems.into_iter().map(|elem| self.branch_target(cx, plain_expr(elem))).collect()
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

fn block_ref(cx: &Cx, mut expr: Expr, form: &str) -> Option<BlockRef> {
    let cfg = Cfg::of(&taken(&mut expr));
    match &expr {
        Expr::Path(_) | Expr::MethodCall(_) | Expr::Call(_) | Expr::Macro(_) | Expr::Struct(_) => {
            let path = bottom(&expr).cloned();
            Some(BlockRef { expr, path, cfg })
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
