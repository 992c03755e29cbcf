//! One block alone, under test.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use crate::app::{SaidBefore, missing_need};
use crate::block::{Block, IntoBlock, dispatch};
use crate::error::{Error, Result, code};
use crate::port::{Message, Model, TokenCounter};
use crate::schema::{Head, Kind, Reach};
use crate::scope::{At, Home, Link, Place, Request, Scope, Services, Stream, Who};
use crate::state::{Bag, Cell, FlowConfig, State};

/// One block alone: what it reaches for is given, and can be looked at afterwards.
///
/// ```
/// use flowstate::prelude::*;
///
/// #[state]
/// pub struct Tally { pub count: u32 }
///
/// #[block(handler, parent = Tally)]
/// async fn bump(by: u32, ctx: Ctx) -> Result<()> {
///     ctx.parent.count.inc(by)?;
///     Ok(())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let tested = flowstate::test(bump).parent(Tally { count: 1 }).run(2).await?;
/// assert_eq!(tested.parent::<Tally>().count, 3);
/// # Ok(())
/// # }
/// ```
pub fn test<B: IntoBlock>(block: B) -> Test<B::Block> {
    Test {
        block: block.into_block(),
        parent: Bag::default(),
        sequencer: Bag::default(),
        targets: Vec::new(),
        services: Services::default(),
        seeds: Vec::new(),
        who: Who::default(),
    }
}

type Seed = Box<dyn FnOnce(&Request) + Send>;

/// A block under test, and what it is given.
#[must_use = "nothing runs until `run` is called"]
pub struct Test<B> {
    block: B,
    parent: Bag,
    sequencer: Bag,
    targets: Vec<(&'static str, Bag)>,
    services: Services,
    seeds: Vec<Seed>,
    who: Who,
}

impl<B: Block> fmt::Debug for Test<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Test({})", B::HEAD.name)
    }
}

impl<B: Block> Test<B> {
    /// A state of its parent; may be called for several.
    pub fn parent<S: State>(mut self, state: S) -> Self {
        self.parent.put(state);
        self
    }

    /// A state of a sequencer around it.
    pub fn sequencer<S: State>(mut self, state: S) -> Self {
        self.sequencer.put(state);
        self
    }

    /// A state of the ancestor of this name.
    pub fn target<S: State>(mut self, name: &'static str, state: S) -> Self {
        if let Some((_, bag)) = self.targets.iter_mut().find(|(known, _)| *known == name) {
            bag.put(state);
        } else {
            let mut bag = Bag::default();
            bag.put(state);
            self.targets.push((name, bag));
        }
        self
    }

    /// The request's state.
    pub fn request<S: State>(self, state: S) -> Self {
        self.seed(Reach::Request, state)
    }

    /// The session's state.
    pub fn session<S: State>(self, state: S) -> Self {
        self.seed(Reach::Session, state)
    }

    /// The user's state.
    pub fn user<S: State>(self, state: S) -> Self {
        self.seed(Reach::User, state)
    }

    /// The organisation's state.
    pub fn org<S: State>(self, state: S) -> Self {
        self.seed(Reach::Org, state)
    }

    fn seed<S: State>(mut self, reach: Reach, state: S) -> Self {
        self.seeds.push(Box::new(move |request| request.seed(reach, state)));
        self
    }

    /// The configuration of its flow, for `config = T`.
    pub fn config<T: FlowConfig>(mut self, config: T) -> Self {
        self.seeds.push(Box::new(move |request| request.configure(Arc::new(config))));
        self
    }

    /// What was said before, for `ctx.history`: a turn begins where the user speaks.
    pub fn history(mut self, said: impl IntoIterator<Item = Message>) -> Self {
        let said: Vec<_> = said.into_iter().collect();
        self.seeds.push(Box::new(move |request| {
            request.one::<SaidBefore>().0.lock().extend(said);
        }));
        self
    }

    /// A service, for `needs = [T]`.
    pub fn provide<T: Send + Sync + 'static>(mut self, service: T) -> Self {
        self.services.add(service);
        self
    }

    /// A model, for every name that has none of its own.
    pub fn model(mut self, model: impl Model) -> Self {
        self.services.models.set_default(Arc::new(model));
        self
    }

    /// A model by its name.
    pub fn model_as(mut self, name: impl Into<String>, model: impl Model) -> Self {
        self.services.models.add(name.into(), Arc::new(model));
        self
    }

    /// How tokens are counted; by an [estimate](crate::model::EstimatedTokens) where nothing is said.
    pub fn token_counter(mut self, counter: impl TokenCounter) -> Self {
        self.services.tokens = Arc::new(counter);
        self
    }

    /// Runs the block once.
    ///
    /// # Errors
    /// The block's own; `block_misplaced`, `need_not_provided` or `unknown_model` where it was not given what it needs.
    pub async fn run(self, input: B::Input) -> Result<Tested<B::Output>> {
        let (done, tested) = self.settled(input).await?;
        Ok(tested.with(done?))
    }

    /// Runs the block once, which is to fail: its error, and what it left behind.
    ///
    /// ```
    /// # use flowstate::prelude::*;
    /// #[state]
    /// pub struct Tally { pub count: u32 }
    ///
    /// #[block(handler, parent = Tally)]
    /// async fn bump(_: (), ctx: Ctx) -> Result<()> {
    ///     ctx.parent.count.inc(1)?;
    ///     Err(Error::with_code("full", "no more"))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let tested = flowstate::test(bump).parent(Tally { count: 1 }).fail(()).await?;
    /// assert_eq!((tested.output.code(), tested.parent::<Tally>().count), ("full", 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `block_misplaced` or `need_not_provided` where it was not given what it needs.
    ///
    /// # Panics
    /// Where the block does not fail.
    pub async fn fail(self, input: B::Input) -> Result<Tested<Error>> {
        let (done, tested) = self.settled(input).await?;
        match done {
            Ok(_) => panic!("`{}` did not fail", B::HEAD.name),
            Err(error) => Ok(tested.with(error)),
        }
    }

    /// Runs it; outside is what prevents that it is run.
    async fn settled(self, input: B::Input) -> Result<(Result<B::Output>, Tested<()>)> {
        // without a name, so that they do not show in paths; the parent is what the block says of it, and no sequencer
        const SEQUENCER: &Head = &Head::new("", Kind::Sequencer);
        const PARENT: &Head = &Head::new("", Kind::Router);
        missing_need(B::DEF, &self.services)?;
        let home = Arc::new(Home::new(self.services, Vec::new(), None, None));
        let request = Request::new(self.who, home, Stream::unheard(B::DEF.waits, false));
        for seed in self.seeds {
            seed(&request);
        }
        let mut around: Option<Arc<Scope>> = None;
        let mut open = |head: &'static Head, bag: Bag| {
            let link = around.as_ref().map_or_else(
                || Link::root(&request),
                |around| Link::under(around, Place::default()),
            );
            let scope = link.open(head, bag);
            around = Some(scope.clone());
            scope
        };
        for (name, bag) in self.targets {
            // a head lives as long as the program, and tests are few
            open(Box::leak(Box::new(Head::new(name, Kind::Sequencer))), bag);
        }
        let sequencer = open(SEQUENCER, self.sequencer);
        let parent = open(PARENT, self.parent);
        let output = {
            let link = Link::under(&parent, Place::default());
            let done = dispatch(&self.block, input, At::new(&link)).await;
            request.drain().await;
            match done {
                Err(error) if error.code() == code::BLOCK_MISPLACED => return Err(error),
                done => done,
            }
        };
        Ok((output, Tested { output: (), parent, sequencer, request }))
    }
}

/// What a block under test gave and left behind.
pub struct Tested<O> {
    /// Its output, or its error where it was [to fail](Test::fail).
    pub output: O,
    parent: Arc<Scope>,
    sequencer: Arc<Scope>,
    request: Arc<Request>,
}

impl<O: fmt::Debug> fmt::Debug for Tested<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tested").field("output", &self.output).finish_non_exhaustive()
    }
}

impl Tested<()> {
    fn with<O>(self, output: O) -> Tested<O> {
        let Self { parent, sequencer, request, .. } = self;
        Tested { output, parent, sequencer, request }
    }
}

impl<O> Tested<O> {
    /// The parent's state.
    ///
    /// # Panics
    /// Where the parent was given no `S`.
    #[must_use]
    pub fn parent<S: State>(&self) -> S {
        look(&self.parent)
    }

    /// The sequencer's state.
    ///
    /// # Panics
    /// Where the sequencer was given no `S`.
    #[must_use]
    pub fn sequencer<S: State>(&self) -> S {
        look(&self.sequencer)
    }

    /// The state of the ancestor of this name.
    ///
    /// # Panics
    /// Where no such ancestor was given, or it was given no `S`.
    #[must_use]
    pub fn target<S: State>(&self, name: &str) -> S {
        match self.parent.ancestor(name) {
            Some(scope) => look(scope),
            None => panic!("the test has no target `{name}`"),
        }
    }

    /// The request's state.
    #[must_use]
    pub fn request<S: State>(&self) -> S {
        self.request.cell::<S>().peek(S::clone)
    }

    /// The session's state.
    #[must_use]
    pub fn session<S: State>(&self) -> S {
        S::clone(&self.request.view(Reach::Session).seen())
    }

    /// The user's state.
    #[must_use]
    pub fn user<S: State>(&self) -> S {
        S::clone(&self.request.view(Reach::User).seen())
    }

    /// The organisation's state.
    #[must_use]
    pub fn org<S: State>(&self) -> S {
        S::clone(&self.request.view(Reach::Org).seen())
    }
}

fn look<S: State>(scope: &Scope) -> S {
    match scope.state::<S>() {
        Some(cell) => Cell::peek(cell, S::clone),
        None => panic!("the test was given no `{}`", type_name::<S>()),
    }
}
