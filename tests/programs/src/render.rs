//! Writes the trees as source text: the blocks of flowstate.

use std::fmt::Write as _;

use crate::tree::{Arm, Block, Body, Cond, Fun, Op, Seq, Stmt, Tap, Target, Way, Write};

pub(crate) fn render(programs: &[Seq]) -> String {
    let mut all = String::new();
    let mut table = String::new();
    for (number, program) in programs.iter().enumerate() {
        let mut out = Out::default();
        out.seq(program);
        all.push_str(&out.items);
        let name = &program.name;
        let _ = write!(
            all,
            "#[block(sequencer, name = \"root\", state = Trail)]\n\
             async fn root_{number}(input: i64, ctx: Ctx) -> Result<Seen> {{\n\
             let result = ctx.step({name}, input).await;\n\
             Ok(Seen::new(result, ctx.self_.get()))\n}}\n\n"
        );
        let _ = writeln!(table, "    |input| Box::pin(flowstate::run(root_{number}, input)),");
    }
    let _ = write!(all, "/// Every program, run.\npub(super) const ALL: &[Run] = &[\n{table}];\n");
    all
}

#[derive(Default)]
struct Out {
    /// What is written so far, children first.
    items: String,
    /// Functions of the sequencer that is being written.
    functions: String,
    named: usize,
    /// Blocks that helpers run.
    steps: Vec<String>,
    owner: String,
}

impl Out {
    fn seq(&mut self, seq: &Seq) {
        let mut inner = Out { owner: seq.name.clone(), ..Out::default() };
        let body = match &seq.body {
            Body::Chain(ops) => inner.chain(ops),
            Body::Written(stmts) => {
                format!("    let mut v = input;\n{}    Ok(v)\n", inner.stmts(stmts))
            }
        };
        self.items.push_str(&inner.items);
        let mut options = vec!["sequencer".to_owned()];
        if seq.holds {
            options.push("state = Trail".into());
        }
        if seq.parent {
            options.push("parent = Trail".into());
        }
        options.push("sequencer = Trail".into());
        if !inner.steps.is_empty() {
            options.push(format!("steps = [{}]", inner.steps.join(", ")));
        }
        let (options, name, functions) = (options.join(", "), &seq.name, &inner.functions);
        let signature = match &seq.body {
            Body::Chain(_) => format!("fn {name}(input: i64) -> i64"),
            Body::Written(_) => format!("async fn {name}(input: i64, ctx: Ctx) -> Result<i64>"),
        };
        let _ = write!(self.items, "{functions}#[block({options})]\n{signature} {{\n{body}}}\n\n");
    }

    fn block(&mut self, block: &Block) -> String {
        match block {
            Block::Leaf(leaf) => leaf.name().to_owned(),
            Block::Seq(seq) => {
                self.seq(seq);
                seq.name.clone()
            }
            Block::ConnectInput(block, fun) => {
                format!("{}.connect_input(|v: i64| {})", self.block(block), value(*fun))
            }
            Block::ConnectOutput(block, fun) => {
                format!("{}.connect_output(|v: i64| {})", self.block(block), value(*fun))
            }
        }
    }

    fn named(&mut self, arguments: &str, returns: &str, body: &str) -> String {
        let name = format!("{}_f{}", self.owner, self.named);
        self.named += 1;
        let _ = writeln!(self.functions, "fn {name}({arguments}) -> {returns} {{ {body} }}");
        name
    }

    fn with_ctx(&self, argument: &str) -> String {
        format!("{argument}, ctx: &Ctx<'_, {}>", self.owner)
    }

    /// A function whose body is made of `v`.
    fn function(&mut self, body: &str, way: Way, returns: &str) -> String {
        match way {
            Way::Closure => format!("|v| {body}"),
            Way::WithCtx => format!("|v, ctx| {body}"),
            Way::Async => format!("async |v| {{ tokio::task::yield_now().await; {body} }}"),
            Way::Named => self.named("v: i64", returns, body),
            Way::NamedWithCtx => {
                let arguments = self.with_ctx("v: i64");
                self.named(&arguments, returns, body)
            }
        }
    }

    fn fun(&mut self, (fun, way): (Fun, Way)) -> String {
        self.function(&value(fun), way, "i64")
    }

    fn cond(&mut self, (cond, way): (Cond, Way)) -> String {
        let body = holds(cond, "*v");
        match way {
            Way::Named => self.named("v: &i64", "bool", &body),
            Way::NamedWithCtx => {
                let arguments = self.with_ctx("v: &i64");
                self.named(&arguments, "bool", &body)
            }
            Way::WithCtx => format!("|v, ctx| {body}"),
            _ => format!("|v| {body}"),
        }
    }

    fn target(&mut self, target: &Target) -> String {
        let block = self.block(&target.block);
        match target.connector {
            Some(connector) => format!("{}, {block}", self.fun(connector)),
            None => block,
        }
    }

    /// As an element: with its connector it is a pair.
    fn element(&mut self, target: &Target) -> String {
        let text = self.target(target);
        if target.connector.is_some() { format!("({text})") } else { text }
    }

    fn elements(&mut self, all: &[Target]) -> String {
        all.iter().map(|target| self.element(target)).collect::<Vec<_>>().join(", ")
    }

    fn blocks(&mut self, all: &[Block]) -> Vec<String> {
        all.iter().map(|block| self.block(block)).collect()
    }

    fn tap(&mut self, tap: &Tap) -> String {
        match tap {
            Tap::Block(target) => self.target(target),
            Tap::Function(Write::Nothing, Way::Async) => "async |_| ()".into(),
            Tap::Function(Write::Nothing, _) => "|v| assert!(*v % 3 < 3)".into(),
            Tap::Function(write, way) => {
                let body = write_to(*write, "*v");
                let word = if *way == Way::Async { "async " } else { "" };
                format!("{word}|v, ctx| {body}")
            }
        }
    }

    fn chain(&mut self, ops: &[Op]) -> String {
        let mut out = String::from("    input\n");
        for op in ops {
            let _ = writeln!(out, "        {}", self.op(op));
        }
        out
    }

    fn op(&mut self, op: &Op) -> String {
        match op {
            Op::Step(target) => format!(".step({})", self.target(target)),
            Op::StepIf(test, target) => {
                format!(".step_if({}, {})", self.cond(*test), self.target(target))
            }
            Op::Map(fun, way) => format!(".map({})", self.fun((*fun, *way))),
            Op::TryMap(cond, fun, way) => {
                let (cond, value) = (holds(*cond, "v"), value(*fun));
                let body = format!("if {cond} {{ Err(coded(\"map\")) }} else {{ Ok({value}) }}");
                format!(".try_map({})", self.function(&body, *way, "Result<i64>"))
            }
            Op::Tap(tap) => format!(".tap({})", self.tap(tap)),
            Op::TapIf(test, tap) => format!(".tap_if({}, {})", self.cond(*test), self.tap(tap)),
            Op::ForEach { block, connector, most } => {
                let (block, most) = (self.block(block), option("max_concurrency", *most));
                if *connector {
                    format!(".for_each(|v| parts(v), {block}{most}).map(folded)")
                } else {
                    format!(".map(parts).for_each({block}{most}).map(folded)")
                }
            }
            Op::EachOf { blocks, by_index, most } => {
                let most = option("max_concurrency", *most);
                let names = ["A", "B", "C"];
                let count = blocks.len();
                let (arguments, by) =
                    if *by_index { ("_, index", "index as i64") } else { ("item", "*item") };
                let mut arms = String::new();
                for (index, name) in names[..count].iter().enumerate().rev() {
                    let pattern = if index == 0 { "_".to_owned() } else { index.to_string() };
                    let _ = write!(arms, "{pattern} => Each::{name}, ");
                }
                let pick = format!("|{arguments}| match ({by}).rem_euclid({count}) {{ {arms}}}");
                let blocks: Vec<_> = self
                    .blocks(blocks)
                    .iter()
                    .zip(names)
                    .map(|(block, name)| format!("{} = {block}", name.to_lowercase()))
                    .collect();
                let blocks = blocks.join(", ");
                format!(".map(parts).for_each({pick}, blocks = [{blocks}]{most}).map(folded)")
            }
            Op::Parallel { all, structure: true, most } => {
                let most = option("max_concurrency", *most);
                let (left, right) = (self.element(&all[0]), self.element(&all[1]));
                format!(
                    ".parallel(Pair {{ left: {left}, right: {right} }}{most})\
                     .map(|pair| folded(vec![pair.left, pair.right]))"
                )
            }
            Op::Parallel { all, most, .. } => {
                let (parts, most) = (self.elements(all), option("max_concurrency", *most));
                let names = &["a", "b", "c", "d"][..all.len()].join(", ");
                format!(".parallel(({parts},){most}).map(|({names},)| folded(vec![{names}]))")
            }
            Op::All(all, most) => {
                let most = option("max_concurrency", *most);
                format!(".step_all([{}]{most}).map(folded)", self.elements(all))
            }
            Op::Any(all) => format!(".step_any([{}])", self.elements(all)),
            Op::Race(all, most) => {
                let most = option("max_concurrency", *most);
                format!(".race([{}]{most})", self.blocks(all).join(", "))
            }
            Op::Branch(arms, otherwise) => {
                let mut parts: Vec<_> = arms.iter().map(|arm| self.arm(arm)).collect();
                parts.extend(otherwise.as_ref().map(|block| self.block(block)));
                format!(".branch({})", parts.join(", "))
            }
            Op::Repeat { target, condition, until, most } => {
                let method = if *until { "do_until" } else { "do_while" };
                let most = option("max_iterations", *most);
                format!(".{method}({}, {}{most})", self.target(target), self.cond(*condition))
            }
            Op::LoopBack { name, when, most, .. } => {
                let when =
                    when.map(|when| format!(", when = {}", self.cond(when))).unwrap_or_default();
                format!(".loop_back({name}{when}, max_iterations = {most})")
            }
            Op::ExitIf(test) => format!(".exit_if({})", self.cond(*test)),
            Op::ThrowIf(test, by_function) => {
                let error = if *by_function { "|_| coded(\"throw\")" } else { "coded(\"throw\")" };
                format!(".throw_if({}, {error})", self.cond(*test))
            }
        }
    }

    fn arm(&mut self, arm: &Arm) -> String {
        let (condition, block) = (self.cond(arm.condition), self.block(&arm.block));
        match arm.connector {
            Some(connector) => format!("({}, {condition}, {block})", self.fun(connector)),
            None => format!("({condition}, {block})"),
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> String {
        stmts.iter().map(|stmt| self.stmt(stmt) + "\n").collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Step(block, fun) => {
                let input = fun.map_or_else(|| "v".to_owned(), value);
                format!("v = ctx.step({}, {input}).await?;", self.block(block))
            }
            Stmt::Change(fun) => format!("v = {};", value(*fun)),
            Stmt::If(cond, then, otherwise) => {
                let (then, otherwise) = (self.stmts(then), self.stmts(otherwise));
                format!("if {} {{\n{then}}} else {{\n{otherwise}}}", holds(*cond, "v"))
            }
            Stmt::For(most, body) => {
                format!(
                    "for i in 0..v.rem_euclid({most}) {{\nv = v.wrapping_add(i);\n{}}}",
                    self.stmts(body)
                )
            }
            Stmt::While(cond, most, body) => format!(
                "let mut left = {most};\nwhile left > 0 && {} {{\nleft -= 1;\n{}}}",
                holds(*cond, "v"),
                self.stmts(body)
            ),
            Stmt::Match(arms) => {
                let mut out = format!("match v.rem_euclid({}) {{\n", arms.len());
                for (index, arm) in arms.iter().enumerate().rev() {
                    let pattern = if index == 0 { "_".to_owned() } else { index.to_string() };
                    let _ = writeln!(out, "{pattern} => {{\n{}}}", self.stmts(arm));
                }
                out + "}"
            }
            Stmt::Each(block, most) => {
                let most = most.map(|most| format!(".max_concurrency({most})")).unwrap_or_default();
                format!("v = folded(ctx.for_each({}, parts(v)){most}.await?);", self.block(block))
            }
            Stmt::Parallel(all) => {
                let names = &["a", "b", "c", "d"][..all.len()].join(", ");
                let blocks = self.blocks(all).join(", ");
                format!(
                    "let ({names},) = ctx.parallel(({blocks},), v).await?;\nv = folded(vec![{names}]);"
                )
            }
            Stmt::Join(a, b) => {
                let (a, b) = (self.block(a), self.block(b));
                format!(
                    "let (a, b) = tokio::try_join!(ctx.step({a}, v), ctx.step({b}, v))?;\nv = folded(vec![a, b]);"
                )
            }
            Stmt::Return(cond) => format!("if {} {{ return Ok(v); }}", holds(*cond, "v")),
            Stmt::ReturnStep(cond, block) => {
                format!(
                    "if {} {{ return ctx.step({}, v).await; }}",
                    holds(*cond, "v"),
                    self.block(block)
                )
            }
            Stmt::Recover(block, fun) => format!(
                "v = match ctx.step({}, v).await {{ Ok(found) => found, Err(_) => {} }};",
                self.block(block),
                value(*fun)
            ),
            Stmt::Fail(cond) => {
                format!("if {} {{ return Err(coded(\"stop\")); }}", holds(*cond, "v"))
            }
            Stmt::Write(Write::Nothing) => String::new(),
            Stmt::Write(write) => format!("{}?;", write_to(*write, "v")),
            Stmt::Helper(block) => {
                let text = self.block(block);
                let path = block.name();
                if !self.steps.iter().any(|step| step == path) {
                    self.steps.push(path.to_owned());
                }
                let name = format!("{}_h{}", self.owner, self.named);
                self.named += 1;
                let _ = writeln!(
                    self.functions,
                    "async fn {name}(v: i64, ctx: &Ctx<'_, {}>) -> Result<i64> {{ ctx.step({text}, v).await }}",
                    self.owner
                );
                format!("v = {name}(v, &ctx).await?;")
            }
        }
    }
}

fn option(name: &str, most: Option<u32>) -> String {
    most.map(|most| format!(", {name} = {most}")).unwrap_or_default()
}

/// A function of `v`, as its body.
fn value(fun: Fun) -> String {
    match fun {
        Fun::Add(by) => format!("v.wrapping_add({by})"),
        Fun::Times(by) => format!("v.wrapping_mul({by})"),
        Fun::Xor(by) => format!("v ^ ({by})"),
        Fun::AddCount => "v.wrapping_add(ctx.self_.count.get())".into(),
    }
}

fn holds(cond: Cond, v: &str) -> String {
    match cond {
        Cond::Even => format!("({v}) % 2 == 0"),
        Cond::Below(limit) => format!("{v} < {limit}"),
        Cond::Rest(modulus, rest) => format!("({v}).rem_euclid({modulus}) == {rest}"),
        Cond::CountBelow(limit) => format!("ctx.self_.count.get() < {limit}"),
    }
}

/// A write, as an expression that is a `Result`.
fn write_to(write: Write, v: &str) -> String {
    match write {
        Write::OwnCount => format!("ctx.self_.count.inc(({v}).rem_euclid(5))"),
        Write::OwnLog => format!("ctx.self_.log.push({v})"),
        Write::ParentCount => format!("ctx.parent.count.inc(({v}).rem_euclid(4))"),
        Write::SequencerLog => format!("ctx.sequencer.log.push({v})"),
        Write::OwnOrFail => format!(
            "{{ ctx.self_.log.push(1).and_then(|_| if {v} < -90 {{ Err(coded(\"tap\")) }} else {{ Ok(true) }}) }}"
        ),
        Write::Nothing => "()".into(),
    }
}
