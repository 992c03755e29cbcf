//! A request of an action: what is checked before it, and what runs round its block.

use std::sync::Arc;

use serde_json::Value;

use super::ending::{Unended, after, called};
use super::record::admit;
use super::running::outcome;
use super::turn::{Entered, during, enter};
use super::{Flow, Plan};
use crate::block::{Block, dispatch, from_json, to_json};
use crate::error::{Error, Result, ValidationError, caught, code};
use crate::item::{Failure, Outcome};
use crate::schema::{ActionDef, Concurrency};
use crate::scope::{At, Entries, Entry, Fits, Hook, Hooks, Job, Later, Link, Request, Who};

/// A call of an action: its input until the block runs, its output from then on.
pub(super) struct Act<F: Flow, B: Block> {
    plan: &'static Plan<F, B>,
    input: Option<B::Input>,
    output: Option<B::Output>,
    /// The same as JSON, which a call by name gives: one that has none has failed.
    json: Option<Value>,
    named: bool,
}

impl<F: Flow, B: Block + Default> Act<F, B> {
    pub(super) fn new(plan: &'static Plan<F, B>, input: B::Input) -> Self {
        Self { plan, input: Some(input), output: None, json: None, named: false }
    }

    /// A call of an entry of these types.
    pub(super) fn of(entry: &'static dyn Entry, input: B::Input) -> Result<Self> {
        let plan = entry.any().downcast_ref();
        plan.map(|plan| Self::new(plan, input)).ok_or_else(unknown)
    }

    /// What it gave, once it has run.
    pub(super) fn given(self) -> B::Output {
        let Some(output) = self.output else { unreachable!("what ran without an error gave it") };
        output
    }
}

impl<F: Flow, B: Block + Default> Job for Act<F, B> {
    fn line(&self, who: &Who) -> Option<String> {
        self.plan.key.zip(self.input.as_ref()).and_then(|(key, input)| key(input, who))
    }

    fn said(&self) -> Option<String> {
        self.plan.user_message.zip(self.input.as_ref()).map(|(said, input)| said(input))
    }

    fn run<'a>(&'a mut self, request: &'a Arc<Request>) -> Later<'a, ()> {
        Box::pin(async move {
            if let Some(input) = self.input.take() {
                let link = Link::root(request);
                let output = dispatch(&B::default(), input, At::new(&link)).await?;
                if self.named {
                    let json = to_json(&output, &|| what("output", request));
                    self.json = Some(json.map_err(|error| wrong(error, request))?);
                }
                self.output = Some(output);
            }
            Ok(())
        })
    }

    fn completed<'a>(&self, request: &'a Arc<Request>) -> Option<Later<'a, ()>> {
        let (hook, output) = self.plan.on_completed.zip(self.output.as_ref())?;
        Some(hook(output.clone(), request))
    }

    fn errored(&self) -> Option<Hook<Failure>> {
        self.plan.on_errored
    }

    fn json(&mut self) -> Value {
        self.json.take().unwrap_or_default()
    }
}

impl<F: Flow, B: Block + Default> Entry for Plan<F, B> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn any(&self) -> &dyn std::any::Any {
        self
    }

    fn job(&'static self, input: Value, of: &dyn Fn() -> String) -> Fits<Box<dyn Job>> {
        Ok(Box::new(Act { named: true, ..Act::new(self, from_json(input, of)?) }))
    }
}

/// The flow has no such action.
#[cold]
pub(super) fn unknown() -> Error {
    Error::with_code(code::UNKNOWN_ACTION, "no such action")
}

/// Runs an action from its checks to its record.
pub(super) fn perform<'a>(job: &'a mut dyn Job, request: &'a Arc<Request>) -> Later<'a, ()> {
    Box::pin(async move {
        let begun = ready(job, request).await?;
        act(job, request, begun).await
    })
}

/// A request that was let in: where it stands in its line, and what ends it.
pub(super) struct Begun(Entered, Unended);

/// Checks whether a call may run, and takes its place in its line.
pub(super) async fn ready(job: &mut dyn Job, request: &Arc<Request>) -> Result<Begun> {
    let (Entries { flow, hooks, .. }, action) = entry_of(request);
    if request.who().user.is_none() && flow.needs_user(action) {
        let text = format!(
            "`{}` of the flow `{}` needs a user: name one, `.user(\"…\")`",
            action.name, flow.kind
        );
        return Err(Error::with_code(code::USER_REQUIRED, text));
    }
    admit(request).await?;
    let entered = match action.concurrency {
        Concurrency::Allow => Entered::Free,
        _ => enter(action, request, caught(|| job.line(request.who()))?)?,
    };
    Ok(Begun(entered, Unended::new(request, hooks)))
}

/// Runs an action when its turn has come, with its hooks.
pub(super) async fn act(
    job: &mut dyn Job,
    request: &Arc<Request>,
    Begun(entered, mut unended): Begun,
) -> Result<()> {
    let (Entries { hooks, .. }, action) = entry_of(request);
    let (turn, late) = match entered.turn().await {
        Ok(turn) => (unended.takes(turn), None),
        Err(late) => (None, Some(late)),
    };
    let work = async {
        let done = match late {
            None => run(job, action, hooks, request).await,
            Some(late) => Err(late),
        };
        unended.settle(outcome(&done));
        if let Err(error) = &done {
            let failure = || Failure::new(error.to_string(), error.code());
            after(job.errored(), request, failure).await;
            after(hooks.errored, request, failure).await;
        }
        unended.end().await;
        done
    };
    during(turn, work).await
}

/// The block, between what runs before it and after its success.
async fn run(
    job: &mut dyn Job,
    action: &ActionDef,
    hooks: &Hooks,
    request: &Arc<Request>,
) -> Result<()> {
    if let Some(text) = caught(|| job.said())? {
        request.said(action.block.head.name, text);
    }
    if let Some(hook) = hooks.started {
        hook(called(request, None), request).await?;
    }
    let done = job.run(request).await;
    request.drain().await;
    done?;
    if let Some(hook) = job.completed(request) {
        hook.await?;
    }
    if let Some(hook) = hooks.completed {
        hook(called(request, Some(Outcome::Completed)), request).await?;
    }
    // also of what the hooks have queued
    request.drain().await;
    Ok(())
}

fn entry_of(request: &Request) -> (&'static Entries, &'static ActionDef) {
    let Some(entry) = request.entry() else { unreachable!("it is a request of an action") };
    entry
}

/// The input or output of a request's action.
pub(super) fn what(what: &str, request: &Request) -> String {
    let Some((entries, action)) = request.entry() else { return what.to_owned() };
    let (flow, block) = (entries.flow.kind, action.block.head.name);
    format!("the {what} of `{flow}.{}` (block `{block}`)", action.name)
}

/// What does not fit it, with its place.
pub(super) fn wrong(error: ValidationError, request: &Arc<Request>) -> Error {
    match request.entry() {
        Some((_, action)) => Link::root(request).name(action.block.head, error.into()),
        None => error.into(),
    }
}
