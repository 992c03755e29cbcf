//! What a chain is: a list of operations.

use proc_macro2::Ident;
use syn::{Expr, ExprClosure, Path};

use crate::cfg::Cfg;

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
    pub(super) fn new(connector: Option<Function>, block: BlockRef) -> Self {
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
