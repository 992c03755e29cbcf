//! A request of an action: what is checked before it, and what runs round its block.

use std::sync::Arc;

use super::ending::{Unended, after, called};
use super::record::admit;
use super::running::outcome;
use super::turn::{Entered, during, enter};
use super::{Flow, Plan, whole};
use crate::block::Block;
use crate::error::{Error, Result, caught, code};
use crate::item::{Failure, Outcome};
use crate::schema::Concurrency;
use crate::scope::Request;

/// A request that was let in: where it stands in its line, and what ends it.
pub(super) struct Begun(Entered, Unended);

/// Checks whether a call may run, and takes its place in its line.
pub(super) async fn ready<F: Flow, B: Block>(
    plan: &Plan<F, B>,
    input: &B::Input,
    request: &Arc<Request>,
) -> Result<Begun> {
    let Some(action) = request.action_def() else { unreachable!("it is a request of an action") };
    if request.who().user.is_none() && F::DEF.needs_user(action) {
        let text = format!(
            "`{}` of the flow `{}` needs a user: name one, `.user(\"…\")`",
            plan.name,
            F::DEF.kind
        );
        return Err(Error::with_code(code::USER_REQUIRED, text));
    }
    admit(request).await?;
    let entered = match action.concurrency {
        Concurrency::Allow => Entered::Free,
        _ => {
            let key = plan.key.map(|key| caught(|| key(input, request.who())));
            enter(action, request, key.transpose()?.flatten())?
        }
    };
    Ok(Begun(entered, Unended::new(request, &F::ENTRIES.hooks)))
}

/// Runs an action when its turn has come, with its hooks.
pub(super) async fn act<F: Flow, B: Block + Default>(
    plan: &'static Plan<F, B>,
    input: B::Input,
    request: &Arc<Request>,
    Begun(entered, mut unended): Begun,
) -> Result<B::Output> {
    let (turn, late) = match entered.turn().await {
        Ok(turn) => (unended.takes(turn), None),
        Err(late) => (None, Some(late)),
    };
    during(turn, async {
        let done = match late {
            None => run(plan, input, request).await,
            Some(late) => Err(late),
        };
        unended.settle(outcome(&done));
        if let Err(error) = &done {
            let failure = || Failure::new(error.to_string(), error.code());
            after(plan.on_errored, request, failure).await;
            after(F::ENTRIES.hooks.errored, request, failure).await;
        }
        unended.end().await;
        done
    })
    .await
}

/// The block, between what runs before it and after its success.
async fn run<F: Flow, B: Block + Default>(
    plan: &Plan<F, B>,
    input: B::Input,
    request: &Arc<Request>,
) -> Result<B::Output> {
    if let Some(message) = plan.user_message {
        request.said(B::HEAD.name, caught(|| message(&input))?);
    }
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
