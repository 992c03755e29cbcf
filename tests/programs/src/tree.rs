//! A sequencer program as plain data. It knows nothing of flowstate: one reader writes it as source text, another
//! evaluates it.

/// A function from one number to another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fun {
    Add(i64),
    Times(i64),
    Xor(i64),
    /// Adds the count of the sequencer's own state.
    AddCount,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Cond {
    Even,
    Below(i64),
    /// `value mod .0 == .1`
    Rest(i64, i64),
    /// The sequencer's own count is below it.
    CountBelow(i64),
}

/// How a function is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Way {
    Closure,
    WithCtx,
    Async,
    /// By its name.
    Named,
    /// By its name, and it takes the context.
    NamedWithCtx,
}

/// Blocks that are there once, for all programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Leaf {
    AddOne,
    AddSeven,
    Twice,
    Negate,
    Half,
    /// Gives way to others before it returns.
    Yields,
    /// Fails with code `odd`.
    OddFails,
    /// Fails with a standard error.
    ThirdFails,
    NeverWorks,
    SeventhPanics,
    /// These three take a value of one remainder by three only.
    OnlyRest(i64),
    /// Holds a state of its own, which is fresh each time.
    Own,
    Parent,
    ParentIfAny,
    Sequencer,
    /// Writes to the outermost sequencer, by its name.
    Root,
}

#[derive(Debug, Clone)]
pub(crate) enum Block {
    Leaf(Leaf),
    Seq(Box<Seq>),
    ConnectInput(Box<Block>, Fun),
    ConnectOutput(Box<Block>, Fun),
}

#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) connector: Option<(Fun, Way)>,
    pub(crate) block: Block,
}

/// A write of an inline function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Write {
    OwnCount,
    OwnLog,
    ParentCount,
    SequencerLog,
    /// Writes, and then fails with code `tap` for values below -90.
    OwnOrFail,
    Nothing,
}

#[derive(Debug, Clone)]
pub(crate) enum Tap {
    Function(Write, Way),
    Block(Target),
}

type Test = (Cond, Way);

#[derive(Debug, Clone)]
pub(crate) struct Arm {
    pub(crate) connector: Option<(Fun, Way)>,
    pub(crate) condition: Test,
    pub(crate) block: Block,
}

/// One method of a chain.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Step(Target),
    StepIf(Test, Target),
    Map(Fun, Way),
    /// Fails with code `map` where the condition holds.
    TryMap(Cond, Fun, Way),
    Tap(Tap),
    TapIf(Test, Tap),
    /// For each of the value's parts, which are added up; `connector`: made by one, not by a `map` before.
    ForEach {
        block: Block,
        connector: bool,
        most: Option<u32>,
    },
    /// A block picked for each part, by its index or by itself.
    EachOf {
        blocks: Vec<Block>,
        by_index: bool,
        most: Option<u32>,
    },
    /// A tuple, or a struct of two.
    Parallel {
        all: Vec<Target>,
        structure: bool,
        most: Option<u32>,
    },
    All(Vec<Target>, Option<u32>),
    Any(Vec<Target>),
    Race(Vec<Block>, Option<u32>),
    Branch(Vec<Arm>, Option<Block>),
    Repeat {
        target: Target,
        condition: Test,
        until: bool,
        most: Option<u32>,
    },
    /// Back to the operation `to`, which runs the block of that name.
    LoopBack {
        to: usize,
        name: String,
        when: Option<Test>,
        most: u32,
    },
    ExitIf(Test),
    /// With an error as a value, or as a function of the value.
    ThrowIf(Test, bool),
}

/// One statement of an async sequencer, on a variable `v`.
#[derive(Debug, Clone)]
pub(crate) enum Stmt {
    Step(Block, Option<Fun>),
    Change(Fun),
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    For(i64, Vec<Stmt>),
    While(Cond, i64, Vec<Stmt>),
    Match(Vec<Vec<Stmt>>),
    Each(Block, Option<u32>),
    Parallel(Vec<Block>),
    /// The same by `tokio::try_join!` of two steps.
    Join(Block, Block),
    Return(Cond),
    ReturnStep(Cond, Block),
    Recover(Block, Fun),
    /// An error with code `stop`.
    Fail(Cond),
    Write(Write),
    /// Runs a block by a helper function.
    Helper(Block),
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    Chain(Vec<Op>),
    Written(Vec<Stmt>),
}

#[derive(Debug, Clone)]
pub(crate) struct Seq {
    pub(crate) name: String,
    /// Whether it holds a state.
    pub(crate) holds: bool,
    /// Whether it reads its parent's state, which is then there.
    pub(crate) parent: bool,
    pub(crate) body: Body,
}

impl Leaf {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AddOne => "add_one",
            Self::AddSeven => "add_seven",
            Self::Twice => "twice",
            Self::Negate => "negate",
            Self::Half => "half",
            Self::Yields => "yields",
            Self::OddFails => "odd_fails",
            Self::ThirdFails => "third_fails",
            Self::NeverWorks => "never_works",
            Self::SeventhPanics => "seventh_panics",
            Self::OnlyRest(0) => "only_rest_0",
            Self::OnlyRest(1) => "only_rest_1",
            Self::OnlyRest(_) => "only_rest_2",
            Self::Own => "own",
            Self::Parent => "to_parent",
            Self::ParentIfAny => "to_parent_if_any",
            Self::Sequencer => "to_sequencer",
            Self::Root => "to_root",
        }
    }
}

impl Block {
    /// The name of the block inside.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Leaf(leaf) => leaf.name(),
            Self::Seq(seq) => &seq.name,
            Self::ConnectInput(block, _) | Self::ConnectOutput(block, _) => block.name(),
        }
    }
}
