//! From the body's expression to a list of operations.

use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::{Expr, ExprClosure, ExprMethodCall, FnArg, Pat, Path};

use super::table::{METHODS, Method};
use crate::block::{Block, NamedBlock, bottom, named_blocks, taken};
use crate::cfg::Cfg;
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
    pub(super) cfg: Cfg,
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
    /// What is called when the block has settled.
    pub(super) settled: Option<Expr>,
    /// What makes the signal that aborts it.
    pub(super) aborts: Option<Expr>,
}

impl Target {
    fn new(connector: Option<Function>, block: BlockRef) -> Self {
        Self { connector, block, settled: None, aborts: None }
    }
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
    LoopBack {
        target: Path,
        when: Option<Function>,
        most: Expr,
    },
    ExitIf(Function),
    ThrowIf(Function, Thrown),
    Parallel(Shape, Vec<Target>, Option<Expr>),
    /// A function picks a block for each item.
    EachOf {
        pick: ExprClosure,
        blocks: Vec<(Ident, BlockRef)>,
        most: Option<Expr>,
    },
    Repeat {
        target: Target,
        condition: Function,
        until: bool,
        most: Option<Expr>,
    },
    Branch {
        arms: Vec<Arm>,
        otherwise: Option<Target>,
    },
    All(Vec<Target>, Option<Expr>),
    Any(Vec<Target>),
    Race(Vec<Target>, Option<Expr>),
    Rescue {
        of: Failures,
        block: BlockRef,
    },
    Side {
        condition: Option<Function>,
        target: Target,
    },
    SideEach(Target, Option<Expr>),
    /// The timeout in milliseconds.
    SideWait {
        fail: Option<Expr>,
        timeout: Option<u64>,
    },
    /// The timeout in milliseconds.
    Wait {
        predicate: Function,
        timeout: u64,
        wake_on: Option<Expr>,
    },
}

/// Which failures a `rescue` takes.
pub(super) enum Failures {
    All,
    Of(Box<syn::Type>),
    Code(Box<Expr>),
}

/// An arm of a `branch`; the condition is on what the connector made.
pub(super) struct Arm {
    pub(super) connector: Option<Function>,
    pub(super) condition: Function,
    pub(super) block: BlockRef,
}

/// What `parallel` makes of the outputs.
pub(super) enum Shape {
    Tuple,
    Struct(Path, Vec<syn::Member>),
}

pub(super) enum Thrown {
    Function(Function),
    Value(Expr),
}

impl Kind {
    /// Every block that the operation may run.
    pub(super) fn blocks(&self) -> Vec<&BlockRef> {
        match self {
            Self::Step(target)
            | Self::StepIf(_, target)
            | Self::ForEach(target, _)
            | Self::Repeat { target, .. } => vec![&target.block],
            Self::Tap(Tap::Block(target)) | Self::TapIf(_, Tap::Block(target)) => {
                vec![&target.block]
            }
            Self::Parallel(_, all, _) | Self::All(all, _) | Self::Any(all) | Self::Race(all, _) => {
                all.iter().map(|target| &target.block).collect()
            }
            Self::Rescue { block, .. } => vec![block],
            Self::Side { target, .. } | Self::SideEach(target, _) => vec![&target.block],
            Self::EachOf { blocks, .. } => blocks.iter().map(|(_, block)| block).collect(),
            Self::Branch { arms, otherwise } => {
                let last = otherwise.iter().map(|target| &target.block);
                arms.iter().map(|arm| &arm.block).chain(last).collect()
            }
            _ => Vec::new(),
        }
    }
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
            Kind::Step(target)
            | Kind::StepIf(_, target)
            | Kind::ForEach(target, _)
            | Kind::Repeat { target, .. } => Some(target),
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

    fn kind(
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
