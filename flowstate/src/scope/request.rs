//! One request: whose it is, the app's services, and the states that it shares among its blocks.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt as _;
use uuid::Uuid;

use super::alive::Alive;
use super::cached::ToolOutputs;
use super::entry::{Entries, Instance};
use super::lane::{Lane, LaneKey};
use super::live::LiveRequests;
use super::side::{Group, Side};
use super::signal::Signal;
use super::stream::Stream;
use crate::error::{Error, Result, StoreError, code};
use crate::item::{Item, ItemKind, Message, Status};
use crate::port::{EstimatedTokens, Key, MemoryStore, Models, Store, TokenCounter};
use crate::schema::{ActionDef, Reach};
use crate::state::{Bag, Cell, Kept, One, Slot, State, StateSet, StoredCell, Visit};
use crate::sync::{Held, Mutex, Shared};

type Any1 = Arc<dyn Any + Send + Sync>;
type Shelf = Mutex<HashMap<TypeId, Any1>>;
/// Shelves, and when each was looked at last.
type Memory = HashMap<(Reach, String), (u64, Arc<Shelf>)>;

/// What an app provides: services, by type, and models, by name.
#[derive(Clone)]
pub(crate) struct Services {
    all: HashMap<TypeId, Any1>,
    pub(crate) models: Models,
    pub(crate) tokens: Arc<dyn TokenCounter>,
    pub(crate) tools: ToolOutputs,
}

impl Default for Services {
    fn default() -> Self {
        Self {
            all: HashMap::new(),
            models: Models::default(),
            tokens: Arc::new(EstimatedTokens),
            tools: ToolOutputs::default(),
        }
    }
}

impl Services {
    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, service: T) {
        self.all.insert(TypeId::of::<T>(), Arc::new(service));
    }

    pub(crate) fn has(&self, id: TypeId) -> bool {
        self.all.contains_key(&id)
    }
}

/// What is known of a session is kept under this key, beside its states.
pub(crate) const SESSION_RECORD: &str = "!session";

/// How many sessions, users and organisations are kept in memory.
const MOST: usize = 10_000;

/// What an app keeps for its sessions, users and organisations: in memory, or in a store.
pub(crate) struct Keeper {
    memory: Mutex<Memory>,
    /// How many there are in memory.
    most: usize,
    /// Counts the looks into memory: what was looked at long ago gives way.
    looks: AtomicU64,
    store: Option<Arc<dyn Store>>,
    /// Where the app notes what sessions there are: the store, or one in memory.
    records: Arc<dyn Store>,
    slots: Shared<Key, Slot>,
}

impl Default for Keeper {
    fn default() -> Self {
        Self::new(None, MOST)
    }
}

impl Keeper {
    fn new(store: Option<Arc<dyn Store>>, most: usize) -> Self {
        let records = store.clone().unwrap_or_else(|| Arc::new(MemoryStore::new()));
        let (memory, looks) = (Mutex::default(), AtomicU64::new(0));
        Self { memory, most, looks, store, records, slots: Shared::default() }
    }

    /// Where the app keeps what it notes itself of a session or user.
    pub(crate) fn record(
        &self,
        reach: Reach,
        id: &str,
        what: impl Into<Cow<'static, str>>,
    ) -> Slot {
        Slot::new(self.records.clone(), Key::new(reach, id, what))
    }

    /// Forgets all of a session.
    pub(crate) async fn remove(&self, id: &str) -> Result<()> {
        self.memory.lock().remove(&(Reach::Session, id.to_owned()));
        let done = self.records.remove(Reach::Session, id).await;
        done.map_err(|error| {
            StoreError::new(format!("the session {id:?} could not be removed"), error).into()
        })
    }

    fn shelf(&self, reach: Reach, id: &str) -> Arc<Shelf> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let key = (reach, id.to_owned());
        let mut memory = self.memory.lock();
        if memory.len() >= self.most && !memory.contains_key(&key) {
            self.make_room(&mut memory);
        }
        let place = memory.entry(key).or_default();
        place.0 = look;
        place.1.clone()
    }

    /// Forgets the eighth that was looked at longest ago, but nothing that a request has open.
    fn make_room(&self, memory: &mut Memory) {
        let unused = |shelf: &Arc<Shelf>| {
            Arc::strong_count(shelf) == 1
                && shelf.lock().values().all(|cell| Arc::strong_count(cell) == 1)
        };
        let mut old: Vec<_> = memory
            .iter()
            .filter(|(_, (_, shelf))| unused(shelf))
            .map(|(key, (look, _))| (*look, key.clone()))
            .collect();
        old.sort_unstable_by_key(|(look, _)| *look);
        old.truncate((self.most / 8).max(1));
        tracing::debug!(count = old.len(), "the app forgets what it has kept in memory longest");
        for (_, key) in old {
            memory.remove(&key);
            // (in memory it is done at once)
            let _ = self.records.remove(key.0, &key.1).now_or_never();
        }
    }

    /// Whether a session may still be there.
    pub(crate) fn knows(&self, session: &str) -> bool {
        let key = (Reach::Session, session.to_owned());
        self.store.is_some() || self.memory.lock().contains_key(&key)
    }

    /// Where the app's store keeps a state, if it has a store.
    pub(crate) fn slot<S: State>(&self, reach: Reach, id: &str) -> Option<Arc<Held<Key, Slot>>> {
        let store = self.store.as_ref()?;
        let key = Key::new(reach, id, S::DEF.key);
        Some(self.slots.get(&key, || Slot::new(store.clone(), key.clone())))
    }

    /// The container of a state that is kept in memory.
    pub(crate) fn home<S: State>(&self, reach: Reach, id: &str) -> Arc<Cell<S>> {
        home(&self.shelf(reach, id))
    }
}

fn home<S: State>(shelf: &Shelf) -> Arc<Cell<S>> {
    let found = shelf.lock().get(&TypeId::of::<S>()).cloned();
    let cell = found.unwrap_or_else(|| {
        // made outside of the lock, since a default is the user's code
        let new = Arc::new(Cell::new(S::default()));
        shelf.lock().entry(TypeId::of::<S>()).or_insert(new).clone()
    });
    cell.downcast().unwrap_or_else(|_| unreachable!("a shelf is keyed by the state's type"))
}

/// What the requests of one app have in common.
#[derive(Default)]
pub(crate) struct Home {
    pub(crate) services: Services,
    pub(crate) keeper: Keeper,
    pub(crate) flows: Vec<Arc<Instance>>,
    /// What runs on tasks of its own: started requests and side chains.
    pub(crate) alive: Arc<Alive>,
    /// The requests of named sessions.
    pub(crate) live: LiveRequests,
    /// The lines of requests that take turns.
    lanes: Shared<LaneKey, Lane>,
}

impl Home {
    pub(crate) fn new(
        services: Services,
        flows: Vec<Arc<Instance>>,
        store: Option<Arc<dyn Store>>,
        most: Option<usize>,
    ) -> Self {
        let keeper = Keeper::new(store, most.unwrap_or(MOST));
        Self { services, keeper, flows, ..Self::default() }
    }
}

/// Whose request it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Who {
    /// The session; one that ends with the request where none is named.
    pub session: Option<String>,
    /// The user.
    pub user: Option<String>,
    /// The tenant: sessions of one are none of another.
    pub tenant: Option<String>,
    /// The organisation.
    pub org: Option<String>,
}

impl Who {
    /// What the session's states are kept under: its id, and its tenant before it where it has one. No two sessions have one.
    pub(crate) fn kept_session(&self) -> Option<Cow<'_, str>> {
        Some(kept_session(self.tenant.as_deref(), self.session.as_deref()?))
    }
}

/// The same, of a tenant's session.
pub(crate) fn kept_session<'a>(tenant: Option<&str>, id: &'a str) -> Cow<'a, str> {
    match tenant {
        None if id.starts_with('@') => format!("@/{id}").into(),
        None => id.into(),
        Some("") => format!("@%/{id}").into(),
        Some(tenant) => format!("@{}/{id}", tenant.replace('%', "%25").replace('/', "%2f")).into(),
    }
}

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
        if keeper.store.is_some() {
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
        self.home.services.all.get(&TypeId::of::<T>())?.downcast_ref()
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
        if let (Some(id), true) = (self.owner(reach), self.home.keeper.store.is_some()) {
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
        if let (Some(id), true) = (self.owner(reach), self.home.keeper.store.is_some()) {
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
