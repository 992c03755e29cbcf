//! A request of an action: what is checked before it, and what runs round its block.

use std::sync::Arc;

use super::record::{admit, note};
use super::running::outcome;
use super::turn::{Entered, enter};
use super::{Flow, Plan, whole};
use crate::block::Block;
use crate::error::{Error, Result, caught, code};
use crate::item::{Failure, Outcome};
use crate::schema::Concurrency;
use crate::scope::{Called, Hook, Listed, Request, now};

/// Checks whether a call may run, and takes its place in its line.
pub(super) async fn ready<F: Flow, B: Block>(
    plan: &Plan<F, B>,
    input: &B::Input,
    request: &Arc<Request>,
) -> Result<Entered> {
    let Some(action) = request.action_def() else { return Ok(Entered::Free) };
    if request.who().user.is_none() && F::DEF.needs_user(action) {
        let text = format!(
            "`{}` of the flow `{}` needs a user: name one, `.user(\"…\")`",
            plan.name,
            F::DEF.kind
        );
        return Err(Error::with_code(code::USER_REQUIRED, text));
    }
    admit(request).await?;
    if action.concurrency == Concurrency::Allow {
        return Ok(Entered::Free);
    }
    let text = plan.key.map(|key| caught(|| key(input, request.who()))).transpose()?.flatten();
    enter(action, request, text)
}

/// Runs an action when its turn has come, with its hooks.
pub(super) async fn act<F: Flow, B: Block + Default>(
    plan: &'static Plan<F, B>,
    input: B::Input,
    request: &Arc<Request>,
    entered: Entered,
) -> Result<B::Output> {
    let started = now();
    let listed = Listed::of(request, started);
    entered
        .run(async {
            let said = plan.user_message.map(|message| caught(|| message(&input))).transpose();
            let done = match said {
                Ok(said) => {
                    said.into_iter().for_each(|text| request.said(B::HEAD.name, text));
                    run(plan, input, request).await
                }
                Err(panic) => Err(panic.into()),
            };
            let hooks = &F::ENTRIES.hooks;
            if let Err(error) = &done {
                let failure = || Failure::new(error.to_string(), error.code());
                after(plan.on_errored, request, failure).await;
                after(hooks.errored, request, failure).await;
            }
            after(hooks.finished, request, || called(request, Some(outcome(&done)))).await;
            // also of what these hooks have queued
            request.drain().await;
            let noted = note(request, started, &done).await;
            drop(listed);
            // a failure of the block says more than that it could not be noted
            done.and_then(|output| noted.map(|()| output))
        })
        .await
}

/// The block, between what runs before it and after its success.
async fn run<F: Flow, B: Block + Default>(
    plan: &Plan<F, B>,
    input: B::Input,
    request: &Arc<Request>,
) -> Result<B::Output> {
    let hooks = &F::ENTRIES.hooks;
    if let Some(hook) = hooks.started {
        hook(called(request, None), request).await?;
    }
    let output = whole(&B::default(), input, request).await?;
    if let Some(hook) = plan.on_completed {
        hook(output.clone(), request).await?;
    }
    if let Some(hook) = hooks.completed {
        hook(called(request, Some(Outcome::Completed)), request).await?;
    }
    // also of what the hooks have queued
    request.drain().await;
    Ok(output)
}

/// What runs when the outcome is settled: its own failure changes nothing.
async fn after<I>(hook: Option<Hook<I>>, request: &Arc<Request>, input: impl FnOnce() -> I) {
    if let Some(hook) = hook
        && let Err(error) = hook(input(), request).await
    {
        tracing::warn!(request = %request.id(), %error, "a hook failed");
    }
}

fn called(request: &Request, outcome: Option<Outcome>) -> Called {
    let (flow, action) = (request.flow().unwrap_or_default(), request.action().unwrap_or_default());
    Called::new(flow, action, request.id().to_string(), outcome)
}
