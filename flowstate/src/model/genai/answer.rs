//! An answer as `genai` gives it.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::{Stream, StreamExt as _};
use genai::adapter::AdapterKind;
use genai::chat::{ChatStream, ChatStreamEvent, MessageContent, StopReason, StreamEnd};
use genai::webc::StreamTimeout;
use serde_json::{Value, json};
use tracing::dispatcher::{Dispatch, with_default};

use crate::error::ModelError;
use crate::model::server::{Inbox, Reply, Server};
use crate::port::{Delta, FinishReason, Usage};

/// A stream that logs nothing: `genai` logs what servers say, and some say the key.
struct Quiet<S>(S);

impl<S: Stream + Unpin> Stream for Quiet<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        with_default(&Dispatch::none(), || self.0.poll_next_unpin(cx))
    }
}

/// An answer as it comes.
pub(super) struct Answer {
    events: Quiet<ChatStream>,
    kind: AdapterKind,
    /// The calls so far: their ids, and how much of their arguments was said.
    calls: Vec<(String, usize)>,
}

impl Reply for Answer {
    async fn more(&mut self, to: &mut Inbox<'_>) -> Result<(), ModelError> {
        match self.events.next().await {
            Some(Ok(event)) => self.event(event, to),
            Some(Err(error)) => return Err(broken(to.server, error)),
            None => return Err(to.server.broke_off()),
        }
        Ok(())
    }
}

impl Answer {
    pub(super) fn of(events: ChatStream, kind: AdapterKind) -> Self {
        Self { events: Quiet(events), kind, calls: Vec::new() }
    }

    fn event(&mut self, event: ChatStreamEvent, to: &mut Inbox<'_>) {
        let piece = match event {
            ChatStreamEvent::Chunk(chunk) => Delta::Text(chunk.content),
            ChatStreamEvent::ReasoningChunk(chunk) => Delta::Reasoning(chunk.content),
            ChatStreamEvent::ToolCallChunk(chunk) => self.call(chunk.tool_call),
            ChatStreamEvent::End(end) => return self.end(end, to),
            ChatStreamEvent::Start
            | ChatStreamEvent::Heartbeat
            // in the parts at the end
            | ChatStreamEvent::ThoughtSignatureChunk(_) => return,
        };
        let length = match &piece {
            Delta::Text(text) | Delta::Reasoning(text) if text.is_empty() => return,
            Delta::Text(text) | Delta::Reasoning(text) => text.len(),
            Delta::ToolCall { arguments, .. } => arguments.len(),
            _ => 0,
        };
        if to.takes(length) {
            to.ready.push_back(piece);
        }
    }

    /// More of a call, of which `genai` says all arguments so far.
    fn call(&mut self, call: genai::chat::ToolCall) -> Delta {
        let (arguments, whole) = match call.fn_arguments {
            Value::String(text) => (text, false),
            object => (object.to_string(), true),
        };
        let id = call.call_id;
        let known = match id.is_empty() && whole {
            // a call without an id that comes in one piece is another one
            true => None,
            false => self.calls.iter().position(|(known, _)| *known == id),
        };
        let index = known.unwrap_or(self.calls.len());
        if known.is_none() {
            self.calls.push((id.clone(), 0));
        }
        let said = &mut self.calls[index].1;
        let more = arguments.get(*said..).unwrap_or_default().to_owned();
        *said += more.len();
        let first = known.is_none();
        let (id, name) = if first { (id, call.fn_name) } else { (String::new(), String::new()) };
        Delta::ToolCall { index, id, name, arguments: more }
    }

    fn end(&self, end: StreamEnd, to: &mut Inbox<'_>) {
        let parts: Vec<_> =
            end.captured_content.into_iter().flat_map(MessageContent::into_parts).collect();
        if !parts.is_empty() {
            let provider = self.kind.as_lower_str();
            to.ready.push_back(Delta::Opaque(json!({"provider": provider, "parts": parts})));
        }
        let reason = end.captured_stop_reason.map_or(FinishReason::Other, |reason| match reason {
            StopReason::Completed(_) | StopReason::StopSequence(_) => FinishReason::Stop,
            StopReason::MaxTokens(_) => FinishReason::Length,
            StopReason::ToolCall(_) => FinishReason::ToolCalls,
            StopReason::ContentFilter(_) => FinishReason::ContentFilter,
            StopReason::Other(_) => FinishReason::Other,
        });
        to.ready.push_back(Delta::Finish(reason));
        let count =
            |tokens: Option<i32>| tokens.and_then(|n| u64::try_from(n).ok()).unwrap_or_default();
        if let Some(used) = end.captured_usage {
            let cached = used.prompt_tokens_details.and_then(|details| details.cached_tokens);
            to.ready.push_back(Delta::Usage(Usage {
                input_tokens: count(used.prompt_tokens),
                output_tokens: count(used.completion_tokens),
                cached_tokens: count(cached),
            }));
        }
        to.end = Some(Ok(()));
    }
}

/// What went wrong, without what `genai` would say of the request.
pub(super) fn broken(server: &Server, error: genai::Error) -> ModelError {
    match error {
        genai::Error::HttpError { status, body, headers, .. } => {
            server.refused(status, &headers, body.as_bytes())
        }
        genai::Error::ChatResponse { body, .. } => server.told(&body).0,
        genai::Error::WebStream { error, .. } => match error.downcast::<genai::Error>() {
            Ok(error) => broken(server, *error),
            Err(error) if error.is::<StreamTimeout>() => server.silent(),
            Err(error) => match error.downcast::<reqwest::Error>() {
                Ok(error) => server.failed(*error),
                Err(error) => server.strange(error),
            },
        },
        genai::Error::WebModelCall { webc_error: genai::webc::Error::Reqwest(error), .. } => {
            server.failed(error)
        }
        genai::Error::StreamParse { serde_error, .. } => server.strange(serde_error),
        genai::Error::JsonValueExt(error) => server.strange(error),
        other => server.error(other),
    }
}
