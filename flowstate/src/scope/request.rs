//! One request, and the states that it shares among its blocks.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use uuid::Uuid;

use super::cached::ToolOutputs;
use super::entry::{Entries, Instance};
use super::home::{Home, Services};
use super::keeper::Keeper;
use super::lane::{Lane, LaneKey};
use super::side::{Group, Side};
use super::signal::Signal;
use super::stream::Stream;
use super::who::Who;
use crate::error::{Error, Result, code};
use crate::item::{Item, ItemKind, Message, Status};
use crate::schema::{ActionDef, Reach};
use crate::state::{Bag, Cell, Kept, One, State, StateSet, StoredCell, Visit};
use crate::sync::{Held, Mutex};

pub(super) type Any1 = Arc<dyn Any + Send + Sync>;

/// What a request of an action has besides.
struct Call {
    instance: Arc<Instance>,
    action: &'static ActionDef,
    /// How many tokens it has used.
    tokens: AtomicU64,
}

/// One request, while it runs.
pub struct Request {
    id: OnceLock<Uuid>,
    who: Who,
    home: Arc<Home>,
    stream: Option<Arc<Stream>>,
    /// Its background work, once there was any.
    side: OnceLock<Side>,
    signal: OnceLock<Signal>,
    call: OnceLock<Call>,
    /// The configuration of its flow.
    config: OnceLock<Any1>,
    /// The request's own state, and its views of the states that outlive it; few, so they are looked through.
    open: Mutex<Vec<((Reach, TypeId), Any1)>>,
}

impl Request {
    /// A request, and where its items go where somebody listens.
    pub(crate) fn new(who: Who, home: Arc<Home>, stream: Option<Arc<Stream>>) -> Arc<Self> {
        Arc::new(Self {
            id: OnceLock::new(),
            who,
            home,
            stream,
            side: OnceLock::new(),
            signal: OnceLock::new(),
            call: OnceLock::new(),
            config: OnceLock::new(),
            open: Mutex::default(),
        })
    }

    /// Lets its session and its user count among those in memory, where there is no store, and stay there while it runs.
    pub(crate) fn remember(&self) {
        let keeper = &self.home.keeper;
        if keeper.is_stored() {
            return;
        }
        // the user last, so that who has the list of sessions is not forgotten before them
        for reach in [Reach::Session, Reach::User] {
            if let Some(id) = self.owner(reach) {
                self.opened(reach, || keeper.shelf(reach, &id));
            }
        }
    }

    /// Whether it has work in the background.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.side.get().is_none_or(Side::is_idle)
    }

    /// Returns when none of its side chains is left, also of those that side chains have queued.
    pub(crate) async fn drain(&self) {
        if let Some(side) = self.side.get() {
            side.idle().await;
        }
    }

    /// Its background work.
    pub(super) fn side(&self) -> &Side {
        self.side.get_or_init(Side::default)
    }

    /// Ends its side chains, and returns when none is alive.
    pub(crate) async fn cancel(&self) {
        self.signal().cancel();
        self.side().cancel().await;
    }

    /// What ends it, as long as it has not ended.
    pub(crate) fn ending(&self) -> Arc<Group> {
        self.one()
    }

    /// Tells when the request is cancelled.
    pub(crate) fn signal(&self) -> &Signal {
        self.signal.get_or_init(Signal::default)
    }

    /// Where its items go, while somebody listens.
    #[inline]
    pub(super) fn stream(&self) -> Option<&Arc<Stream>> {
        self.stream.as_ref().filter(|stream| stream.is_open())
    }

    /// Its id, unique and in the order of time.
    pub fn id(&self) -> Uuid {
        *self.id.get_or_init(Uuid::now_v7)
    }

    /// Whose it is.
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// The line of this key.
    pub(crate) fn lane(&self, key: &LaneKey) -> Arc<Held<LaneKey, Lane>> {
        self.home.lanes.get(key, Lane::default)
    }

    /// Makes it a request of this action.
    pub(crate) fn call(&self, instance: &Arc<Instance>, action: &'static ActionDef) {
        self.configure(instance.config.clone());
        let call = Call { instance: instance.clone(), action, tokens: AtomicU64::new(0) };
        let _ = self.call.set(call);
    }

    pub(crate) fn configure(&self, config: Any1) {
        let _ = self.config.set(config);
    }

    pub(super) fn config<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.config.get()?.downcast_ref()
    }

    /// The id of its flow, where it runs an action of one.
    #[must_use]
    pub fn flow(&self) -> Option<&str> {
        Some(&self.call.get()?.instance.id)
    }

    /// The name of the action that it runs.
    #[must_use]
    pub fn action(&self) -> Option<&'static str> {
        Some(self.call.get()?.action.name)
    }

    /// The entries of its flow, and the definition of the action that it runs.
    pub(crate) fn entry(&self) -> Option<(&'static Entries, &'static ActionDef)> {
        self.call.get().map(|call| (call.instance.entries, call.action))
    }

    /// Counts tokens that a model has used, where their number is limited.
    pub(crate) fn used(&self, tokens: impl FnOnce() -> usize) {
        if let Some(call) = self.call.get().filter(|call| call.action.token_budget.is_some()) {
            call.tokens.fetch_add(tokens() as u64, Ordering::Relaxed);
        }
    }

    /// Refuses to go on where more tokens were used than the action may.
    pub(crate) fn within_budget(&self) -> Result<()> {
        let Some(call) = self.call.get() else { return Ok(()) };
        let (used, action) = (call.tokens.load(Ordering::Relaxed), call.action);
        let Some(budget) = action.token_budget.filter(|budget| used >= *budget) else {
            return Ok(());
        };
        let text =
            format!("the action `{}` may use {budget} tokens, and {used} are used", action.name);
        Err(Error::with_code(code::TOKEN_BUDGET_EXCEEDED, text))
    }

    /// What the user has said to it, as an item.
    pub(crate) fn said(&self, block: &str, text: String) {
        if let Some(stream) = self.stream() {
            let kind = ItemKind::Message(Message { role: "user".to_owned(), text });
            stream.whole(Stream::item(block, block.to_owned(), Status::Completed, kind));
        }
    }

    pub(crate) fn services(&self) -> &Services {
        &self.home.services
    }

    pub(super) fn tool_outputs(&self) -> &ToolOutputs {
        &self.home.services.tools
    }

    pub(crate) fn service<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.home.services.get()
    }

    pub(super) fn shared<S: StateSet>(&self) -> Bag {
        struct Shared<'a>(&'a Request, Bag);
        impl Visit for Shared<'_> {
            fn state<S: State>(&mut self) {
                let cell = || Arc::new(Cell::new(S::default()));
                self.1.add(|| self.0.opened::<Cell<S>>(Reach::Request, cell));
            }
        }
        let mut shared = Shared(self, Bag::default());
        S::each(&mut shared);
        shared.1
    }

    pub(super) async fn stored<S: StateSet>(&self, reach: Reach) -> Result<Bag> {
        struct Views<'a>(&'a Request, Reach, Bag);
        impl Visit for Views<'_> {
            fn state<S: State>(&mut self) {
                self.2.add_view(|| self.0.view::<S>(self.1));
            }
        }
        if let (Some(id), true) = (self.owner(reach), self.keeper().is_stored()) {
            // boxed, so that what runs without a store is no larger for it
            Box::pin(self.load::<S>(reach, &id)).await?;
        }
        let mut views = Views(self, reach, Bag::default());
        S::each(&mut views);
        Ok(views.2)
    }

    /// Opens what the app's store has of some states, unless the request has them open.
    async fn load<S: StateSet>(&self, reach: Reach, id: &str) -> Result<()> {
        type Load<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;
        struct Loads<'a>(&'a Request, Reach, &'a str, Vec<Load<'a>>);
        impl Visit for Loads<'_> {
            fn state<S: State>(&mut self) {
                let Self(request, reach, id, loads) = self;
                let (request, reach) = (*request, *reach);
                if request.find::<StoredCell<S>>(reach).is_some() {
                    return;
                }
                if let Some(slot) = request.home.keeper.slot::<S>(reach, id) {
                    loads.push(Box::pin(async move {
                        let kept = Kept::<S>::load(slot).await?;
                        request.opened(reach, || Arc::new(StoredCell::kept(kept)));
                        Ok(())
                    }));
                }
            }
        }
        let mut loads = Loads(self, reach, id, Vec::new());
        S::each(&mut loads);
        futures_util::future::try_join_all(loads.3).await?;
        Ok(())
    }

    /// The view of a state that outlives the request; where it is kept in a store, it has been loaded.
    pub(crate) fn view<S: State>(&self, reach: Reach) -> Arc<StoredCell<S>> {
        self.opened(reach, || Arc::new(StoredCell::new(self.home(reach))))
    }

    /// The view of a contract, with what it has newest.
    pub(crate) async fn contract<S: State>(&self) -> Result<Arc<StoredCell<S>>> {
        let reach = S::DEF.contract.map_or(Reach::Session, |contract| contract.reach);
        if let (Some(id), true) = (self.owner(reach), self.keeper().is_stored()) {
            Box::pin(self.load::<One<S>>(reach, &id)).await?;
        }
        Ok(self.view(reach))
    }

    /// What the request's blocks share, one of each type.
    pub(crate) fn one<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.opened(Reach::Request, Arc::default)
    }

    /// A container that the request shares among its blocks.
    pub(crate) fn cell<S: State>(&self) -> Arc<Cell<S>> {
        self.opened(Reach::Request, || Arc::new(Cell::new(S::default())))
    }

    /// Puts a value in before the request begins.
    pub(crate) fn seed<S: State>(&self, reach: Reach, value: S) {
        let cell = Arc::new(Cell::new(value));
        let (id, open): (_, Any1) = match reach {
            Reach::Request => (TypeId::of::<Cell<S>>(), cell),
            _ => (TypeId::of::<StoredCell<S>>(), Arc::new(StoredCell::new(cell))),
        };
        let mut all = self.open.lock();
        all.retain(|(key, _)| *key != (reach, id));
        all.push(((reach, id), open));
    }

    fn home<S: State>(&self, reach: Reach) -> Arc<Cell<S>> {
        match self.owner(reach) {
            Some(id) => self.home.keeper.home(reach, &id),
            None => Arc::new(Cell::new(S::default())),
        }
    }

    /// Whose the states of this reach are.
    fn owner(&self, reach: Reach) -> Option<Cow<'_, str>> {
        match reach {
            Reach::User => self.who.user.as_deref().map(Into::into),
            Reach::Org => self.who.org.as_deref().map(Into::into),
            _ => self.who.kept_session(),
        }
    }

    pub(crate) fn home_of(&self) -> &Arc<Home> {
        &self.home
    }

    /// The items that are kept of it when it has ended.
    pub(crate) fn lasting_items(&self) -> Vec<Arc<Item>> {
        self.stream.as_ref().map_or_else(Vec::new, |stream| stream.lasting())
    }

    pub(crate) fn keeper(&self) -> &Keeper {
        &self.home.keeper
    }

    fn find<C: Any + Send + Sync>(&self, reach: Reach) -> Option<Any1> {
        let key = (reach, TypeId::of::<C>());
        self.open.lock().iter().find(|(known, _)| *known == key).map(|(_, cell)| cell.clone())
    }

    fn opened<C: Any + Send + Sync>(&self, reach: Reach, new: impl FnOnce() -> Arc<C>) -> Arc<C> {
        let cell = self.find::<C>(reach).unwrap_or_else(|| {
            // made outside of the lock, since a default is the user's code
            let new: Any1 = new();
            let key = (reach, TypeId::of::<C>());
            let mut open = self.open.lock();
            match open.iter().find(|(known, _)| *known == key) {
                Some((_, cell)) => cell.clone(),
                None => {
                    open.push((key, new.clone()));
                    new
                }
            }
        });
        cell.downcast().unwrap_or_else(|_| unreachable!("what is open is keyed by its type"))
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("id", &self.id()).field("who", &self.who).finish()
    }
}
