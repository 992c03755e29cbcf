//! Any server that speaks OpenAI's chat protocol.

mod sse;
mod wire;

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use futures_util::stream::{once, try_unfold};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Response, Url};
use serde_json::{Map, Value};

use self::sse::Events;
use self::wire::{Chunk, Reader};
use super::http::{LONGEST, SILENCE, Server, client, in_environment};
use crate::error::ModelError;
use crate::port::{Delta, Deltas, Model, ModelRequest};

/// Whose limit on tokens has a name of its own.
const OPENAI: &str = "https://api.openai.com/v1";
/// For how long the end of a response is waited for, once the answer is whole.
const TAIL: Duration = Duration::from_millis(100);
/// How many bytes of a refusal are read.
const REFUSAL: usize = 64 << 10;

/// A model behind OpenAI's chat protocol: OpenAI's own, and any server that speaks it (vLLM, Ollama, llama.cpp, OpenRouter …).
///
/// Where it is asked and with which key comes from the environment, `OPENAI_BASE_URL` and `OPENAI_API_KEY`, or from
/// [`base_url`](Self::base_url) and [`api_key`](Self::api_key). Without a key none is sent, and the environment's key goes only to
/// the environment's server (OpenAI's, where it names none). The key is in no error, no log, no item and not in the `Debug` text.
///
/// Answers are streamed. Structured output is asked for as a JSON Schema, *strict* where the schema can be: all but maps, tuples
/// and values of any shape. Dropping the stream, as a cancelled request does, closes the connection.
///
/// Errors are [`ModelError`](crate::model::ModelError)s. Worth trying again: what could not be reached, was silent for too long
/// or broke off; the statuses 408, 429 and from 500 on, after the time that `retry-after` says in seconds.
///
/// ```
/// use flowstate::model::OpenAi;
/// use flowstate::prelude::*;
///
/// # fn main() -> Result<()> {
/// let app = App::builder()
///     .model(OpenAi::new("gpt-5-mini"))
///     .model_as("intent/utility", OpenAi::new("llama3.2").base_url("http://localhost:11434/v1"))
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OpenAi {
    name: String,
    model: String,
    base_url: String,
    key: Option<String>,
    /// The environment's, which is for the environment's server.
    found_key: Option<String>,
    silence: Duration,
    search: Option<bool>,
    fields: Map<String, Value>,
    client: Result<Client, String>,
}

impl OpenAi {
    /// The model of this name, as the server knows it. In errors it is called `openai/` and its name.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        let model = model.into();
        Self {
            name: format!("openai/{model}"),
            model,
            base_url: in_environment("OPENAI_BASE_URL").unwrap_or_else(|| OPENAI.to_owned()),
            key: None,
            found_key: in_environment("OPENAI_API_KEY"),
            silence: SILENCE,
            search: None,
            fields: Map::new(),
            client: client(),
        }
    }

    /// Another name, `provider/model`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Where it is asked, up to and without `/chat/completions`: `https://openrouter.ai/api/v1`. It is not told the environment's
    /// key.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into();
        self.found_key = None;
        self
    }

    /// The key.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// For how long the server may be silent, before its answer begins and between two pieces of it; 5 minutes by default.
    #[must_use]
    pub fn timeout(mut self, silence: Duration) -> Self {
        self.silence = silence;
        self
    }

    /// Whether the server searches the web for it, for generators with `search(…)`, which is not known from outside; where
    /// nothing is said, of those with `-search` in their name, as OpenAI's are called.
    #[must_use]
    pub fn web_search(mut self, searches: bool) -> Self {
        self.search = Some(searches);
        self
    }

    /// A further field of each request, such as `reasoning_effort`; it takes the place of one that is there.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.fields.insert(name.into(), value.into());
        self
    }

    /// Sends a request; the answer is read as it comes.
    async fn ask<'a>(&'a self, request: &ModelRequest) -> Result<Answer<'a>, ModelError> {
        let client = self.client.as_ref().map_err(|error| self.error(error))?;
        let url = self.url().ok_or_else(|| self.error("the base URL is no URL"))?;
        let own = url.host_str().is_some_and(|host| host == "api.openai.com");
        let tokens = if own { "max_completion_tokens" } else { "max_tokens" };
        let mut body = wire::body(&self.model, request, tokens);
        body.extend(self.fields.clone());
        let body = serde_json::to_vec(&body).map_err(|error| self.error(error))?;
        let mut post = client.post(url).header(CONTENT_TYPE, "application/json").body(body);
        if let Some(key) = self.sent_key() {
            post = post.bearer_auth(key);
        }
        let response = self.in_time(post.send()).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        Ok(Answer {
            model: self,
            whole: kind.is_some_and(|kind| kind.starts_with("application/json")).then(Vec::new),
            response,
            events: Events::default(),
            reader: Reader::default(),
            ready: VecDeque::new(),
            bytes: 0,
            end: None,
        })
    }

    fn url(&self) -> Option<Url> {
        let mut url = Url::parse(&self.base_url).ok()?;
        // a query stays
        url.path_segments_mut().ok()?.pop_if_empty().extend(["chat", "completions"]);
        Some(url)
    }

    async fn in_time<T>(
        &self,
        run: impl Future<Output = reqwest::Result<T>>,
    ) -> Result<T, ModelError> {
        match tokio::time::timeout(self.silence, run).await {
            Ok(done) => done.map_err(|error| self.failed(error)),
            Err(_) => Err(self.silent(self.silence)),
        }
    }

    /// What the server says instead of an answer.
    async fn refusal(&self, mut response: Response) -> ModelError {
        let mut body = Vec::new();
        while body.len() < REFUSAL
            && let Ok(Some(bytes)) = self.in_time(response.chunk()).await
        {
            body.extend_from_slice(&bytes);
        }
        self.refused(response.status(), response.headers(), &body)
    }
}

impl Server for OpenAi {
    fn called(&self) -> &str {
        &self.name
    }

    fn sent_key(&self) -> Option<&str> {
        let key = self.key.as_ref().or(self.found_key.as_ref())?;
        Some(key.trim()).filter(|key| !key.is_empty())
    }
}

impl Model for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn searches(&self) -> bool {
        self.search.unwrap_or_else(|| self.model.contains("-search"))
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a> {
        let pieces = async { Ok(try_unfold(self.ask(request).await?, Answer::next)) };
        Box::pin(once(pieces).try_flatten())
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An answer as it comes.
struct Answer<'a> {
    model: &'a OpenAi,
    response: Response,
    /// What came so far, of a server that does not stream.
    whole: Option<Vec<u8>>,
    events: Events,
    reader: Reader,
    ready: VecDeque<Delta>,
    bytes: usize,
    /// Nothing comes after what is ready, or this.
    end: Option<Result<(), ModelError>>,
}

impl Answer<'_> {
    async fn next(mut self) -> Result<Option<(Delta, Self)>, ModelError> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Ok(Some((piece, self)));
            }
            if let Some(end) = self.end.take() {
                // what is left of the response is its end, and the connection can serve the next one
                let _ = tokio::time::timeout(TAIL, self.response.chunk()).await;
                return end.map(|()| None);
            }
            match self.model.in_time(self.response.chunk()).await {
                Ok(Some(bytes)) => self.more(&bytes),
                Ok(None) => self.close(),
                // all of it was said before
                Err(_) if self.reader.finished => self.end = Some(Ok(())),
                Err(error) => return Err(error),
            }
        }
    }

    fn more(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        if self.bytes > LONGEST {
            let text = format!("the answer has more than {LONGEST} bytes");
            self.end = Some(Err(self.model.error(text)));
        } else if let Some(whole) = &mut self.whole {
            whole.extend_from_slice(bytes);
        } else {
            let mut events = std::mem::take(&mut self.events);
            events.feed(bytes, &mut |data| self.event(data));
            self.events = events;
        }
    }

    fn event(&mut self, data: &str) {
        if self.end.is_some() || data.trim().is_empty() {
            return;
        }
        if data.trim() == "[DONE]" {
            self.end = Some(Ok(()));
            return;
        }
        match serde_json::from_str::<Chunk>(data) {
            Ok(Chunk { error: Some(error), .. }) => {
                self.end = Some(Err(self.model.told(&error).0));
            }
            Ok(chunk) => self.reader.read(chunk, &mut self.ready),
            Err(error) => {
                let text = format!("a piece of the answer is not of the protocol: {error}");
                self.end = Some(Err(self.model.error(text)));
            }
        }
    }

    fn close(&mut self) {
        if let Some(whole) = self.whole.take() {
            self.event(&String::from_utf8_lossy(&whole));
        } else {
            let mut events = std::mem::take(&mut self.events);
            events.end(&mut |data| self.event(data));
        }
        if self.end.is_none() {
            self.end = Some(if self.reader.finished {
                Ok(())
            } else {
                Err(self.model.error("the answer broke off").with_retryable(true))
            });
        }
    }
}
