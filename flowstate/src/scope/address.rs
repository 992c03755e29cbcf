//! The four addresses of block state, the states that outlive a block, and the app's services.

use std::any::TypeId;
use std::sync::Arc;

use super::{Base, InFlow, Scope};
use crate::error::{Error, Result, code};
use crate::port::{Model, Models};
use crate::schema::{Reach, Reads};
use crate::state::{Bag, Cell, Cells, END, Find, Known, NoMoreState, State, StateSet, access};

type Local<'a, S, W> = <S as StateSet>::Handle<'a, access::Local<W>, NoMoreState>;
type Stored<'a, S, W> = <S as StateSet>::Handle<'a, access::Stored<W>, NoMoreState>;

#[inline]
fn over<'a, S: StateSet, W: 'static>(cells: &'a dyn Cells) -> Option<Local<'a, S, W>> {
    S::handle::<access::Local<W>, _>(&cells, END)
}

#[inline]
fn known<'a, S: StateSet, W: 'static>(cells: Option<&'a impl Cells>) -> Option<Local<'a, S, W>> {
    S::handle::<access::Local<W>, _>(&Known(cells?), END)
}

/// The sequencers from a scope on upwards: each state is in the nearest that holds it.
struct Sequencers<'a>(Option<&'a Arc<Scope>>);

impl<'a, W: 'static> Find<'a, access::Local<W>> for Sequencers<'a> {
    #[inline]
    fn find<S: State>(&self) -> Option<&'a Cell<S>> {
        self.0?.0.nearest(TypeId::of::<Cell<S>>())?.downcast_ref()
    }
}

#[doc(hidden)]
impl<'a> Base<'a> {
    /// `ctx.self_`.
    #[inline]
    pub fn own<S: StateSet, W: 'static>(&self, cells: &'a S::Cells) -> Result<Local<'a, S, W>> {
        known::<S, W>(Some(cells)).ok_or_else(|| self.misplaced("itself", None))
    }

    /// `ctx.parent`, where the block can do without. `cells`: the parent's, where their type is known.
    #[inline]
    pub fn parent_or_none<S: StateSet, W: 'static>(
        &self,
        cells: Option<&'a impl Cells>,
    ) -> Option<Local<'a, S, W>> {
        known::<S, W>(cells).or_else(|| over::<S, W>(self.link.parent()?.cells()))
    }

    /// `ctx.parent`.
    #[inline]
    pub fn parent_or_fail<S: StateSet, W: 'static>(
        &self,
        cells: Option<&'a impl Cells>,
    ) -> Result<Local<'a, S, W>> {
        self.parent_or_none::<S, W>(cells)
            .ok_or_else(|| self.misplaced("its parent", self.head().parent.first()))
    }

    /// `ctx.sequencer`, where the block can do without. `cells`: the nearest sequencer's, or a sequencer's own, where their
    /// type is known.
    #[inline]
    pub fn sequencer_or_none<S: StateSet, W: 'static>(
        &self,
        cells: Option<&'a impl Cells>,
    ) -> Option<Local<'a, S, W>> {
        // from the block's own scope on: of a sequencer that one counts
        let around = Sequencers(self.link.scope());
        known::<S, W>(cells).or_else(|| S::handle::<access::Local<W>, _>(&around, END))
    }

    /// `ctx.sequencer`.
    #[inline]
    pub fn sequencer_or_fail<S: StateSet, W: 'static>(
        &self,
        cells: Option<&'a impl Cells>,
    ) -> Result<Local<'a, S, W>> {
        self.sequencer_or_none::<S, W>(cells)
            .ok_or_else(|| self.misplaced("its sequencer", self.head().sequencer.first()))
    }

    /// One of `ctx.targets`, where the block can do without.
    pub fn target_or_none<S: StateSet, W: 'static>(&self, name: &str) -> Option<Local<'a, S, W>> {
        let mut next = self.link.parent();
        while let Some(scope) = next {
            if scope.head().name == name {
                return over::<S, W>(scope.cells());
            }
            next = scope.parent();
        }
        None
    }

    /// One of `ctx.targets`.
    pub fn target_or_fail<S: StateSet, W: 'static>(&self, name: &str) -> Result<Local<'a, S, W>> {
        self.target_or_none::<S, W>(name).ok_or_else(|| {
            let target = self.head().targets.iter().find(|target| target.name == name);
            self.misplaced(&format!("its ancestor `{name}`"), target.map(|target| &target.reads))
        })
    }

    /// The containers of `ctx.request`.
    pub fn shared<S: StateSet>(&self) -> Bag {
        self.link.request().shared::<S>()
    }

    /// `ctx.request`, over containers that the caller keeps.
    pub fn over_shared<S: StateSet, W: 'static>(&self, bag: &'a Bag) -> Result<Local<'a, S, W>> {
        S::handle::<access::Local<W>, _>(&bag, END)
            .ok_or_else(|| self.misplaced("the request", None))
    }

    /// The views behind `ctx.session`, `ctx.user` and `ctx.org`.
    pub fn stored<S: StateSet>(&self, reach: Reach) -> impl Future<Output = Result<Bag>> + Send {
        async move { self.link.request().stored::<S>(reach).await }
    }

    /// `ctx.session`, `ctx.user` or `ctx.org`, over views that the caller keeps.
    pub fn over_stored<S: StateSet, W: 'static>(&self, bag: &'a Bag) -> Result<Stored<'a, S, W>> {
        S::handle::<access::Stored<W>, _>(&bag, END).ok_or_else(|| self.misplaced("the app", None))
    }

    /// One of `ctx.needs`.
    pub fn need<T: Send + Sync + 'static>(&self, name: &'static str) -> Result<&'a T> {
        self.link.request().service::<T>().ok_or_else(|| not_provided(&self.path(), name))
    }

    /// `ctx.flow`.
    pub fn flow_config<T: Send + Sync + 'static>(&self) -> Result<InFlow<'a, T>> {
        let config = self.link.request().config::<T>();
        config.map(InFlow::new).ok_or_else(|| {
            let (block, ty) = (self.head().name, std::any::type_name::<T>());
            let text = format!("`{block}` reads the configuration `{ty}`, and its flow has none");
            Error::with_code(code::BLOCK_MISPLACED, text)
        })
    }

    #[cold]
    fn misplaced(&self, place: &str, reads: Option<&Reads>) -> Error {
        let (block, state) = (self.head().name, reads.map_or("state", |reads| reads.state.name));
        let text = format!("`{block}` reads `{state}` from {place}, and it is not there");
        Error::with_code(code::BLOCK_MISPLACED, text)
    }
}

/// The error of a block that needs a service which nothing provides.
#[cold]
pub(crate) fn not_provided(path: &str, name: &str) -> Error {
    let text = format!(
        "block `{path}` needs `{name}`, and nothing provides it: call `.provide(…)` with one"
    );
    Error::with_code(code::NEED_NOT_PROVIDED, text)
}

/// The error of a generator that searches the web, where one of its models cannot.
pub(crate) fn can_search(path: &str, models: &[&Arc<dyn Model>]) -> Result<()> {
    let Some(model) = models.iter().find(|model| !model.searches()) else { return Ok(()) };
    let text = format!(
        "generator `{path}` searches the web, and its model `{}` cannot: ask one that can, or leave `search(…)` out",
        model.name()
    );
    Err(Error::with_code(code::NO_SEARCH, text))
}

/// The error of a generator whose model the app does not know.
#[cold]
pub(crate) fn no_model(path: &str, name: &str, models: &Models) -> Error {
    let known: Vec<_> = models.names().map(|name| format!("`{name}`")).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let text = format!(
        "generator `{path}` asks the model `{name}`, and the app does not know it; it knows {known}: call \
         `.model_as(\"{name}\", …)`, or `.model(…)` for every name"
    );
    Error::with_code(code::UNKNOWN_MODEL, text)
}
