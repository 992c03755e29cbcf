//! One request: whose it is, the app's services, and the states that it shares among its blocks.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use uuid::Uuid;

use super::cached::ToolOutputs;
use super::entry::Entries;
use super::side::{Group, Live, Side};
use super::signal::Signal;
use super::stream::Stream;
use crate::error::Result;
use crate::port::{EstimatedTokens, Key, Models, Store, TokenCounter};
use crate::schema::Reach;
use crate::state::{Bag, Cell, Kept, Slot, State, StateSet, StoredCell, Visit};
use crate::sync::{Held, Mutex, Shared};

type Any1 = Arc<dyn Any + Send + Sync>;
type Shelf = Mutex<HashMap<TypeId, Any1>>;

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

/// What an app keeps for its sessions, users and organisations: in memory, or in a store.
#[derive(Default)]
pub(crate) struct Keeper {
    memory: Mutex<HashMap<(Reach, String), Arc<Shelf>>>,
    store: Option<Arc<dyn Store>>,
    slots: Shared<Key, Slot>,
}

impl Keeper {
    fn shelf(&self, reach: Reach, id: &str) -> Arc<Shelf> {
        self.memory.lock().entry((reach, id.to_owned())).or_default().clone()
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

/// Requests of one session, one after the other.
#[derive(Default)]
pub(crate) struct Lane {
    pub(crate) turns: Arc<tokio::sync::Mutex<()>>,
    /// The request whose turn it is.
    pub(crate) holder: Mutex<Option<Uuid>>,
}

/// What the requests of one app have in common.
#[derive(Default)]
pub(crate) struct Home {
    pub(crate) services: Services,
    pub(crate) keeper: Keeper,
    pub(crate) flows: Vec<&'static Entries>,
    /// What runs on tasks of its own: started requests and side chains.
    pub(crate) running: Arc<Group>,
    /// Whose turn it is, in each session where requests take turns.
    pub(crate) lanes: Shared<String, Lane>,
}

impl Home {
    pub(crate) fn new(
        services: Services,
        flows: Vec<&'static Entries>,
        store: Option<Arc<dyn Store>>,
    ) -> Self {
        let keeper = Keeper { store, ..Keeper::default() };
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
    /// The organisation.
    pub org: Option<String>,
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
            open: Mutex::default(),
        })
    }

    pub(super) fn home_side(&self) -> Arc<Group> {
        self.home.running.clone()
    }

    /// Counts as work of the app until it is dropped.
    pub(crate) fn running(&self) -> Live {
        self.home_side().begin()
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

    /// The turns of its session; a request without a session has nobody to wait for.
    pub(crate) fn lane(&self) -> Option<Arc<Held<String, Lane>>> {
        Some(self.home.lanes.get(self.who.session.as_ref()?, Lane::default))
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
            Box::pin(self.load::<S>(reach, id)).await?;
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
            Some(id) => self.home.keeper.home(reach, id),
            None => Arc::new(Cell::new(S::default())),
        }
    }

    /// Whose the states of this reach are.
    fn owner(&self, reach: Reach) -> Option<&str> {
        match reach {
            Reach::User => self.who.user.as_deref(),
            Reach::Org => self.who.org.as_deref(),
            _ => self.who.session.as_deref(),
        }
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
