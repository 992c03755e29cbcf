//! An app: flows and services, and the requests that run on them.

mod builder;
mod client;
mod ending;
mod flow;
mod handle;
mod history;
mod named;
mod perform;
mod record;
mod running;
mod sessions;
mod start;
mod stored;
mod turn;

use std::fmt;
use std::sync::{Arc, LazyLock};

pub use builder::AppBuilder;
#[doc(hidden)]
pub use client::{Shown, Shows, View, shows};
pub use flow::{Configured, Flow, IntoFlow};
#[doc(hidden)]
pub use flow::{IsText, Made, Plan, entry, hook, said};
pub use handle::{Action, Internal, Task};
pub(crate) use history::SaidBefore;
pub use running::{Events, Run};
pub use sessions::{JournalEntry, RequestInfo, Session, SessionInfo, Sessions};
pub use start::Start;
pub use stored::{AppState, KeptState};

pub use crate::scope::Called;

use crate::block::{Block, IntoBlock, dispatch};
use crate::error::{Error, Result, code};
use crate::schema::{BlockDef, Kind, check};
use crate::scope::{
    At, Home, Link, Request, Services, Stream, ToolOutputs, Who, can_search, no_model, not_provided,
};
use perform::{Act, perform};

/// Flows and services, built once; cheap to clone.
///
/// ```
/// use flowstate::prelude::*;
///
/// #[block(handler)]
/// async fn double(input: u32) -> Result<u32> {
///     Ok(input * 2)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let app = App::builder().build()?;
/// assert_eq!(app.run(double, 4).await?, 8);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct App(Arc<Home>);

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flows = self.0.flows.iter().map(|known| &known.id);
        f.debug_struct("App").field("flows", &flows.collect::<Vec<_>>()).finish()
    }
}

/// Runs a block as the root of a request of its own, outside of any app.
///
/// # Errors
/// The block's own; `block_misplaced`, `need_not_provided` or `unknown_model`, before any block runs, where it cannot be run
/// by itself.
///
/// ```
/// use flowstate::prelude::*;
///
/// #[block(handler)]
/// async fn greet(name: String) -> Result<String> {
///     Ok(format!("hello, {name}"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// assert_eq!(flowstate::run(greet, "you".to_string()).await?, "hello, you");
/// # Ok(())
/// # }
/// ```
pub fn run<B: IntoBlock>(
    block: B,
    input: <B::Block as Block>::Input,
) -> impl Future<Output = Result<<B::Block as Block>::Output>> + Send + 'static {
    static OUTSIDE: LazyLock<App> = LazyLock::new(App::default);
    OUTSIDE.request_of(Who::default()).run(block, input)
}

impl App {
    /// An app in the making.
    #[must_use]
    pub fn builder() -> AppBuilder {
        AppBuilder::default()
    }

    /// Runs a block as the root of a request.
    ///
    /// # Errors
    /// As [`run`].
    pub fn run<B: IntoBlock>(
        &self,
        block: B,
        input: <B::Block as Block>::Input,
    ) -> impl Future<Output = Result<<B::Block as Block>::Output>> + Send + 'static + use<B> {
        self.request_of(Who::default()).run(block, input)
    }

    /// Returns when nothing of the app runs on a task of its own any more: started requests, and side chains and
    /// last hooks, also those of requests whose future was dropped.
    ///
    /// It stops nothing and refuses nothing: first let no more requests come, and [`cancel`](Run::cancel) those that shall not
    /// run to their end. What is stuck it waits for without an end, so give it a limit. Dropping it changes nothing, and it may
    /// be called again. A request that calls it waits for all others, but not for itself, nor for those that wait
    /// here like it; one that awaits a task of its own, or another request, that does would wait for ever.
    ///
    /// ```
    /// use std::time::Duration;
    /// use flowstate::prelude::*;
    /// use tokio::time::timeout;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let app = App::builder().build()?;
    /// // … until no more requests come, as `axum::serve(…).with_graceful_shutdown(…)` returns
    /// if timeout(Duration::from_secs(30), app.shutdown()).await.is_err() {
    ///     eprintln!("something still runs; it ends with the runtime");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn shutdown(&self) {
        self.0.alive.idle().await;
    }

    /// What tools with `cacheable(…)` gave: to count, and to forget.
    #[must_use]
    pub fn tool_cache(&self) -> ToolOutputs {
        self.0.services.tools.clone()
    }

    /// Starts a block as the root of a request, or the action of a flow, on a task of its own, and listens to it.
    ///
    /// # Errors
    /// As [`run`], where it cannot be run by itself; what fails later is what [`Run::output`] gives.
    pub async fn start<S: Start>(
        &self,
        what: S,
        input: <S::Block as Block>::Input,
    ) -> Result<Run<<S::Block as Block>::Output>> {
        self.request_of(Who::default()).start(what, input).await
    }

    /// A request in the making: whose it is, then [`call`](RequestBuilder::call).
    pub fn request(&self) -> RequestBuilder {
        self.request_of(Who::default())
    }

    fn request_of(&self, who: Who) -> RequestBuilder {
        RequestBuilder { app: self.clone(), who, flow: None }
    }
}

/// A request in the making.
#[derive(Debug, Clone)]
#[must_use = "a request begins when it is called"]
pub struct RequestBuilder {
    app: App,
    who: Who,
    /// Which of a collection.
    flow: Option<String>,
}

impl RequestBuilder {
    /// In this session; without one the session's state ends with the request.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.who.session = Some(id.into());
        self
    }

    /// For this user.
    pub fn user(mut self, id: impl Into<String>) -> Self {
        self.who.user = Some(id.into());
        self
    }

    /// For this organisation.
    pub fn org(mut self, id: impl Into<String>) -> Self {
        self.who.org = Some(id.into());
        self
    }

    /// Of this tenant: its sessions are none of another's, whatever their ids. Users and organisations are the same for all.
    pub fn tenant(mut self, id: impl Into<String>) -> Self {
        self.who.tenant = Some(id.into());
        self
    }

    /// Of a flow with `cardinality = collection`: which of it.
    pub fn of(mut self, flow: impl Into<String>) -> Self {
        self.flow = Some(flow.into());
        self
    }

    /// Runs an action of a flow.
    ///
    /// # Errors
    /// The block's own, and those of `on_started` and `on_completed`; `app_invalid` where the app does not have the flow;
    /// `user_required` where the action needs a user; `session_not_found` where the session is another user's; as its
    /// `concurrency` says, `action_busy`, `queue_timeout` or `queue_deadlock`.
    pub fn call<F: Flow, B: Block + Default>(
        self,
        action: Action<F, B>,
        input: B::Input,
    ) -> impl Future<Output = Result<B::Output>> + Send + 'static {
        let records = self.who.session.is_some();
        let stream = Stream::unheard(Root::<B>::WAITS, records);
        let begun = self.begin(F::DEF, action.name(), stream);
        async move {
            let (request, entry) = begun?;
            let mut act = Act::<F, B>::of(entry, input)?;
            perform(&mut act, &request).await?;
            Ok(act.given())
        }
    }

    /// Runs a block as the root of the request.
    ///
    /// # Errors
    /// As [`run`]; `session_not_found` where the session is another user's; `store_failed`.
    pub fn run<B: IntoBlock>(
        self,
        block: B,
        input: <B::Block as Block>::Input,
    ) -> impl Future<Output = Result<<B::Block as Block>::Output>> + Send + 'static {
        self.run_block(block.into_block(), input)
    }

    fn run_block<B: Block>(
        self,
        block: B,
        input: B::Input,
    ) -> impl Future<Output = Result<B::Output>> + Send + use<B> {
        // made here, so that the future holds the request and not also what it is made of
        let request = self.request::<B>(false);
        async move {
            root::<B>(&request)?;
            if request.who().session.is_some() {
                // boxed, so that what runs without a session is no larger for it
                Box::pin(record::admit(&request)).await?;
            }
            whole(&block, input, &request).await
        }
    }

    fn request<B: Block>(self, records: bool) -> Arc<Request> {
        Request::new(self.who, self.app.0, Stream::unheard(Root::<B>::WAITS, records))
    }
}

/// Refuses a block that cannot be run as the root of this request.
#[inline]
fn root<B: Block>(request: &Request) -> Result<()> {
    if Root::<B>::OK { Ok(()) } else { refuse::<B>(request.services()) }
}

/// A block as the root of its request, and then its side chains, until none is left.
async fn whole<B: Block>(block: &B, input: B::Input, request: &Arc<Request>) -> Result<B::Output> {
    let link = Link::root(request);
    let done = dispatch(block, input, At::new(&link)).await;
    if !request.is_idle() {
        request.drain().await;
    }
    done
}

struct Root<B>(std::marker::PhantomData<B>);

impl<B: Block> Root<B> {
    /// Known when compiled: the block can be run by itself, and its tree needs nothing of the app.
    const OK: bool = check::is_root(B::DEF) && !B::DEF.needs;
    /// Whether its tree waits for items.
    const WAITS: bool = B::DEF.waits;
}

#[cold]
fn refuse<B: Block>(services: &Services) -> Result<()> {
    if let Some(text) = check::why_not_root(B::DEF) {
        return Err(Error::with_code(code::BLOCK_MISPLACED, text));
    }
    missing_need(B::DEF, services)
}

/// The first service or model that a tree needs and the app does not provide.
pub(crate) fn missing_need(root: &'static BlockDef, services: &Services) -> Result<()> {
    fn visit(
        def: &'static BlockDef,
        services: &Services,
        seen: &mut Vec<*const BlockDef>,
        path: &mut Vec<&'static str>,
    ) -> Result<()> {
        if !def.needs || seen.iter().any(|known| std::ptr::eq(*known, def)) {
            return Ok(());
        }
        seen.push(def);
        if def.head.kind != Kind::Adapter {
            path.push(def.head.name);
        }
        for need in def.head.needs {
            if !services.has(need.id) {
                return Err(not_provided(&path.join(" > "), need.name));
            }
        }
        let asked = def.head.models.iter().map(|name| (name, true));
        for (name, asked) in asked.chain(def.head.mender.iter().map(|name| (name, false))) {
            let found = services.models.find(name);
            if found.is_empty() {
                return Err(no_model(&path.join(" > "), name, &services.models));
            }
            if asked && def.head.search.is_some() {
                can_search(&path.join(" > "), &found)?;
            }
        }
        for child in def.children {
            visit(child, services, seen, path)?;
        }
        if def.head.kind != Kind::Adapter {
            path.pop();
        }
        Ok(())
    }
    visit(root, services, &mut Vec::new(), &mut Vec::new())
}
