//! What a request runs: the action of a flow, or a block.

use std::sync::Arc;

use super::perform::Act;
use super::record::admit;
use super::{Action, Flow, RequestBuilder, Root, Run, perform, root, whole};
use crate::block::{Block, IntoBlock};
use crate::error::{Error, Result, code};
use crate::schema::{EntryType, FlowDef};
use crate::scope::{Entry, Instance, Request, Stream};
use crate::sync::spawn;

use super::running::Ending;

impl RequestBuilder {
    /// A request of an action of one of the app's flows, and the action's entry.
    pub(super) fn begin(
        self,
        flow: &'static FlowDef,
        name: &'static str,
        stream: Option<Arc<Stream>>,
    ) -> Result<(Arc<Request>, &'static dyn Entry)> {
        let instance = self.instance(flow)?.clone();
        let def = flow.entry(EntryType::Action, name);
        let (def, entry) = def.zip(instance.entries.find(name)).ok_or_else(perform::unknown)?;
        let request = Request::new(self.who, self.app.0, stream);
        request.call(&instance, def);
        Ok((request, entry))
    }

    /// The flow, in the app.
    fn instance(&self, flow: &'static FlowDef) -> Result<&Arc<Instance>> {
        // (by place: another flow of the same kind is another flow)
        let mut all = self.app.0.flows.iter().filter(|one| std::ptr::eq(one.entries.flow, flow));
        let found = match &self.flow {
            Some(id) => all.clone().find(|one| one.id == *id),
            None if flow.collection => None,
            None => all.next(),
        };
        if let Some(instance) = found {
            return Ok(instance);
        }
        let (kind, known) = (flow.kind, super::named::list(all.map(|one| &*one.id)));
        let text = match &self.flow {
            Some(id) => format!("the app has no flow `{kind}` with the id `{id}`; it has {known}"),
            None if flow.collection => format!(
                "the app has several of the flow `{kind}`: say which, `.of(\"…\")`; it has {known}"
            ),
            None => format!(
                "the app has no flow `{kind}`: call `.flow({})` when it is built",
                flow.name
            ),
        };
        Err(Error::with_code(code::APP_INVALID, text))
    }

    /// Starts the action of a flow, or a block as the root of the request, on a task of its own, and listens to it.
    ///
    /// # Errors
    /// Of a block as [`App::start`](super::App::start), of an action as [`call`](Self::call), where it cannot be run; what
    /// fails later is what [`Run::output`] gives.
    pub async fn start<S: Start>(
        self,
        what: S,
        input: <S::Block as Block>::Input,
    ) -> Result<Run<<S::Block as Block>::Output>> {
        let records = S::RECORDS && self.who.session.is_some();
        let stream = Stream::new(Root::<S::Block>::WAITS, records);
        let (request, mut job) = what.begin(self, stream.clone(), input)?;
        S::ready(&mut job, &request).await?;
        let (own, live, ending) = (request.clone(), request.running(), Ending(stream.clone()));
        let task = spawn(request.inside(async move {
            let _live = live;
            let done = S::run(job, &own).await;
            ending.of(&done);
            done
        }));
        Ok(Run::new(stream, request, task))
    }
}

/// What a request can start: the action of a flow, or a block.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a block",
    label = "not a block, and no action",
    note = "a block is a function with `#[block(…)]`, named without arguments; an action is written `Chat::say`",
    note = "`Internal` and `Task` are entries that only blocks start: what is called from outside has `#[action]`, or nothing"
)]
pub trait Start: Sized {
    /// The block that runs.
    type Block: Block;
    #[doc(hidden)]
    type Job: Send + 'static;
    /// Whether its session keeps what is said.
    #[doc(hidden)]
    const RECORDS: bool;
    #[doc(hidden)]
    fn begin(
        self,
        builder: RequestBuilder,
        stream: Arc<Stream>,
        input: <Self::Block as Block>::Input,
    ) -> Result<(Arc<Request>, Self::Job)>;
    /// Checks whether it may run, and takes its place in its line.
    #[doc(hidden)]
    fn ready(
        job: &mut Self::Job,
        request: &Arc<Request>,
    ) -> impl Future<Output = Result<()>> + Send;
    #[doc(hidden)]
    fn run(
        job: Self::Job,
        request: &Arc<Request>,
    ) -> impl Future<Output = Result<<Self::Block as Block>::Output>> + Send;
}

#[diagnostic::do_not_recommend]
impl<B: IntoBlock> Start for B {
    type Block = B::Block;
    type Job = (B::Block, <B::Block as Block>::Input);

    const RECORDS: bool = false;

    fn begin(
        self,
        builder: RequestBuilder,
        stream: Arc<Stream>,
        input: <B::Block as Block>::Input,
    ) -> Result<(Arc<Request>, Self::Job)> {
        let request = Request::new(builder.who, builder.app.0, Some(stream));
        root::<B::Block>(&request)?;
        Ok((request, (self.into_block(), input)))
    }

    async fn ready(_: &mut Self::Job, request: &Arc<Request>) -> Result<()> {
        admit(request).await
    }

    async fn run(
        (block, input): Self::Job,
        request: &Arc<Request>,
    ) -> Result<<B::Block as Block>::Output> {
        whole(&block, input, request).await
    }
}

/// An action whose turn may have to come.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody has one")]
pub struct Ready<F: Flow, B: Block>(Act<F, B>, Option<perform::Begun>);

impl<F: Flow, B: Block + Default> Start for Action<F, B> {
    type Block = B;
    type Job = Ready<F, B>;

    const RECORDS: bool = true;

    fn begin(
        self,
        builder: RequestBuilder,
        stream: Arc<Stream>,
        input: B::Input,
    ) -> Result<(Arc<Request>, Ready<F, B>)> {
        let (request, entry) = builder.begin(F::DEF, self.name(), Some(stream))?;
        Ok((request, Ready(Act::of(entry, input)?, None)))
    }

    async fn ready(Ready(act, begun): &mut Ready<F, B>, request: &Arc<Request>) -> Result<()> {
        *begun = Some(perform::ready(act, request).await?);
        Ok(())
    }

    async fn run(Ready(mut act, begun): Ready<F, B>, request: &Arc<Request>) -> Result<B::Output> {
        let Some(begun) = begun else { unreachable!("it was let in") };
        perform::act(&mut act, request, begun).await?;
        Ok(act.given())
    }
}
