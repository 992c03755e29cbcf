//! One answer of a model: which of several is asked, how often, and what comes of the pieces.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::Value;

use super::prompt::tokens_of;
use crate::error::{Error, ModelError, Result};
use crate::port::{Delta, Model, ModelRequest, ToolCall, Usage};
use crate::scope::Request;

/// How often one model is asked.
const ATTEMPTS: u32 = 2;
/// How long to wait before the second time, where the provider does not say.
const WAIT: Duration = Duration::from_secs(1);
/// Who asks for a longer wait is not asked again.
const LONGEST: Duration = Duration::from_secs(30);

/// Who sees the pieces as they come.
pub(super) trait Listener {
    fn text(&mut self, text: &str);
    fn reasoning(&mut self, text: &str);
    fn source(&mut self, url: &str, title: Option<String>);
}

/// An answer, whole.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The model that gave it.
    pub(super) model: String,
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) opaque: Vec<Value>,
    pub(super) usage: Usage,
}

/// An answer that comes, and what it is the answer to. However it ends, its tokens count.
struct Coming<'a> {
    /// Until they are counted.
    of: Option<&'a Request>,
    asked: &'a ModelRequest,
    answer: Answer,
}

impl Coming<'_> {
    fn whole(mut self) -> Answer {
        self.count();
        std::mem::take(&mut self.answer)
    }

    fn count(&mut self) {
        let Some(of) = self.of.take() else { return };
        of.used(|| match self.answer.usage.total() {
            // one that broke off does not say what it has cost, and some models never do
            0 => {
                let counter = &*of.services().tokens;
                let asked = self.asked.messages.iter().map(|message| tokens_of(message, counter));
                let calls = self.answer.calls.iter().map(|call| counter.count(&call.arguments));
                asked.chain(calls).sum::<usize>() + counter.count(&self.answer.text)
            }
            known => usize::try_from(known).unwrap_or(usize::MAX),
        });
    }
}

impl Drop for Coming<'_> {
    fn drop(&mut self) {
        self.count();
    }
}

/// Asks the first model; where it fails before its first piece, again or the next one.
pub(super) async fn ask(
    of: &Request,
    models: &[Arc<dyn Model>],
    request: &ModelRequest,
    listener: &mut (dyn Listener + Send),
) -> Result<Answer> {
    let mut failures: Vec<ModelError> = Vec::new();
    for model in models {
        for attempt in 1..=ATTEMPTS {
            let mut pieces = model.stream(request);
            let error = match pieces.next().await {
                Some(Err(error)) => error,
                first => {
                    let answer = Answer { model: model.name().into(), ..Answer::default() };
                    let mut coming = Coming { of: Some(of), asked: request, answer };
                    let (mut calls, mut next) = (BTreeMap::new(), first);
                    while let Some(piece) = next {
                        coming.answer.take(piece?, &mut calls, listener);
                        next = pieces.next().await;
                    }
                    coming.answer.calls = calls.into_values().collect();
                    return Ok(coming.whole());
                }
            };
            drop(pieces);
            let wait = error.retry_after().unwrap_or(WAIT);
            let again = error.retryable() && attempt < ATTEMPTS && wait <= LONGEST;
            failures.push(error);
            if !again {
                break;
            }
            tokio::time::sleep(wait).await;
        }
    }
    Err(all_failed(failures, models.len()))
}

#[cold]
fn all_failed(mut failures: Vec<ModelError>, models: usize) -> Error {
    match failures.pop() {
        // of one model, that it failed before is nothing new
        Some(last) if models == 1 => last.into(),
        Some(last) => last.after(failures).into(),
        None => unreachable!("at least one model is asked, and has failed"),
    }
}

impl Answer {
    fn take(
        &mut self,
        piece: Delta,
        calls: &mut BTreeMap<usize, ToolCall>,
        listener: &mut (dyn Listener + Send),
    ) {
        match piece {
            Delta::Text(text) if text.is_empty() => {}
            Delta::Text(text) => {
                listener.text(&text);
                self.text.push_str(&text);
            }
            Delta::Reasoning(text) => listener.reasoning(&text),
            Delta::ToolCall { index, id, name, arguments } => {
                let call = calls.entry(index).or_default();
                if !id.is_empty() {
                    call.id = id;
                }
                if !name.is_empty() {
                    call.name = name;
                }
                call.arguments.push_str(&arguments);
            }
            Delta::Source { url, title } => listener.source(&url, title),
            Delta::Usage(usage) => self.usage = usage,
            Delta::Opaque(value) => self.opaque.push(value),
            // what it called is run, and what it said is said, whatever it calls the end
            Delta::Finish(_) => {}
        }
    }
}
