//! The other providers, by the crate `genai`. None of its types is in what users see.

mod answer;
mod question;

use std::fmt;
use std::time::Duration;

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use reqwest::Url;
use serde_json::Value;

use self::answer::{Answer, broken};
use super::server::{Server, deltas, settings};
use crate::error::{Error, ModelError, Result, code};
use crate::port::{Deltas, Model, ModelRequest};

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
    server: Server,
    kind: AdapterKind,
    model: String,
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
        let model = model.to_owned();
        Ok(Self { server: Server::new(name, None, kind.default_key_env_name()), kind, model })
    }

    /// Where it is asked, up to and without the protocol's own part: `https://api.anthropic.com/v1`. It is not told the
    /// environment's key.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.server.set_base_url(url.into());
        self
    }

    settings!();

    async fn ask(&self, request: &ModelRequest) -> Result<Answer, ModelError> {
        let server = &self.server;
        let options = question::options(request, server);
        let question = question::question(request, self.kind);
        let model = ModelIden::new(self.kind, self.model.as_str());
        let answer = self.client()?.exec_chat_stream(model, question, Some(&options)).await;
        let events = answer.map_err(|error| broken(server, error))?.stream;
        Ok(Answer::of(events, self.kind))
    }

    /// A client that asks this server with this key.
    fn client(&self) -> Result<genai::Client, ModelError> {
        let server = &self.server;
        let auth = match (server.sent_key(), self.kind.default_key_env_name()) {
            (Some(key), _) => AuthData::from_single(key),
            (None, Some(variable)) if server.base_url.is_none() => {
                let text = format!("there is no key: set `{variable}`, or call `.api_key(…)`");
                return Err(server.error(text));
            }
            (None, _) => AuthData::from_single(""),
        };
        let endpoint = match &server.base_url {
            None => None,
            Some(url) if Url::parse(url).is_ok_and(|url| url.has_host()) => {
                Some(Endpoint::from_owned(format!("{}/", url.trim_end_matches('/'))))
            }
            Some(_) => return Err(server.bad_url()),
        };
        let resolve = move |mut target: ServiceTarget| -> Result<_, genai::resolver::Error> {
            target.auth = auth.clone();
            if let Some(endpoint) = &endpoint {
                target.endpoint = endpoint.clone();
            }
            Ok(target)
        };
        genai::Client::builder()
            .with_reqwest(server.client()?.clone())
            .with_service_target_resolver_fn(resolve)
            .build()
            .map_err(|error| broken(server, error))
    }
}

impl Model for GenAi {
    fn name(&self) -> &str {
        &self.server.name
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a> {
        deltas(&self.server, self.ask(request))
    }
}

impl fmt::Debug for GenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenAi").field("name", &self.server.name).finish_non_exhaustive()
    }
}
