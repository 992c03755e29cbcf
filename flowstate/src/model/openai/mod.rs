//! Any server that speaks OpenAI's chat protocol.

mod answer;
mod sse;
mod wire;

use std::fmt;
use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, Url};
use serde_json::Value;

use self::answer::Answer;
use super::server::{Server, deltas, in_environment, settings};
use crate::error::ModelError;
use crate::port::{Deltas, Model, ModelRequest};

/// Whose limit on tokens has a name of its own.
const OPENAI: &str = "https://api.openai.com/v1";
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
    server: Server,
    model: String,
    search: Option<bool>,
}

impl OpenAi {
    /// The model of this name, as the server knows it. In errors it is called `openai/` and its name.
    #[must_use]
    pub fn new(model: impl Into<String>) -> Self {
        let model = model.into();
        let url = in_environment("OPENAI_BASE_URL").unwrap_or_else(|| OPENAI.to_owned());
        let server = Server::new(format!("openai/{model}"), Some(url), Some("OPENAI_API_KEY"));
        Self { server, model, search: None }
    }

    /// Where it is asked, up to and without `/chat/completions`: `https://openrouter.ai/api/v1`. It is not told the environment's
    /// key.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.server.set_base_url(url.into());
        self
    }

    settings!();

    /// Whether the server searches the web for it, for generators with `search(…)`, which is not known from outside; where
    /// nothing is said, of those with `-search` in their name, as OpenAI's are called.
    #[must_use]
    pub fn web_search(mut self, searches: bool) -> Self {
        self.search = Some(searches);
        self
    }

    /// Sends a request; the answer is read as it comes.
    async fn ask(&self, request: &ModelRequest) -> Result<Answer, ModelError> {
        let server = &self.server;
        let url = self.url().ok_or_else(|| server.bad_url())?;
        let own = url.host_str().is_some_and(|host| host == "api.openai.com");
        let tokens = if own { "max_completion_tokens" } else { "max_tokens" };
        let mut body = wire::body(&self.model, request, tokens);
        body.extend(server.fields.clone());
        let body = serde_json::to_vec(&body).map_err(|error| server.error(error))?;
        let post = server.client()?.post(url).header(CONTENT_TYPE, "application/json").body(body);
        let post = match server.sent_key() {
            Some(key) => post.bearer_auth(key),
            None => post,
        };
        let response = server.in_time(post.send()).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        Ok(Answer::of(response))
    }

    fn url(&self) -> Option<Url> {
        let mut url = Url::parse(self.server.base_url.as_ref()?).ok()?;
        // a query stays
        url.path_segments_mut().ok()?.pop_if_empty().extend(["chat", "completions"]);
        Some(url)
    }

    /// What the server says instead of an answer.
    async fn refusal(&self, mut response: Response) -> ModelError {
        let mut body = Vec::new();
        while body.len() < REFUSAL
            && let Ok(Some(bytes)) = self.server.in_time(response.chunk()).await
        {
            body.extend_from_slice(&bytes);
        }
        self.server.refused(response.status(), response.headers(), &body)
    }
}

impl Model for OpenAi {
    fn name(&self) -> &str {
        &self.server.name
    }

    fn searches(&self) -> bool {
        self.search.unwrap_or_else(|| self.model.contains("-search"))
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a> {
        deltas(&self.server, self.ask(request))
    }
}

impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi").field("name", &self.server.name).finish_non_exhaustive()
    }
}
