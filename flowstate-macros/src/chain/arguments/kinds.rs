//! From a method and its arguments to an operation.

use syn::Expr;

use super::{Args, block_ref, function};
use crate::block::{NamedBlock, bottom, named_blocks, taken};
use crate::cfg::Cfg;
use crate::chain::model::{Arm, BlockRef, Failures, Function, Kind, Shape, Tap, Target, Thrown};
use crate::cx::Cx;
use crate::text::plain_expr;

impl Args<'_> {
    pub(in crate::chain) fn kind(
        mut self,
        cx: &Cx,
        turbofish: Option<&syn::AngleBracketedGenericArguments>,
    ) -> Option<Kind> {
        let kind = match self.method.name {
            "step" => Kind::Step(self.settling(cx)?),
            "step_if" => Kind::StepIf(self.function(cx)?, self.settling(cx)?),
            "map" => Kind::Map(self.function(cx)?),
            "try_map" => Kind::TryMap(self.function(cx)?),
            "tap" => Kind::Tap(self.tap(cx)?),
            "tap_if" => Kind::TapIf(self.function(cx)?, self.tap(cx)?),
            "for_each" => self.for_each(cx)?,
            "parallel" => {
                let most = self.take_concurrency(cx);
                self.parallel(cx, most)?
            }
            "do_until" | "do_while" => {
                let most = self.take_option("max_iterations");
                if let Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })) = &most
                    && number.base10_digits() == "0"
                {
                    cx.error(
                        number,
                        "`max_iterations` is at least 1: the block runs before it is asked",
                    );
                }
                let until = self.method.name == "do_until";
                let target = self.target_before_function(cx)?;
                Kind::Repeat { target, condition: self.function(cx)?, until, most }
            }
            "branch" => self.branch(cx)?,
            "step_all" => {
                let most = self.take_concurrency(cx);
                Kind::All(self.blocks(cx)?, most)
            }
            "step_any" => Kind::Any(self.blocks(cx)?),
            "race" => {
                let most = self.take_concurrency(cx);
                Kind::Race(self.blocks(cx)?, most)
            }
            "rescue" => self.rescue(cx, turbofish)?,
            "side_chain" => Kind::Side { condition: None, target: self.target(cx)? },
            "side_chain_if" => {
                let condition = Some(self.function(cx)?);
                Kind::Side { condition, target: self.target(cx)? }
            }
            "for_each_side_chain" => {
                let most = self.take_concurrency(cx);
                Kind::SideEach(self.target(cx)?, most)
            }
            "wait_for_side_chain" => {
                let fail = self.take_option("fail_on_error");
                let timeout = self.take_option("timeout");
                let timeout = timeout.and_then(|time| crate::block::duration_of(cx, &time));
                Kind::SideWait { fail, timeout }
            }
            "wait_for_condition" => self.wait(cx)?,
            "throw_if" => Kind::ThrowIf(self.function(cx)?, self.thrown(cx)?),
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

    /// A target, `on_settled` and `abort_signal`.
    fn settling(&mut self, cx: &Cx) -> Option<Target> {
        let mut target = self.target(cx)?;
        target.settled = self.take_function(
            cx,
            "on_settled",
            "|ctx, outcome| …",
            Some("it is also called where the step is dropped"),
        );
        target.aborts = self.take_function(cx, "abort_signal", "|ctx| …", None);
        Some(target)
    }

    fn wait(&mut self, cx: &Cx) -> Option<Kind> {
        let timeout = self.take_option("timeout");
        let why = Some("it is asked at each event of an item");
        let wake_on = self.take_function(cx, "wake_on", "|item, change| …", why);
        let predicate = self.function(cx)?;
        if let Function::Closure(closure) = &predicate
            && (closure.asyncness.is_some() || matches!(&*closure.body, Expr::Async(_)))
        {
            cx.error(closure, "this condition is not async: it is asked at each event of an item");
            return None;
        }
        let Some(timeout) = timeout else {
            if !self.half_typed {
                self.form(cx, self.name.span(), "`wait_for_condition` says how long it waits");
            }
            return None;
        };
        let timeout = crate::block::duration_of(cx, &timeout)?;
        Some(Kind::Wait { predicate, timeout, wake_on })
    }

    fn parallel(&mut self, cx: &Cx, most: Option<Expr>) -> Option<Kind> {
        match self.next(cx)? {
            Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                let all =
                    tuple.elems.into_iter().map(|elem| self.branch_target(cx, plain_expr(elem)));
                Some(Kind::Parallel(Shape::Tuple, all.collect::<Option<_>>()?, most))
            }
            Expr::Struct(fields) => {
                if let Some(rest) = &fields.dot2_token {
                    cx.error(rest, "each field of a `parallel` is a block: there is no rest");
                    return None;
                }
                let mut names = Vec::new();
                let mut all = Vec::new();
                for field in fields.fields {
                    let mut target = self.branch_target(cx, plain_expr(field.expr))?;
                    target.block.cfg = Cfg::of(&field.attrs);
                    names.push(field.member);
                    all.push(target);
                }
                Some(Kind::Parallel(Shape::Struct(fields.path, names), all, most))
            }
            other => {
                cx.error(
                    &other,
                    format!("expected several blocks: it is written `{}`", self.method.form),
                );
                None
            }
        }
    }

    fn for_each(&mut self, cx: &Cx) -> Option<Kind> {
        let most = self.take_concurrency(cx);
        let Some(blocks) = self.take_option("blocks") else {
            return Some(Kind::ForEach(self.target(cx)?, most));
        };
        let pick = match self.next(cx)? {
            Expr::Closure(pick)
                if pick.asyncness.is_some() || matches!(&*pick.body, Expr::Async(_)) =>
            {
                cx.error(&pick, "the function that picks a block is not async: find out before, in a `map` or a `step`");
                return None;
            }
            Expr::Closure(pick) if (1..=3).contains(&pick.inputs.len()) => pick,
            other => {
                cx.error(&other, "with `blocks`, `for_each` takes a function of one to three arguments, `|item, index, ctx| Each::A`");
                return None;
            }
        };
        let Expr::Array(array) = blocks else {
            cx.error(&blocks, "`blocks` is written `blocks = [a, b]`");
            return None;
        };
        if array.elems.is_empty() {
            cx.error(&array, "`blocks` names the blocks that `Each` stands for: `blocks = [a, b]`");
            return None;
        }
        let blocks = named_blocks(cx, array.elems, "Each", self.method.form);
        let blocks = blocks.into_iter().map(|NamedBlock { variant, expr, cfg, .. }| {
            let path = bottom(&expr).cloned();
            (variant, BlockRef { expr, path, cfg })
        });
        Some(Kind::EachOf { pick, blocks: blocks.collect(), most })
    }

    fn branch(&mut self, cx: &Cx) -> Option<Kind> {
        let form = self.method.form;
        let mut arms = Vec::new();
        let mut otherwise = None;
        if self.plain.is_empty() {
            self.missing(cx);
            return None;
        }
        while let Some(mut arm) = self.plain.pop_front() {
            let cfg = Cfg::of(&taken(&mut arm));
            if otherwise.is_some() {
                cx.error(&arm, "a bare block takes all that is left, so it is the last arm");
                return None;
            }
            match arm {
                Expr::Tuple(parts) if (2..=3).contains(&parts.elems.len()) => {
                    let mut parts: Vec<_> = parts.elems.into_iter().map(plain_expr).collect();
                    let mut block = block_ref(cx, parts.pop()?, form)?;
                    block.cfg = cfg;
                    let condition = function(cx, parts.pop()?, form)?;
                    let connector = match parts.pop() {
                        Some(connector) => Some(function(cx, connector, form)?),
                        None => None,
                    };
                    arms.push(Arm { connector, condition, block });
                }
                Expr::Tuple(parts) => {
                    cx.error(
                        parts,
                        "an arm is `(condition, block)` or `(connector, condition, block)`",
                    );
                    return None;
                }
                other => {
                    let mut block = block_ref(cx, other, form)?;
                    block.cfg = cfg;
                    otherwise = Some(Target::new(None, block));
                }
            }
        }
        Some(Kind::Branch { arms, otherwise })
    }

    fn rescue(
        &mut self,
        cx: &Cx,
        turbofish: Option<&syn::AngleBracketedGenericArguments>,
    ) -> Option<Kind> {
        let code = self.take_option("code");
        if let Some(Expr::Lit(lit)) = &code
            && !matches!(lit.lit, syn::Lit::Str(_))
        {
            cx.error(lit, "the code of an error is a text: `rescue(code = \"…\", block)`");
            return None;
        }
        let of = match (turbofish, code) {
            (Some(turbofish), Some(_)) => {
                cx.error(turbofish, "a `rescue` is by a type or by a code, not by both");
                return None;
            }
            (None, Some(code)) => Failures::Code(Box::new(code)),
            (Some(turbofish), None) => match turbofish.args.first() {
                Some(syn::GenericArgument::Type(ty)) if turbofish.args.len() == 1 => {
                    Failures::Of(Box::new(ty.clone()))
                }
                _ => {
                    cx.error(turbofish, "a `rescue` names one type of error, `rescue::<Error>(…)`");
                    return None;
                }
            },
            (None, None) => Failures::All,
        };
        let expr = self.next(cx)?;
        Some(Kind::Rescue { of, block: block_ref(cx, expr, self.method.form)? })
    }

    fn thrown(&mut self, cx: &Cx) -> Option<Thrown> {
        match self.next(cx)? {
            closure @ Expr::Closure(_) => {
                Some(Thrown::Function(function(cx, closure, self.method.form)?))
            }
            other => Some(Thrown::Value(other)),
        }
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
