//! One request: whose it is, the app's services, and the states that it shares among its blocks.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use uuid::Uuid;

use super::entry::Entries;
use super::side::{Group, Live, Side};
use super::signal::Signal;
use super::stream::Stream;
use crate::error::Result;
use crate::port::Models;
use crate::schema::Reach;
use crate::state::{Bag, Cell, State, StateSet, StoredCell, Visit};
use crate::sync::Mutex;

type Any1 = Arc<dyn Any + Send + Sync>;
type Shelf = Mutex<HashMap<TypeId, Any1>>;

/// What an app provides: services, by type, and models, by name.
#[derive(Default, Clone)]
pub(crate) struct Services {
    all: HashMap<TypeId, Any1>,
    pub(crate) models: Models,
}

impl Services {
    pub(crate) fn add<T: Send + Sync + 'static>(&mut self, service: T) {
        self.all.insert(TypeId::of::<T>(), Arc::new(service));
    }

    pub(crate) fn has(&self, id: TypeId) -> bool {
        self.all.contains_key(&id)
    }
}

/// What an app keeps for its sessions, users and organisations, in memory.
#[derive(Default)]
pub(crate) struct Keeper(Mutex<HashMap<(Reach, String), Arc<Shelf>>>);

impl Keeper {
    fn shelf(&self, reach: Reach, id: &str) -> Arc<Shelf> {
        self.0.lock().entry((reach, id.to_owned())).or_default().clone()
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
    keeper: Keeper,
    pub(crate) flows: Vec<&'static Entries>,
    /// What runs on tasks of its own: started requests and side chains.
    pub(crate) running: Arc<Group>,
}

impl Home {
    pub(crate) fn new(services: Services, flows: Vec<&'static Entries>) -> Self {
        Self { services, keeper: Keeper::default(), flows, running: Arc::default() }
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

    pub(crate) fn services(&self) -> &Services {
        &self.home.services
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

    // a store answers later, and so may this
    #[expect(clippy::unused_async)]
    pub(super) async fn stored<S: StateSet>(&self, reach: Reach) -> Result<Bag> {
        struct Views<'a>(&'a Request, Reach, Bag);
        impl Visit for Views<'_> {
            fn state<S: State>(&mut self) {
                let view = || Arc::new(StoredCell::new(self.0.home::<S>(self.1)));
                self.2.add_view(|| self.0.opened::<StoredCell<S>>(self.1, view));
            }
        }
        let mut views = Views(self, reach, Bag::default());
        S::each(&mut views);
        Ok(views.2)
    }

    /// The view of a state that outlives the request, as a test looks at it.
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
        let id = match reach {
            Reach::User => self.who.user.as_deref(),
            Reach::Org => self.who.org.as_deref(),
            _ => self.who.session.as_deref(),
        };
        match id {
            Some(id) => home(&self.home.keeper.shelf(reach, id)),
            None => Arc::new(Cell::new(S::default())),
        }
    }

    fn opened<C: Any + Send + Sync>(&self, reach: Reach, new: impl FnOnce() -> Arc<C>) -> Arc<C> {
        let key = (reach, TypeId::of::<C>());
        let known = |open: &[((Reach, TypeId), Any1)]| {
            open.iter().find(|(known, _)| *known == key).map(|(_, cell)| cell.clone())
        };
        let found = known(&self.open.lock());
        let cell = found.unwrap_or_else(|| {
            // made outside of the lock, since a default is the user's code
            let new: Any1 = new();
            let mut open = self.open.lock();
            known(&open).unwrap_or_else(|| {
                open.push((key, new.clone()));
                new
            })
        });
        cell.downcast().unwrap_or_else(|_| unreachable!("what is open is keyed by its type"))
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("id", &self.id()).field("who", &self.who).finish()
    }
}
