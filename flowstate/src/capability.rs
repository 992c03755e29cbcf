//! Capabilities: state and functions that any block can use, typed in that block's context.
//!
//! `#[capability]` on a unit struct says what it brings, and on its `impl` which functions blocks call as
//! `ctx.cap.<name>.<function>(…)`. A block takes it by `uses = [Skills]`. The guide's page is
//! [`capabilities`](crate::guide::capabilities).

use std::fmt;

use crate::block::Attempts;
use crate::block::known::Probe;
use crate::error::Result;
use crate::schema::{CapabilityDef, Reach, UseDef};
use crate::scope::Base;
use crate::state::{Bag, NoMoreState, StateSet, Visit, access};

/// A capability, made by `#[capability]` on a unit struct.
///
/// ```
/// use flowstate::capability::Capability;
/// use flowstate::prelude::*;
///
/// #[state]
/// pub struct Skills {
///     pub active: Vec<String>,
/// }
///
/// #[capability(state = Skills)]
/// pub struct SkillBook;
///
/// #[capability]
/// impl SkillBook {
///     pub fn count(ctx: &Ctx) -> usize {
///         ctx.self_.active.with(Vec::len)
///     }
/// }
///
/// #[block(handler, uses = [SkillBook])]
/// async fn learn(id: String, ctx: Ctx) -> Result<usize> {
///     ctx.self_.active.push(id)?;
///     Ok(ctx.cap.skill_book.count())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// assert_eq!(flowstate::run(learn, "search".to_string()).await?, 1);
/// assert_eq!(SkillBook::DEF.field, "skill_book");
/// assert_eq!(SkillBook::DEF.holds[0].name, "Skills");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a capability",
    label = "not declared with `#[capability]`",
    note = "put `#[capability]` on the struct"
)]
pub trait Capability: Sized + 'static {
    /// What it brings, as constants.
    const DEF: &'static CapabilityDef;
    /// How blocks that use it are tried, where they do not say so themselves.
    #[doc(hidden)]
    const ATTEMPTS: Option<Attempts> = None;
    /// Whether its configuration says `retry`, and whether `timeout`.
    #[doc(hidden)]
    const CHOSEN: [bool; 2] = [false, false];
    /// What it says of them.
    #[doc(hidden)]
    fn choose(_config: &'static Self::Config, _attempts: &mut Attempts) {}
    /// The states it brings to `ctx.self_`.
    type State: StateSet;
    /// The states it brings to `ctx.request`.
    type Request: StateSet;
    /// The states it brings to `ctx.session`.
    type Session: StateSet;
    /// The states it brings to `ctx.user`.
    type User: StateSet;
    /// The states it brings to `ctx.org`.
    type Org: StateSet;
    /// The states it must find in a sequencer round the block.
    type Sequencer: StateSet;
    /// The capabilities it uses itself.
    type Uses: Uses;
    /// What its functions read as `ctx.config`; `()` where it is not configured.
    type Config: Send + Sync + 'static;
    /// What `Cap.with(…)` sets: the configuration, and the switches of its presets.
    #[doc(hidden)]
    type Setup;
    /// Its targets, and then what `R` has.
    type Targets<'a, W: 'static, R: 'a>: 'a;
    /// Its functions, under its name, and then what `R` has.
    type Named<'a, R: 'a>: 'a;

    #[doc(hidden)]
    fn setup() -> Self::Setup;
    #[doc(hidden)]
    fn presets(setup: Self::Setup) -> Self::Setup {
        setup
    }
    #[doc(hidden)]
    fn configured(setup: Self::Setup) -> Self::Config;
    /// The targets of a block that uses it.
    #[doc(hidden)]
    fn targets<'a, W: 'static, R: 'a>(base: Base<'a>, rest: R) -> Result<Self::Targets<'a, W, R>>;
    /// Its functions, over the containers of a block that uses it.
    #[doc(hidden)]
    fn named<'a, R: 'a>(
        given: Given<'a>,
        config: &'static Self::Config,
        rest: R,
    ) -> Self::Named<'a, R>;
}

/// What `ctx.cap.<name>` is: its functions are given this context. (Where the struct is no capability, it is not there, and all
/// that is said of it is said at one place.)
#[doc(hidden)]
pub trait Api {
    type Ctx;
}

/// A capability as it is used: as it is, or configured.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a capability",
    label = "not declared with `#[capability]`",
    note = "put `#[capability]` on the struct"
)]
pub trait Use: Sized + 'static {
    /// The capability.
    type Capability: Capability;
    /// How blocks that use it are tried.
    #[doc(hidden)]
    const ATTEMPTS: Option<Attempts> = match <Of<Self> as Capability>::ATTEMPTS {
        Some(said) => {
            let [retry, timeout] = <Of<Self> as Capability>::CHOSEN;
            let retry_by: Option<fn() -> Attempts> =
                if retry { Some(chosen::<Self>) } else { None };
            let timeout_by = if timeout { Some(chosen::<Self> as fn() -> Attempts) } else { None };
            Some(Attempts { retry_by, timeout_by, ..said })
        }
        None => None,
    };
    /// The capability, and how it is configured.
    const DEF: UseDef;
    /// The configuration, made once.
    fn config() -> &'static <Self::Capability as Capability>::Config;
}

fn chosen<U: Use>() -> Attempts {
    let mut attempts = Of::<U>::ATTEMPTS.unwrap_or(Attempts::NONE);
    Of::<U>::choose(U::config(), &mut attempts);
    attempts
}

impl<T: Use> Probe<T> {
    /// It is a capability.
    pub const CAPABILITY: bool = true;
}

type Of<U> = <U as Use>::Capability;

/// Stops with the text, where it is no capability.
#[doc(hidden)]
#[track_caller]
pub const fn is_capability(ok: bool, text: &str) {
    assert!(ok, "{}", text);
}

/// A list of capabilities, as a type that a macro writes: `()`, `(Skills, (Audit, ()))`.
pub trait Uses: 'static {
    /// How blocks that use them are tried.
    #[doc(hidden)]
    const ATTEMPTS: Option<Attempts> = None;
    /// What all of them bring to `ctx.self_`.
    type State: StateSet;
    /// What all of them bring to `ctx.request`.
    type Request: StateSet;
    /// What all of them bring to `ctx.session`.
    type Session: StateSet;
    /// What all of them bring to `ctx.user`.
    type User: StateSet;
    /// What all of them bring to `ctx.org`.
    type Org: StateSet;
    /// What all of them must find in a sequencer round the block.
    type Sequencer: StateSet;
    /// The targets of all of them.
    type Targets<'a, W: 'static>: 'a;
    /// The functions of each, under its name.
    type Caps<'a>: 'a;

    /// Visits the states that they hold, also those that they bring only to each other.
    #[doc(hidden)]
    fn holds(visit: &mut impl Visit);
    /// Visits the sets of states that outlive the block, likewise.
    #[doc(hidden)]
    fn lasting(bags: &mut impl VisitLasting);
    #[doc(hidden)]
    fn targets<'a, W: 'static>(base: Base<'a>) -> Result<Self::Targets<'a, W>>;
    #[doc(hidden)]
    fn caps(given: Given<'_>) -> Self::Caps<'_>;
}

/// Is shown each set of states that outlives a block.
#[doc(hidden)]
pub trait VisitLasting {
    fn set<S: StateSet>(&mut self, reach: Reach);
}

impl Uses for () {
    type State = ();
    type Request = ();
    type Session = ();
    type User = ();
    type Org = ();
    type Sequencer = ();
    type Targets<'a, W: 'static> = NoMoreTargets;
    type Caps<'a> = NoMoreCapabilities;

    fn holds(_: &mut impl Visit) {}
    fn lasting(_: &mut impl VisitLasting) {}
    fn targets<'a, W: 'static>(_: Base<'a>) -> Result<NoMoreTargets> {
        Ok(NoMoreTargets)
    }
    fn caps(_: Given<'_>) -> NoMoreCapabilities {
        NoMoreCapabilities
    }
}

impl<U: Use, R: Uses> Uses for (U, R) {
    const ATTEMPTS: Option<Attempts> = Attempts::NONE.all(&[U::ATTEMPTS, R::ATTEMPTS]);
    type State = (<Of<U> as Capability>::State, R::State);
    type Request = (<Of<U> as Capability>::Request, R::Request);
    type Session = (<Of<U> as Capability>::Session, R::Session);
    type User = (<Of<U> as Capability>::User, R::User);
    type Org = (<Of<U> as Capability>::Org, R::Org);
    type Sequencer = (<Of<U> as Capability>::Sequencer, R::Sequencer);
    type Targets<'a, W: 'static> = <Of<U> as Capability>::Targets<'a, W, R::Targets<'a, W>>;
    type Caps<'a> = <Of<U> as Capability>::Named<'a, R::Caps<'a>>;

    fn holds(visit: &mut impl Visit) {
        <Of<U> as Capability>::State::each(visit);
        <Of<U> as Capability>::Uses::holds(visit);
        R::holds(visit);
    }
    fn lasting(bags: &mut impl VisitLasting) {
        bags.set::<<Of<U> as Capability>::Request>(Reach::Request);
        bags.set::<<Of<U> as Capability>::Session>(Reach::Session);
        bags.set::<<Of<U> as Capability>::User>(Reach::User);
        bags.set::<<Of<U> as Capability>::Org>(Reach::Org);
        <Of<U> as Capability>::Uses::lasting(bags);
        R::lasting(bags);
    }
    fn targets<'a, W: 'static>(base: Base<'a>) -> Result<Self::Targets<'a, W>> {
        <Of<U> as Capability>::targets::<W, _>(base, R::targets::<W>(base)?)
    }
    fn caps(given: Given<'_>) -> Self::Caps<'_> {
        <Of<U> as Capability>::named(given, U::config(), R::caps(given))
    }
}

impl<T: Default + Send + Sync + 'static> Probe<T> {
    /// It can configure a capability.
    pub const CONFIGURES: bool = true;
}

impl Probe<NothingToConfigure> {
    /// There is nothing to set.
    pub const SET_UP: bool = false;
}

/// Of a capability without `config`: there is nothing to set.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct NothingToConfigure;

/// A preset's switch in `Cap.with(…)`: literally `true` or `false`.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct TrueOrFalse(pub bool);

/// What `true` and `false` stand for in `Cap.with(…)`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "mismatched types: this is `true` or `false`, and not a `{Self}`",
    label = "expected `{Self}`, found `bool`"
)]
pub trait Literal {
    fn literal(on: bool) -> Self;
}

impl Literal for TrueOrFalse {
    fn literal(on: bool) -> Self {
        Self(on)
    }
}

impl Literal for bool {
    fn literal(on: bool) -> Self {
        on
    }
}

/// The end of `ctx.targets`: no further target is declared, by the block or by a capability.
#[derive(Debug, Clone, Copy)]
pub struct NoMoreTargets;

/// The end of `ctx.cap`: the block uses no further capability.
#[derive(Debug, Clone, Copy)]
pub struct NoMoreCapabilities;

/// The containers of a block and its capabilities.
#[doc(hidden)]
#[must_use]
pub fn cells<S: StateSet, U: Uses>() -> Bag {
    let mut bag = Bag::default();
    S::each(&mut bag);
    U::holds(&mut bag);
    bag
}

/// The containers of the states that outlive a block, as its capabilities see them.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Bags {
    request: Bag,
    session: Bag,
    user: Bag,
    org: Bag,
}

impl Bags {
    /// Those of the capabilities of a block that is run.
    ///
    /// # Errors
    /// The store's.
    pub fn load<U: Uses>(base: Base<'_>) -> impl Future<Output = Result<Self>> + Send {
        async move {
            Ok(Self {
                request: base.shared::<Over<U, 0>>(),
                session: base.stored::<Over<U, 1>>(Reach::Session).await?,
                user: base.stored::<Over<U, 2>>(Reach::User).await?,
                org: base.stored::<Over<U, 3>>(Reach::Org).await?,
            })
        }
    }
}

const REACH: [Reach; 4] = [Reach::Request, Reach::Session, Reach::User, Reach::Org];

/// The states of one reach that a list of capabilities uses, as one set; it is visited, and has no handle.
struct Over<U, const N: usize>(std::marker::PhantomData<fn() -> U>);

impl<U: Uses, const N: usize> StateSet for Over<U, N> {
    type Cells = Bag;
    type Handle<'a, A: crate::state::Access, R: 'a> = R;

    fn cells() -> Bag {
        Bag::default()
    }
    fn each(visit: &mut impl Visit) {
        struct Of<'v, V>(&'v mut V, Reach);
        impl<V: Visit> VisitLasting for Of<'_, V> {
            fn set<S: StateSet>(&mut self, reach: Reach) {
                if reach == self.1 {
                    S::each(self.0);
                }
            }
        }
        U::lasting(&mut Of(visit, REACH[N]));
    }
    fn handle<'a, A: crate::state::Access, R: 'a>(
        _: &impl crate::state::Find<'a, A>,
        rest: R,
    ) -> Option<R> {
        Some(rest)
    }
}

/// What a capability's functions work on: the containers of the block that uses it.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Given<'a> {
    base: Base<'a>,
    cells: &'a Bag,
    bags: &'a Bags,
}

impl fmt::Debug for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.fmt(f)
    }
}

/// All that the capabilities of a block bring to its context, made at once; `self_` with the block's own states, `S`.
#[doc(hidden)]
pub struct Used<'a, U: Uses, S: StateSet, W: 'static> {
    pub self_: Local<'a, S, W>,
    pub request: Local<'a, U::Request, W>,
    pub session: Stored<'a, U::Session, W>,
    pub user: Stored<'a, U::User, W>,
    pub org: Stored<'a, U::Org, W>,
    pub sequencer: Local<'a, U::Sequencer, W>,
    pub targets: U::Targets<'a, W>,
    pub cap: U::Caps<'a>,
}

/// What the capabilities of a capability bring to its context that is no state of its block.
#[doc(hidden)]
pub struct Around<'a, U: Uses, W: 'static> {
    pub sequencer: Local<'a, U::Sequencer, W>,
    pub targets: U::Targets<'a, W>,
    pub cap: U::Caps<'a>,
}

impl<U: Uses, W: 'static> fmt::Debug for Around<'_, U, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Around").finish_non_exhaustive()
    }
}

impl<U: Uses, S: StateSet, W: 'static> fmt::Debug for Used<'_, U, S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Used").finish_non_exhaustive()
    }
}

type Local<'a, S, W> = <S as StateSet>::Handle<'a, access::Local<W>, NoMoreState>;
type Stored<'a, S, W> = <S as StateSet>::Handle<'a, access::Stored<W>, NoMoreState>;

/// A context that was made for a call: its block's own could be made, so this one can, too.
#[doc(hidden)]
pub fn made<C>(ctx: Result<C>) -> C {
    ctx.unwrap_or_else(|error| unreachable!("the block's own context was made: {error}"))
}

impl<'a> Given<'a> {
    #[must_use]
    pub fn new(base: Base<'a>, cells: &'a Bag, bags: &'a Bags) -> Self {
        Self { base, cells, bags }
    }
    #[must_use]
    pub fn base(self) -> Base<'a> {
        self.base
    }
    /// # Errors
    /// As [`own`](Self::own).
    pub fn used<U: Uses, S: StateSet, W: 'static>(self) -> Result<Used<'a, U, S, W>> {
        let Around { sequencer, targets, cap } = self.around::<U, W>()?;
        Ok(Used {
            self_: self.own::<S, W>()?,
            request: self.request::<U::Request, W>()?,
            session: self.session::<U::Session, W>()?,
            user: self.user::<U::User, W>()?,
            org: self.org::<U::Org, W>()?,
            sequencer,
            targets,
            cap,
        })
    }
    /// # Errors
    /// As [`own`](Self::own).
    pub fn around<U: Uses, W: 'static>(self) -> Result<Around<'a, U, W>> {
        Ok(Around {
            sequencer: self.base.sequencer_or_fail::<U::Sequencer, W>(None::<&()>)?,
            targets: U::targets::<W>(self.base)?,
            cap: U::caps(self),
        })
    }
    /// # Errors
    /// `block_misplaced`, which the checks prevent.
    pub fn own<S: StateSet, W: 'static>(self) -> Result<Local<'a, S, W>> {
        self.base.over_shared::<S, W>(self.cells)
    }
    /// # Errors
    /// As [`own`](Self::own).
    pub fn request<S: StateSet, W: 'static>(self) -> Result<Local<'a, S, W>> {
        self.base.over_shared::<S, W>(&self.bags.request)
    }
    /// # Errors
    /// As [`own`](Self::own).
    pub fn session<S: StateSet, W: 'static>(self) -> Result<Stored<'a, S, W>> {
        self.base.over_stored::<S, W>(&self.bags.session)
    }
    /// # Errors
    /// As [`own`](Self::own).
    pub fn user<S: StateSet, W: 'static>(self) -> Result<Stored<'a, S, W>> {
        self.base.over_stored::<S, W>(&self.bags.user)
    }
    /// # Errors
    /// As [`own`](Self::own).
    pub fn org<S: StateSet, W: 'static>(self) -> Result<Stored<'a, S, W>> {
        self.base.over_stored::<S, W>(&self.bags.org)
    }
}
