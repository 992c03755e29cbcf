//! Makes the trees, from fixed seeds: the same ones in the build script and in the test.
//!
//! What runs side by side must end the same in any order, so: a state is read by the functions of its own sequencer
//! alone, a `race` has one block that can succeed (or equal ones), and where a failure is caught, nothing ran side by
//! side (`calm`).

use crate::tree::{Arm, Block, Body, Cond, Fun, Leaf, Op, Seq, Stmt, Tap, Target, Way, Write};

pub(crate) const PROGRAMS: u64 = 70;

pub(crate) fn programs(seed: u64) -> Vec<Seq> {
    (0..PROGRAMS).map(|number| program(seed, number)).collect()
}

fn program(seed: u64, number: u64) -> Seq {
    let random = Random::new(seed * PROGRAMS + number + 1);
    let mut make = Make { random, program: number, named: 0 };
    // the root, which runs the program, holds a state
    let place =
        Place { depth: [1, 2, 2, 3][(number % 4) as usize], parent_holds: true, calm: false };
    let size = [6, 9, 4, 12, 3][(number % 5) as usize];
    make.seq(place, size, number % 3 == 2)
}

/// Marsaglia's xorshift.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to `n`, without it.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low) as u64) as i64
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

#[derive(Clone, Copy)]
struct Place {
    /// How deep sequencers may still nest.
    depth: u32,
    parent_holds: bool,
    /// Nothing runs side by side.
    calm: bool,
}

struct Make {
    random: Random,
    program: u64,
    named: u32,
}

/// The sequencer that is being made.
#[derive(Clone, Copy)]
struct Here {
    holds: bool,
    parent: bool,
    place: Place,
}

impl Make {
    fn seq(&mut self, place: Place, size: u64, written: bool) -> Seq {
        let name = format!("p{}_{}", self.program, self.named);
        self.named += 1;
        let holds = !self.random.one_in(3);
        let parent = place.parent_holds && self.random.one_in(2);
        let here = Here { holds, parent, place };
        let body = if written {
            Body::Written(self.stmts(here, size, 2))
        } else {
            Body::Chain(self.ops(here, size))
        };
        Seq { name, holds, parent, body }
    }

    fn block(&mut self, here: Here) -> Block {
        let block = if here.place.depth > 0 && self.random.one_in(5) {
            let place =
                Place { depth: here.place.depth - 1, parent_holds: here.holds, ..here.place };
            let (size, written) = (2 + self.random.below(4), self.random.one_in(3));
            Block::Seq(Box::new(self.seq(place, size, written)))
        } else {
            Block::Leaf(self.leaf(here))
        };
        match self.random.below(10) {
            0 => Block::ConnectInput(Box::new(block), self.pure()),
            1 => Block::ConnectOutput(Box::new(block), self.pure()),
            _ => block,
        }
    }

    fn leaf(&mut self, here: Here) -> Leaf {
        use Leaf::{
            AddOne, AddSeven, Half, Negate, NeverWorks, OddFails, OnlyRest, Own, Parent,
            ParentIfAny, Root, Sequencer, SeventhPanics, ThirdFails, Twice, Yields,
        };
        match self.random.below(40) {
            0 => OddFails,
            1 => ThirdFails,
            2 => self.random.pick(&[NeverWorks, SeventhPanics, OnlyRest(0), OnlyRest(1)]),
            3..=6 => Own,
            7..=14 if here.holds => Parent,
            7..=10 => ParentIfAny,
            11..=16 => Sequencer,
            17..=19 => Root,
            _ => self.random.pick(&[AddOne, AddSeven, Twice, Negate, Half, Yields]),
        }
    }

    /// A block that often fails.
    fn risky(&mut self, here: Here) -> Block {
        use Leaf::{NeverWorks, OddFails, OnlyRest, SeventhPanics, ThirdFails};
        if self.random.one_in(3) {
            return self.block(here);
        }
        Block::Leaf(self.random.pick(&[
            OddFails,
            ThirdFails,
            NeverWorks,
            SeventhPanics,
            OnlyRest(0),
            OnlyRest(2),
        ]))
    }

    fn pure(&mut self) -> Fun {
        let number = self.random.between(-9, 10);
        self.random.pick(&[Fun::Add(number), Fun::Times(number), Fun::Xor(number)])
    }

    fn fun(&mut self, here: Here) -> (Fun, Way) {
        use Way::{Async, Closure, Named, NamedWithCtx, WithCtx};
        if here.holds && self.random.one_in(3) {
            return (Fun::AddCount, self.random.pick(&[WithCtx, NamedWithCtx]));
        }
        (self.pure(), self.random.pick(&[Closure, Closure, WithCtx, Async, Named, NamedWithCtx]))
    }

    fn cond(&mut self, here: Here) -> (Cond, Way) {
        use Way::{Closure, Named, NamedWithCtx, WithCtx};
        let modulus = self.random.between(2, 5);
        let rest = self.random.between(0, modulus);
        let cond = match self.random.below(5) {
            0 => Cond::Even,
            1 => Cond::Below(self.random.between(-50, 80)),
            2 if here.holds => {
                let most = self.random.between(0, 30);
                return (Cond::CountBelow(most), self.random.pick(&[WithCtx, NamedWithCtx]));
            }
            _ => Cond::Rest(modulus, rest),
        };
        (cond, self.random.pick(&[Closure, Closure, WithCtx, Named, NamedWithCtx]))
    }

    fn connector(&mut self, here: Here) -> Option<(Fun, Way)> {
        self.random.one_in(4).then(|| self.fun(here))
    }

    fn target(&mut self, here: Here) -> Target {
        Target { connector: self.connector(here), block: self.block(here) }
    }

    fn targets(&mut self, here: Here) -> Vec<Target> {
        (0..1 + self.random.below(4)).map(|_| self.target(here)).collect()
    }

    fn most(&mut self) -> Option<u32> {
        self.random.one_in(2).then(|| 1 + self.random.below(3) as u32)
    }

    fn tap(&mut self, here: Here) -> Tap {
        if self.random.one_in(3) {
            return Tap::Block(self.target(here));
        }
        let way = self.random.pick(&[Way::WithCtx, Way::WithCtx, Way::Async]);
        match self.write(here) {
            Write::Nothing => {
                Tap::Function(Write::Nothing, self.random.pick(&[Way::Closure, Way::Async]))
            }
            write => Tap::Function(write, way),
        }
    }

    fn write(&mut self, here: Here) -> Write {
        match self.random.below(10) {
            0..=2 if here.holds => Write::OwnCount,
            3..=4 if here.holds => Write::OwnLog,
            5 if here.holds => Write::OwnOrFail,
            0..=6 if here.parent => Write::ParentCount,
            9 => Write::Nothing,
            _ => Write::SequencerLog,
        }
    }

    fn ops(&mut self, here: Here, size: u64) -> Vec<Op> {
        let mut ops = Vec::new();
        let mut loops = Vec::new();
        for _ in 0..size {
            let back = self.random.one_in(7).then(|| self.loop_back(here, &ops, &loops)).flatten();
            if let Some(Op::LoopBack { to, .. }) = &back {
                loops.push((*to, ops.len()));
            }
            let op = back.unwrap_or_else(|| self.op(here));
            ops.push(op);
        }
        ops
    }

    fn op(&mut self, here: Here) -> Op {
        let calm = Here { place: Place { calm: true, ..here.place }, ..here };
        match self.random.below(if here.place.calm { 19 } else { 27 }) {
            0..=3 => Op::Step(self.target(here)),
            4 => Op::StepIf(self.cond(here), self.target(here)),
            5 => {
                let (fun, way) = self.fun(here);
                Op::Map(fun, way)
            }
            6 => {
                let (fun, way) = self.fun(here);
                Op::TryMap(Cond::Rest(11, self.random.between(0, 11)), fun, way)
            }
            7..=8 => Op::Tap(self.tap(here)),
            9 => Op::TapIf(self.cond(here), self.tap(here)),
            10 => {
                let mut all = self.targets(calm);
                all[0].block = self.risky(calm);
                Op::Any(all)
            }
            11 => self.race(),
            12..=13 => {
                let arms = (0..1 + self.random.below(3)).map(|_| Arm {
                    connector: self.connector(here),
                    condition: self.cond(here),
                    block: self.block(here),
                });
                let arms = arms.collect();
                Op::Branch(arms, (!self.random.one_in(4)).then(|| self.block(here)))
            }
            14..=16 => Op::Repeat {
                target: self.target(here),
                condition: self.cond(here),
                until: self.random.one_in(2),
                most: (!self.random.one_in(8)).then(|| 2 + self.random.below(8) as u32),
            },
            17 => Op::ExitIf((Cond::Rest(7, self.random.between(0, 7)), Way::Closure)),
            18 => Op::ThrowIf(
                (Cond::Rest(13, self.random.between(0, 13)), Way::Closure),
                self.random.one_in(2),
            ),
            19..=21 => Op::ForEach {
                block: self.block(here),
                connector: self.random.one_in(2),
                most: self.most(),
            },
            22 => {
                let blocks = (0..2 + self.random.below(2)).map(|_| self.block(here)).collect();
                Op::EachOf { blocks, by_index: self.random.one_in(2), most: self.most() }
            }
            23..=24 => {
                let mut all = self.targets(here);
                let structure = self.random.one_in(2);
                if structure {
                    all.resize_with(2, || self.target(here));
                }
                Op::Parallel { all, structure, most: self.most() }
            }
            _ => Op::All(self.targets(here), self.most()),
        }
    }

    fn race(&mut self) -> Op {
        let equal = self.random.one_in(3);
        let mut all: Vec<Block> = match self.random.below(2) {
            _ if equal => vec![Block::Leaf(Leaf::Yields), Block::Leaf(Leaf::Yields)],
            0 => (0..3).map(|rest| Block::Leaf(Leaf::OnlyRest(rest))).collect(),
            _ => vec![Block::Leaf(Leaf::OnlyRest(self.random.between(0, 3)))],
        };
        if self.random.one_in(2) {
            all.insert(0, Block::Leaf(Leaf::NeverWorks));
        }
        // one that changes its output must be the only one that can succeed
        if !equal && self.random.one_in(3) {
            let last = all.pop().expect("there is one");
            all.push(Block::ConnectOutput(Box::new(last), self.pure()));
        }
        Op::Race(all, self.most())
    }

    /// Back to an earlier operation, which must be the last that runs its block, and not in the middle of a loop.
    fn loop_back(&mut self, here: Here, ops: &[Op], loops: &[(usize, usize)]) -> Option<Op> {
        let runs = |op: &Op| match op {
            Op::Step(target) | Op::StepIf(_, target) | Op::Repeat { target, .. } => {
                Some((target.block.name().to_owned(), true))
            }
            Op::ForEach { block, connector, .. } => Some((block.name().to_owned(), *connector)),
            _ => None,
        };
        let last_of = |name: &str| {
            ops.iter().rposition(|op| runs(op).is_some_and(|(other, _)| other == name))
        };
        let fits = |to: &usize| {
            let crosses = loops.iter().any(|(other, from)| other < to && to <= from);
            runs(&ops[*to])
                .is_some_and(|(name, number)| number && !crosses && last_of(&name) == Some(*to))
        };
        let all: Vec<usize> = (0..ops.len()).filter(fits).collect();
        if all.is_empty() {
            return None;
        }
        let to = self.random.pick(&all);
        let (name, _) = runs(&ops[to])?;
        let when = (!self.random.one_in(4)).then(|| self.cond(here));
        Some(Op::LoopBack { to, name, when, most: self.random.below(4) as u32 })
    }

    fn stmts(&mut self, here: Here, size: u64, nest: u32) -> Vec<Stmt> {
        (0..size).map(|_| self.stmt(here, nest)).collect()
    }

    fn part(&mut self, here: Here, nest: u32) -> Vec<Stmt> {
        let size = 1 + self.random.below(2);
        self.stmts(here, size, nest - 1)
    }

    fn stmt(&mut self, here: Here, nest: u32) -> Stmt {
        let calm = Here { place: Place { calm: true, ..here.place }, ..here };
        let (cond, _) = self.cond(here);
        match self.random.below(24) {
            0..=4 => Stmt::Step(self.block(here), self.random.one_in(3).then(|| self.fun(here).0)),
            5 => Stmt::Change(self.fun(here).0),
            6..=7 if nest > 0 => Stmt::If(cond, self.part(here, nest), self.part(here, nest)),
            8..=9 if nest > 0 => Stmt::For(self.random.between(2, 5), self.part(here, nest)),
            10 if nest > 0 => Stmt::While(cond, self.random.between(1, 5), self.part(here, nest)),
            11 if nest > 0 => Stmt::Match((0..3).map(|_| self.part(here, nest)).collect()),
            12..=13 if !here.place.calm => Stmt::Each(self.block(here), self.most()),
            14 if !here.place.calm => {
                Stmt::Parallel((0..1 + self.random.below(4)).map(|_| self.block(here)).collect())
            }
            15 if !here.place.calm => Stmt::Join(self.block(here), self.block(here)),
            16 => Stmt::Return(Cond::Rest(9, self.random.between(0, 9))),
            17 => Stmt::ReturnStep(Cond::Rest(9, self.random.between(0, 9)), self.block(here)),
            18..=19 => Stmt::Recover(self.risky(calm), self.pure()),
            20 => Stmt::Fail(Cond::Rest(17, self.random.between(0, 17))),
            21 => Stmt::Helper(self.block(here)),
            _ => Stmt::Write(self.write(here)),
        }
    }
}
