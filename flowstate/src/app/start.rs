//! What a request runs: the action of a flow, or a block.

use std::sync::Arc;

use super::record::admit;
use super::{Action, Flow, Plan, RequestBuilder, Root, Run, perform, root, whole};
use crate::block::{Block, IntoBlock};
use crate::error::{Error, Result, code};
use crate::schema::EntryType;
use crate::scope::{Instance, Request, Stream};
use crate::sync::spawn;

use super::running::Ending;

/// An action that was found in the app.
pub(super) struct Found {
    instance: Arc<Instance>,
    name: &'static str,
}

/// A request of an action, before it runs.
pub(super) struct Target<F: Flow, B: Block> {
    pub(super) plan: &'static Plan<F, B>,
    pub(super) request: Arc<Request>,
}

impl Found {
    pub(super) fn of<F: Flow, B: Block>(self, builder: RequestBuilder) -> Result<Target<F, B>> {
        let records = builder.who.session.is_some();
        let request = builder.request::<B>(records);
        Ok(Target { plan: self.plan(&request)?, request })
    }

    /// Makes a request one of this action.
    fn plan<F: Flow, B: Block>(&self, request: &Request) -> Result<&'static Plan<F, B>> {
        let def = F::DEF.entry(EntryType::Action, self.name);
        let entry = self.instance.entries.find(self.name);
        let plan = entry.and_then(|entry| entry.any().downcast_ref());
        match (def, plan) {
            (Some(def), Some(plan)) => {
                request.call(&self.instance, def);
                Ok(plan)
            }
            _ => Err(Error::with_code(code::UNKNOWN_ACTION, "no such action")),
        }
    }
}

impl RequestBuilder {
    /// The flow of an action, in the app.
    pub(super) fn target<F: Flow>(&self, name: &'static str) -> Result<Found> {
        // (by place: another flow of the same kind is another flow)
        let mut all = self.app.0.flows.iter().filter(|one| std::ptr::eq(one.entries.flow, F::DEF));
        let found = match &self.flow {
            Some(id) => all.clone().find(|one| one.id == *id),
            None if F::DEF.collection => None,
            None => all.next(),
        };
        if let Some(instance) = found {
            return Ok(Found { instance: instance.clone(), name });
        }
        let (kind, known) = (F::DEF.kind, super::named::list(all.map(|one| &*one.id)));
        let text = match &self.flow {
            Some(id) => format!("the app has no flow `{kind}` with the id `{id}`; it has {known}"),
            None if F::DEF.collection => format!(
                "the app has several of the flow `{kind}`: say which, `.of(\"…\")`; it has {known}"
            ),
            None => format!(
                "the app has no flow `{kind}`: call `.flow({})` when it is built",
                F::DEF.name
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
        let found = what.find(&self)?;
        let records = found.is_some() && self.who.session.is_some();
        let stream = Stream::new(Root::<S::Block>::WAITS, records);
        let request = Request::new(self.who, self.app.0, Some(stream.clone()));
        let job = what.job(found, &request, &input).await?;
        let (own, live, ending) = (request.clone(), request.running(), Ending(stream.clone()));
        let task = spawn(async move {
            let _live = live;
            let done = S::run(job, input, &own).await;
            ending.of(&done);
            done
        });
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
    #[doc(hidden)]
    fn find(&self, builder: &RequestBuilder) -> Result<Option<Place>>;
    #[doc(hidden)]
    fn job(
        self,
        found: Option<Place>,
        request: &Arc<Request>,
        input: &<Self::Block as Block>::Input,
    ) -> impl Future<Output = Result<Self::Job>> + Send;
    #[doc(hidden)]
    fn run(
        job: Self::Job,
        input: <Self::Block as Block>::Input,
        request: &Arc<Request>,
    ) -> impl Future<Output = Result<<Self::Block as Block>::Output>> + Send;
}

/// An action that was found in the app.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody has one")]
pub struct Place(Found);

#[diagnostic::do_not_recommend]
impl<B: IntoBlock> Start for B {
    type Block = B::Block;
    type Job = B::Block;

    fn find(&self, _: &RequestBuilder) -> Result<Option<Place>> {
        Ok(None)
    }

    fn job(
        self,
        _: Option<Place>,
        request: &Arc<Request>,
        _: &<B::Block as Block>::Input,
    ) -> impl Future<Output = Result<B::Block>> + Send {
        let block = root::<B::Block>(request).map(|()| self.into_block());
        async move {
            let block = block?;
            admit(request).await?;
            Ok(block)
        }
    }

    async fn run(
        block: B::Block,
        input: <B::Block as Block>::Input,
        request: &Arc<Request>,
    ) -> Result<<B::Block as Block>::Output> {
        whole(&block, input, request).await
    }
}

/// An action whose turn may have to come.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody has one")]
pub struct Ready<F: Flow, B: Block>(&'static Plan<F, B>, perform::Begun);

impl<F: Flow, B: Block + Default> Start for Action<F, B> {
    type Block = B;
    type Job = Ready<F, B>;

    fn find(&self, builder: &RequestBuilder) -> Result<Option<Place>> {
        builder.target::<F>(self.name()).map(Place).map(Some)
    }

    async fn job(
        self,
        found: Option<Place>,
        request: &Arc<Request>,
        input: &B::Input,
    ) -> Result<Ready<F, B>> {
        let Some(Place(found)) = found else { unreachable!("an action was found") };
        let plan = found.plan::<F, B>(request)?;
        Ok(Ready(plan, perform::ready(plan, input, request).await?))
    }

    async fn run(
        Ready(plan, begun): Ready<F, B>,
        input: B::Input,
        request: &Arc<Request>,
    ) -> Result<B::Output> {
        perform::act(plan, input, request, begun).await
    }
}
