//! The other providers, by the crate `genai`. None of its types is in what users see.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{once, try_unfold};
use futures_util::{Stream, StreamExt as _, TryStreamExt as _};
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, ContentPart, JsonSpec, MessageContent,
    StopReason, StreamEnd, Tool, ToolResponse,
};
use genai::resolver::{AuthData, Endpoint};
use genai::webc::StreamTimeout;
use genai::{ModelIden, ServiceTarget};
use reqwest::{Client, Url};
use serde_json::{Map, Value, json};
use tracing::dispatcher::{Dispatch, with_default};

use super::http::{LONGEST, SILENCE, Server, client, in_environment};
use super::strict::strict;
use crate::error::{Error, ModelError, Result, code};
use crate::port::{
    Delta, Deltas, FinishReason, Message, Model, ModelRequest, ToolCall, ToolDef, Usage,
};

/// A model of another provider, by its own protocol: Anthropic, Gemini, Groq, DeepSeek, Ollama and the others of the crate
/// [`genai`](https://docs.rs/genai).
///
/// The name is `provider/model`: `anthropic/claude-sonnet-4-5`. The key comes from the provider's variable of the environment, such
/// as `ANTHROPIC_API_KEY`, which is read when the model is made, or from [`api_key`](Self::api_key). The environment's key goes to
/// the provider's own server alone. The key is in no error, no log, no item and not in the `Debug` text.
///
/// Answers are streamed. Structured output is asked for as a JSON Schema where the schema can be closed; one with maps, tuples or
/// values of any shape is told to the model in words. Signed thoughts go back as they came. Dropping the stream, as a cancelled
/// request does, closes the connection.
///
/// Errors are [`ModelError`](crate::model::ModelError)s. Worth trying again: what could not be reached, was silent for too long
/// or broke off; the statuses 408, 429 and from 500 on, after the time that `retry-after` says in seconds.
///
/// It has no web search of the provider. One event of an answer is read whole, however long it is; all of them together have at
/// most 64 MiB.
///
/// ```
/// use flowstate::model::GenAi;
/// use flowstate::prelude::*;
///
/// # fn main() -> Result<()> {
/// let app = App::builder().model(GenAi::new("anthropic/claude-sonnet-4-5")?).build()?;
///
/// let error = GenAi::new("antropic/claude-sonnet-4-5").unwrap_err();
/// assert_eq!(error.code(), "unknown_model");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct GenAi {
    name: String,
    kind: AdapterKind,
    model: String,
    base_url: Option<String>,
    key: Option<String>,
    /// The environment's, which is for the provider's own server.
    found_key: Option<String>,
    silence: Duration,
    fields: Map<String, Value>,
    client: Result<Client, String>,
}

impl GenAi {
    /// The model of this name, `provider/model`.
    ///
    /// # Errors
    /// `unknown_model` where there is no such provider, with those that there are.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        let name = name.into();
        let found = name
            .split_once('/')
            .filter(|(_, model)| !model.is_empty())
            .and_then(|(provider, model)| Some((AdapterKind::from_lower_str(provider)?, model)));
        let Some((kind, model)) = found else {
            let known: Vec<_> = AdapterKind::all().iter().map(AdapterKind::as_lower_str).collect();
            let text = format!(
                "`{name}` names no model of a provider: it is `provider/model`, and the providers are {}",
                known.join(", ")
            );
            return Err(Error::with_code(code::UNKNOWN_MODEL, text));
        };
        Ok(Self {
            kind,
            model: model.to_owned(),
            name,
            base_url: None,
            key: None,
            found_key: kind.default_key_env_name().and_then(in_environment),
            silence: SILENCE,
            fields: Map::new(),
            client: client(),
        })
    }

    /// Another name, in errors and items.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where it is asked, up to and without the protocol's own part: `https://api.anthropic.com/v1`. It is not told the
    /// environment's key.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self.found_key = None;
        self
    }

    /// The key.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// For how long the server may be silent, before its answer begins and in it; 5 minutes by default.
    #[must_use]
    pub fn timeout(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    /// A further field of each request, such as `thinking`; it takes the place of one that is there.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }

    async fn ask(&self, request: &ModelRequest) -> Result<Answer<'_>, ModelError> {
        let http = self.client.clone().map_err(|error| self.error(error))?;
        let auth = match (self.sent_key(), self.kind.default_key_env_name()) {
            (Some(key), _) => AuthData::from_single(key),
            (None, Some(variable)) if self.base_url.is_none() => {
                let text = format!("there is no key: set `{variable}`, or call `.api_key(…)`");
                return Err(self.error(text));
            }
            (None, _) => AuthData::from_single(""),
        };
        let endpoint = match &self.base_url {
            None => None,
            Some(url) if Url::parse(url).is_ok_and(|url| url.has_host()) => {
                Some(Endpoint::from_owned(format!("{}/", url.trim_end_matches('/'))))
            }
            Some(_) => return Err(self.error("the base URL is no URL")),
        };
        let resolve = move |mut target: ServiceTarget| -> Result<_, genai::resolver::Error> {
            target.auth = auth.clone();
            if let Some(endpoint) = &endpoint {
                target.endpoint = endpoint.clone();
            }
            Ok(target)
        };
        let client = genai::Client::builder()
            .with_reqwest(http)
            .with_service_target_resolver_fn(resolve)
            .build()
            .map_err(|error| self.broken(error))?;
        let (model, options) =
            (ModelIden::new(self.kind, self.model.as_str()), self.options(request));
        let answer = client.exec_chat_stream(model, self.question(request), Some(&options)).await;
        let events = Quiet(answer.map_err(|error| self.broken(error))?.stream);
        Ok(Answer {
            model: self,
            events,
            calls: Vec::new(),
            ready: Vec::new(),
            bytes: 0,
            done: false,
        })
    }

    fn options(&self, request: &ModelRequest) -> ChatOptions {
        let mut options = ChatOptions::default()
            .with_capture_usage(true)
            // without them the provider's signed thoughts are not there to be given back
            .with_capture_reasoning_content(true)
            .with_stream_header_timeout(self.silence)
            .with_stream_read_timeout(self.silence)
            .with_stop_sequences(request.options.stop.clone());
        // as it was written: 0.7, not the 0.699999988079071 of the wider type
        let written = request.options.temperature.map(|given| given.to_string().parse());
        options.temperature = written.and_then(Result::ok);
        options.max_tokens = request.options.max_tokens;
        if !self.fields.is_empty() {
            options.extra_body = Some(Value::Object(self.fields.clone()));
        }
        match request.response_schema.as_ref().and_then(strict) {
            Some(schema) => options.with_response_format(JsonSpec::new("output", schema)),
            None => options,
        }
    }

    fn question(&self, request: &ModelRequest) -> ChatRequest {
        let mut messages: Vec<ChatMessage> = Vec::new();
        // what cannot be closed would be closed by `genai`, and a map be empty; so the model is told of it
        if let Some(schema) = request.response_schema.as_ref().filter(|one| strict(one).is_none()) {
            messages.push(ChatMessage::system(format!(
                "Answer with JSON that fits this JSON Schema, and with nothing else:\n{schema}"
            )));
        }
        let mut after_tool = false;
        for message in &request.messages {
            let is_tool = matches!(message, Message::Tool(_));
            match (message, messages.last_mut()) {
                (Message::System { text }, _) => messages.push(ChatMessage::system(text)),
                (Message::User { text }, _) => messages.push(ChatMessage::user(text)),
                (Message::Assistant { text, tool_calls, opaque }, _) => {
                    messages.push(ChatMessage::assistant(self.said(text, tool_calls, opaque)));
                }
                (Message::Tool(result), last) => {
                    let part = ContentPart::ToolResponse(
                        ToolResponse::new(&result.call_id, &result.text).with_fn_name(&result.name),
                    );
                    match last.filter(|_| after_tool) {
                        // some providers want all results of a step in one message
                        Some(last) => last.content.push(part),
                        None => messages.push(ChatMessage::tool(vec![part])),
                    }
                }
            }
            after_tool = is_tool;
        }
        let question = ChatRequest::new(messages);
        if request.tools.is_empty() {
            return question;
        }
        question.with_tools(request.tools.iter().map(|ToolDef { name, description, schema }| {
            let tool = Tool::new(name.as_str()).with_schema(schema.clone());
            if description.is_empty() { tool } else { tool.with_description(description) }
        }))
    }

    /// What the model said, with what its provider wants back.
    fn said(&self, text: &str, calls: &[ToolCall], opaque: &[Value]) -> MessageContent {
        let own = opaque.iter().filter(|kept| kept["provider"] == self.kind.as_lower_str());
        let kept = own.filter_map(|kept| kept["parts"].as_array()).flatten();
        // what another version of the crate kept is left out
        let mut parts: Vec<ContentPart> =
            kept.filter_map(|part| serde_json::from_value(part.clone()).ok()).collect();
        if !text.is_empty() || calls.is_empty() {
            parts.push(ContentPart::from_text(text));
        }
        parts.extend(calls.iter().map(|call| {
            let read = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
            ContentPart::ToolCall(genai::chat::ToolCall {
                call_id: call.id.clone(),
                fn_name: call.name.clone(),
                // providers take nothing else than an object; the tool's result says what was wrong
                fn_arguments: read.unwrap_or_else(|| json!({})),
                thought_signatures: None,
            })
        }));
        MessageContent::from_parts(parts)
    }

    /// What went wrong, without what `genai` would say of the request.
    fn broken(&self, error: genai::Error) -> ModelError {
        match error {
            genai::Error::HttpError { status, body, headers, .. } => {
                self.refused(status, &headers, body.as_bytes())
            }
            genai::Error::ChatResponse { body, .. } => self.told(&body).0,
            genai::Error::WebStream { error, .. } => match error.downcast::<genai::Error>() {
                Ok(error) => self.broken(*error),
                Err(error) if error.is::<StreamTimeout>() => self.silent(self.silence),
                Err(error) => match error.downcast::<reqwest::Error>() {
                    Ok(error) => self.failed(*error),
                    Err(error) => self.strange(error),
                },
            },
            genai::Error::WebModelCall {
                webc_error: genai::webc::Error::Reqwest(error), ..
            } => self.failed(error),
            genai::Error::StreamParse { serde_error, .. } => self.strange(serde_error),
            genai::Error::JsonValueExt(error) => self.strange(error),
            other => self.error(other),
        }
    }

    fn strange(&self, error: impl fmt::Display) -> ModelError {
        self.error(format!("a piece of the answer is not of the protocol: {error}"))
    }
}

impl Server for GenAi {
    fn called(&self) -> &str {
        &self.name
    }

    fn sent_key(&self) -> Option<&str> {
        let key = self.key.as_ref().or(self.found_key.as_ref())?;
        Some(key.trim()).filter(|key| !key.is_empty())
    }
}

impl Model for GenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a> {
        let pieces = async { Ok(try_unfold(self.ask(request).await?, Answer::next)) };
        Box::pin(once(pieces).try_flatten())
    }
}

impl fmt::Debug for GenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenAi").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A stream that logs nothing: `genai` logs what servers say, and some say the key.
struct Quiet<S>(S);

impl<S: Stream + Unpin> Stream for Quiet<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        with_default(&Dispatch::none(), || self.0.poll_next_unpin(cx))
    }
}

/// An answer as it comes.
struct Answer<'a> {
    model: &'a GenAi,
    events: Quiet<genai::chat::ChatStream>,
    /// The calls so far: their ids, and how much of their arguments was said.
    calls: Vec<(String, usize)>,
    /// The next pieces, last one first.
    ready: Vec<Delta>,
    bytes: usize,
    done: bool,
}

impl Answer<'_> {
    async fn next(mut self) -> Result<Option<(Delta, Self)>, ModelError> {
        loop {
            if let Some(piece) = self.ready.pop() {
                return Ok(Some((piece, self)));
            }
            if self.done {
                return Ok(None);
            }
            match self.events.next().await {
                Some(Ok(event)) => self.event(event),
                Some(Err(error)) => return Err(self.model.broken(error)),
                None => {
                    return Err(self.model.error("the answer broke off").with_retryable(true));
                }
            }
            if self.bytes > LONGEST {
                let text = format!("the answer has more than {LONGEST} bytes");
                return Err(self.model.error(text));
            }
        }
    }

    fn event(&mut self, event: ChatStreamEvent) {
        let piece = match event {
            ChatStreamEvent::Chunk(chunk) => Delta::Text(chunk.content),
            ChatStreamEvent::ReasoningChunk(chunk) => Delta::Reasoning(chunk.content),
            ChatStreamEvent::ToolCallChunk(chunk) => self.call(chunk.tool_call),
            ChatStreamEvent::End(end) => return self.end(end),
            ChatStreamEvent::Start
            | ChatStreamEvent::Heartbeat
            // in the parts at the end
            | ChatStreamEvent::ThoughtSignatureChunk(_) => return,
        };
        match &piece {
            Delta::Text(text) | Delta::Reasoning(text) if text.is_empty() => return,
            Delta::Text(text) | Delta::Reasoning(text) => self.bytes += text.len(),
            Delta::ToolCall { arguments, .. } => self.bytes += arguments.len(),
            _ => {}
        }
        self.ready.push(piece);
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

    fn end(&mut self, end: StreamEnd) {
        self.done = true;
        let count =
            |tokens: Option<i32>| tokens.and_then(|n| u64::try_from(n).ok()).unwrap_or_default();
        if let Some(used) = end.captured_usage {
            let cached = used.prompt_tokens_details.and_then(|details| details.cached_tokens);
            self.ready.push(Delta::Usage(Usage {
                input_tokens: count(used.prompt_tokens),
                output_tokens: count(used.completion_tokens),
                cached_tokens: count(cached),
            }));
        }
        let reason = end.captured_stop_reason.map_or(FinishReason::Other, |reason| match reason {
            StopReason::Completed(_) | StopReason::StopSequence(_) => FinishReason::Stop,
            StopReason::MaxTokens(_) => FinishReason::Length,
            StopReason::ToolCall(_) => FinishReason::ToolCalls,
            StopReason::ContentFilter(_) => FinishReason::ContentFilter,
            StopReason::Other(_) => FinishReason::Other,
        });
        self.ready.push(Delta::Finish(reason));
        let parts: Vec<_> =
            end.captured_content.into_iter().flat_map(MessageContent::into_parts).collect();
        if !parts.is_empty() {
            let provider = self.model.kind.as_lower_str();
            self.ready.push(Delta::Opaque(json!({"provider": provider, "parts": parts})));
        }
    }
}
