//! What a tree means, without flowstate: plain loops over plain data, one thing after the other.

use crate::tree::{Block, Body, Cond, Fun, Leaf, Op, Seq, Stmt, Tap, Target, Write};

/// What a state holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Trail {
    pub(crate) count: i64,
    pub(crate) log: Vec<i64>,
}

/// Where and how a program fails.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub(crate) code: &'static str,
    /// The names from the root to the failing block.
    pub(crate) path: Vec<String>,
}

/// What must come out.
#[derive(Debug)]
pub(crate) struct Expected {
    /// The value; or all failures that may come, where several blocks fail side by side.
    pub(crate) result: Result<i64, Vec<Failure>>,
    pub(crate) state: Trail,
    /// Whether blocks ran side by side, so that the log's order is open.
    pub(crate) side_by_side: bool,
    /// Whether a failure ended others on their way, so that the state is open.
    pub(crate) cut_off: bool,
    /// How many blocks ran.
    pub(crate) runs: u64,
}

pub(crate) fn expected(program: &Seq, input: i64) -> Expected {
    let root = Frame { name: "root".into(), trail: Some(Trail::default()) };
    let mut world = World { frames: vec![root], side_by_side: false, cut_off: false, runs: 1 };
    let result = world.seq(program, input);
    let state = world.frames.swap_remove(0).trail.unwrap_or_default();
    let World { side_by_side, cut_off, runs, .. } = world;
    Expected { result, state, side_by_side, cut_off, runs }
}

type Outcome<T = i64> = Result<T, Vec<Failure>>;

/// A sequencer that is running.
struct Frame {
    name: String,
    trail: Option<Trail>,
}

struct World {
    frames: Vec<Frame>,
    side_by_side: bool,
    cut_off: bool,
    runs: u64,
}

/// How a sequence of statements ended.
enum Flow {
    On(i64),
    Out(i64),
}

pub(crate) fn parts(v: i64) -> Vec<i64> {
    (0..v.rem_euclid(4)).map(|i| v.wrapping_add(i * 3)).collect()
}

pub(crate) fn folded(all: &[i64]) -> i64 {
    all.iter().fold(7, |sum: i64, part| sum.wrapping_mul(3).wrapping_add(*part)) % 1000
}

impl World {
    fn fail<T>(&self, code: &'static str, block: Option<&str>) -> Outcome<T> {
        let names = self.frames.iter().map(|frame| frame.name.as_str()).chain(block);
        Err(vec![Failure { code, path: names.map(str::to_owned).collect() }])
    }

    fn own(&mut self) -> &mut Trail {
        self.frames.last_mut().and_then(|frame| frame.trail.as_mut()).expect("it holds a state")
    }

    /// The nearest sequencer that holds a state.
    fn nearest(&mut self) -> &mut Trail {
        self.frames
            .iter_mut()
            .rev()
            .find_map(|frame| frame.trail.as_mut())
            .expect("the root holds one")
    }

    fn block(&mut self, block: &Block, input: i64) -> Outcome {
        match block {
            Block::Leaf(leaf) => {
                self.runs += 1;
                self.leaf(*leaf, input)
            }
            Block::Seq(seq) => {
                self.runs += 1;
                self.seq(seq, input)
            }
            Block::ConnectInput(block, fun) => {
                let input = self.fun(*fun, input);
                self.block(block, input)
            }
            Block::ConnectOutput(block, fun) => {
                let output = self.block(block, input)?;
                Ok(self.fun(*fun, output))
            }
        }
    }

    fn leaf(&mut self, leaf: Leaf, v: i64) -> Outcome {
        let note = |trail: &mut Trail, by: i64| {
            trail.count += by;
            trail.log.push(v);
        };
        match leaf {
            Leaf::AddOne => Ok(v.wrapping_add(1)),
            Leaf::AddSeven => Ok(v.wrapping_add(7)),
            Leaf::Twice => Ok(v.wrapping_mul(2)),
            Leaf::Negate => Ok(v.wrapping_neg()),
            Leaf::Half => Ok(v / 2),
            Leaf::Yields => Ok(v ^ 5),
            Leaf::OddFails if v % 2 != 0 => self.fail("odd", Some(leaf.name())),
            Leaf::ThirdFails if v % 3 == 0 => self.fail("block_failed", Some(leaf.name())),
            Leaf::NeverWorks => self.fail("never", Some(leaf.name())),
            Leaf::SeventhPanics if v.rem_euclid(7) == 0 => {
                self.fail("block_panicked", Some(leaf.name()))
            }
            Leaf::OddFails | Leaf::ThirdFails | Leaf::SeventhPanics => Ok(v),
            Leaf::OnlyRest(rest) if v.rem_euclid(3) != rest => self.fail("rest", Some(leaf.name())),
            Leaf::OnlyRest(rest) => Ok(v.wrapping_add(rest)),
            // its state is fresh: the count is what it just added
            Leaf::Own => Ok(v.wrapping_add(1)),
            Leaf::Parent => {
                note(self.own(), 1);
                Ok(v)
            }
            Leaf::ParentIfAny => {
                let parent = self.frames.last_mut().and_then(|frame| frame.trail.as_mut());
                let found = parent.map(|trail| note(trail, 2)).is_some();
                Ok(v.wrapping_add(i64::from(found)))
            }
            Leaf::Sequencer => {
                note(self.nearest(), 3);
                Ok(v)
            }
            Leaf::Root => {
                self.frames[0].trail.as_mut().expect("the root holds a state").count += 1;
                Ok(v)
            }
        }
    }

    fn seq(&mut self, seq: &Seq, input: i64) -> Outcome {
        let trail = seq.holds.then(Trail::default);
        self.frames.push(Frame { name: seq.name.clone(), trail });
        let out = match &seq.body {
            Body::Chain(ops) => self.chain(ops, input),
            Body::Written(stmts) => self.stmts(stmts, input).map(|flow| match flow {
                Flow::On(v) | Flow::Out(v) => v,
            }),
        };
        self.frames.pop();
        out
    }

    fn fun(&mut self, fun: Fun, v: i64) -> i64 {
        match fun {
            Fun::Add(by) => v.wrapping_add(by),
            Fun::Times(by) => v.wrapping_mul(by),
            Fun::Xor(by) => v ^ by,
            Fun::AddCount => v.wrapping_add(self.own().count),
        }
    }

    fn cond(&mut self, cond: Cond, v: i64) -> bool {
        match cond {
            Cond::Even => v % 2 == 0,
            Cond::Below(limit) => v < limit,
            Cond::Rest(modulus, rest) => v.rem_euclid(modulus) == rest,
            Cond::CountBelow(limit) => self.own().count < limit,
        }
    }

    fn write(&mut self, write: Write, v: i64) -> Outcome<()> {
        match write {
            Write::OwnCount => self.own().count += v.rem_euclid(5),
            Write::OwnLog => self.own().log.push(v),
            Write::ParentCount => {
                let parent = self.frames.len() - 2;
                let trail = self.frames[parent].trail.as_mut();
                trail.expect("the parent holds a state").count += v.rem_euclid(4);
            }
            Write::SequencerLog => self.nearest().log.push(v),
            Write::OwnOrFail => {
                self.own().log.push(1);
                if v < -90 {
                    return self.fail("tap", None);
                }
            }
            Write::Nothing => {}
        }
        Ok(())
    }

    fn target(&mut self, target: &Target, v: i64) -> Outcome {
        let input = target.connector.map_or(v, |(fun, _)| self.fun(fun, v));
        self.block(&target.block, input)
    }

    fn tap(&mut self, tap: &Tap, v: i64) -> Outcome<()> {
        match tap {
            Tap::Function(write, _) => self.write(*write, v),
            Tap::Block(target) => self.target(target, v).map(drop),
        }
    }

    /// Runs all, side by side in the real thing: any of the failures may be the one.
    fn all<'b>(&mut self, all: impl IntoIterator<Item = (&'b Block, i64)>) -> Outcome<Vec<i64>> {
        let all: Vec<_> = all.into_iter().collect();
        self.side_by_side |= all.len() > 1;
        let (mut outputs, mut failures) = (Vec::new(), Vec::new());
        for (block, input) in &all {
            match self.block(block, *input) {
                Ok(output) => outputs.push(output),
                Err(failed) => failures.extend(failed),
            }
        }
        if failures.is_empty() {
            return Ok(outputs);
        }
        self.cut_off |= all.len() > 1;
        Err(failures)
    }

    fn targets(&mut self, all: &[Target], v: i64) -> Outcome<Vec<i64>> {
        let inputs: Vec<i64> = all
            .iter()
            .map(|target| target.connector.map_or(v, |(fun, _)| self.fun(fun, v)))
            .collect();
        self.all(all.iter().map(|target| &target.block).zip(inputs))
    }

    fn none_worked(&self, mut failed: Vec<Vec<Failure>>) -> Outcome {
        if failed.len() == 1 { Err(failed.remove(0)) } else { self.fail("all_failed", None) }
    }

    fn chain(&mut self, ops: &[Op], input: i64) -> Outcome {
        let mut v = input;
        let mut jumps = vec![0; ops.len()];
        let mut at = 0;
        while at < ops.len() {
            match &ops[at] {
                Op::LoopBack { to, when, most, .. } => {
                    let again =
                        jumps[at] < *most && when.is_none_or(|(cond, _)| self.cond(cond, v));
                    if again {
                        jumps[at] += 1;
                        // loops inside begin afresh
                        jumps[*to..at].fill(0);
                        at = *to;
                        continue;
                    }
                    jumps[at] = 0;
                }
                Op::ExitIf((cond, _)) => {
                    if self.cond(*cond, v) {
                        return Ok(v);
                    }
                }
                op => v = self.op(op, v)?,
            }
            at += 1;
        }
        Ok(v)
    }

    fn op(&mut self, op: &Op, v: i64) -> Outcome {
        match op {
            Op::Step(target) => self.target(target, v),
            Op::StepIf((cond, _), target) => {
                if self.cond(*cond, v) {
                    self.target(target, v)
                } else {
                    Ok(v)
                }
            }
            Op::Map(fun, _) => Ok(self.fun(*fun, v)),
            Op::TryMap(cond, fun, _) => {
                if self.cond(*cond, v) {
                    self.fail("map", None)
                } else {
                    Ok(self.fun(*fun, v))
                }
            }
            Op::Tap(tap) => self.tap(tap, v).map(|()| v),
            Op::TapIf((cond, _), tap) => {
                if self.cond(*cond, v) {
                    self.tap(tap, v)?;
                }
                Ok(v)
            }
            Op::ForEach { block, .. } => {
                let all = self.all(parts(v).into_iter().map(|part| (block, part)))?;
                Ok(folded(&all))
            }
            Op::EachOf { blocks, by_index, .. } => {
                let count = blocks.len() as i64;
                let pick = |(index, part): (usize, i64)| {
                    let by = if *by_index { index as i64 } else { part };
                    (&blocks[by.rem_euclid(count) as usize], part)
                };
                let all = self.all(parts(v).into_iter().enumerate().map(pick))?;
                Ok(folded(&all))
            }
            Op::Parallel { all, .. } | Op::All(all, _) => Ok(folded(&self.targets(all, v)?)),
            Op::Any(all) => {
                let mut failed = Vec::new();
                for target in all {
                    match self.target(target, v) {
                        Ok(output) => return Ok(output),
                        Err(error) => failed.push(error),
                    }
                }
                self.none_worked(failed)
            }
            Op::Race(all, _) => {
                let ends: Vec<_> = all.iter().map(|block| self.block(block, v)).collect();
                let mut failed = Vec::new();
                for end in ends {
                    match end {
                        Ok(output) => return Ok(output),
                        Err(error) => failed.push(error),
                    }
                }
                self.none_worked(failed)
            }
            Op::Branch(arms, otherwise) => {
                for arm in arms {
                    let input = arm.connector.map_or(v, |(fun, _)| self.fun(fun, v));
                    if self.cond(arm.condition.0, input) {
                        return self.block(&arm.block, input);
                    }
                }
                match otherwise {
                    Some(block) => self.block(block, v),
                    None => self.fail("no_branch", None),
                }
            }
            Op::Repeat { target, condition, until, most } => {
                let mut next = target.connector.map_or(v, |(fun, _)| self.fun(fun, v));
                for _ in 0..most.unwrap_or(250) {
                    next = self.block(&target.block, next)?;
                    if self.cond(condition.0, next) == *until {
                        return Ok(next);
                    }
                }
                self.fail("loop_limit", None)
            }
            Op::ThrowIf((cond, _), _) => {
                if self.cond(*cond, v) {
                    self.fail("throw", None)
                } else {
                    Ok(v)
                }
            }
            Op::LoopBack { .. } | Op::ExitIf(_) => unreachable!("the chain itself does these"),
        }
    }

    fn stmts(&mut self, stmts: &[Stmt], input: i64) -> Outcome<Flow> {
        let mut v = input;
        for stmt in stmts {
            match self.stmt(stmt, v)? {
                Flow::On(next) => v = next,
                out @ Flow::Out(_) => return Ok(out),
            }
        }
        Ok(Flow::On(v))
    }

    fn stmt(&mut self, stmt: &Stmt, v: i64) -> Outcome<Flow> {
        let next = match stmt {
            Stmt::Step(block, fun) => {
                let input = fun.map_or(v, |fun| self.fun(fun, v));
                self.block(block, input)?
            }
            Stmt::Helper(block) => self.block(block, v)?,
            Stmt::Change(fun) => self.fun(*fun, v),
            Stmt::If(cond, then, otherwise) => {
                let part = if self.cond(*cond, v) { then } else { otherwise };
                return self.stmts(part, v);
            }
            Stmt::For(most, body) => {
                let mut v = v;
                for i in 0..v.rem_euclid(*most) {
                    match self.stmts(body, v.wrapping_add(i))? {
                        Flow::On(next) => v = next,
                        out @ Flow::Out(_) => return Ok(out),
                    }
                }
                v
            }
            Stmt::While(cond, most, body) => {
                let mut v = v;
                for _ in 0..*most {
                    if !self.cond(*cond, v) {
                        break;
                    }
                    match self.stmts(body, v)? {
                        Flow::On(next) => v = next,
                        out @ Flow::Out(_) => return Ok(out),
                    }
                }
                v
            }
            Stmt::Match(arms) => {
                let arm = &arms[v.rem_euclid(arms.len() as i64) as usize];
                return self.stmts(arm, v);
            }
            Stmt::Each(block, _) => {
                folded(&self.all(parts(v).into_iter().map(|part| (block, part)))?)
            }
            Stmt::Parallel(all) => folded(&self.all(all.iter().map(|block| (block, v)))?),
            Stmt::Join(a, b) => folded(&self.all([(a, v), (b, v)])?),
            Stmt::Return(cond) => {
                if self.cond(*cond, v) {
                    return Ok(Flow::Out(v));
                }
                v
            }
            Stmt::ReturnStep(cond, block) => {
                if self.cond(*cond, v) {
                    return self.block(block, v).map(Flow::Out);
                }
                v
            }
            Stmt::Recover(block, fun) => match self.block(block, v) {
                Ok(found) => found,
                Err(_) => self.fun(*fun, v),
            },
            Stmt::Fail(cond) => {
                if self.cond(*cond, v) {
                    return self.fail("stop", None);
                }
                v
            }
            Stmt::Write(write) => {
                self.write(*write, v)?;
                v
            }
        };
        Ok(Flow::On(next))
    }
}
