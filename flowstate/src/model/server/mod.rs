//! What is the same of all models behind a server: what is set of them, how they are reached, and what comes of their errors.

mod answer;

use std::error::Error as _;
use std::fmt;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use serde_json::{Map, Value};

pub(super) use self::answer::{Inbox, Reply, deltas};
use crate::error::ModelError;

/// For how long a server may be silent, where nothing is said.
const SILENCE: Duration = Duration::from_secs(300);
const CONNECT: Duration = Duration::from_secs(10);

/// What a variable of the environment says, if it says anything.
pub(super) fn in_environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The server behind a model, as its builder says.
#[derive(Clone)]
pub(super) struct Server {
    /// The model's name, `provider/model`.
    pub(super) name: String,
    pub(super) base_url: Option<String>,
    pub(super) key: Option<String>,
    /// The environment's, which is for the environment's server.
    found_key: Option<String>,
    pub(super) silence: Duration,
    pub(super) fields: Map<String, Value>,
    client: Result<Client, String>,
}

/// The methods of a builder that has a `server`.
macro_rules! settings {
    () => {
        /// Another name, `provider/model`, in errors and items.
        #[must_use]
        pub fn name(mut self, name: impl Into<String>) -> Self {
            self.server.name = name.into();
            self
        }

        /// The key.
        #[must_use]
        pub fn api_key(mut self, key: impl Into<String>) -> Self {
            self.server.key = Some(key.into());
            self
        }

        /// For how long the server may be silent, before its answer begins and between two pieces of it; 5 minutes by default.
        #[must_use]
        pub fn timeout(mut self, silence: Duration) -> Self {
            self.server.silence = silence;
            self
        }

        /// A further field of each request, such as `reasoning_effort` or `thinking`; it takes the place of one that is there.
        #[must_use]
        pub fn field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
            self.server.fields.insert(name.into(), value.into());
            self
        }
    };
}
pub(super) use settings;

impl Server {
    /// Where nothing else is said, with the key of the environment.
    pub(super) fn new(name: String, base_url: Option<String>, key_variable: Option<&str>) -> Self {
        // a key is sent nowhere else than it was told
        let client = Client::builder().connect_timeout(CONNECT).redirect(Policy::none()).build();
        Self {
            name,
            base_url,
            key: None,
            found_key: key_variable.and_then(in_environment),
            silence: SILENCE,
            fields: Map::new(),
            client: client.map_err(|error| error.to_string()),
        }
    }

    /// Another one than the environment's, which is not told the environment's key.
    pub(super) fn set_base_url(&mut self, url: String) {
        self.base_url = Some(url);
        self.found_key = None;
    }

    pub(super) fn client(&self) -> Result<&Client, ModelError> {
        self.client.as_ref().map_err(|error| self.error(error))
    }

    /// The key that the server is sent.
    pub(super) fn sent_key(&self) -> Option<&str> {
        let key = self.key.as_ref().or(self.found_key.as_ref())?;
        Some(key.trim()).filter(|key| !key.is_empty())
    }

    /// An error without the key in it.
    pub(super) fn error(&self, text: impl ToString) -> ModelError {
        let mut text = text.to_string();
        if let Some(key) = self.sent_key() {
            text = text.replace(key, "[key]");
        }
        ModelError::new(&*self.name, text)
    }

    pub(super) fn silent(&self) -> ModelError {
        self.error(format!("the server was silent for {:?}", self.silence)).with_retryable(true)
    }

    pub(super) fn broke_off(&self) -> ModelError {
        self.error("the answer broke off").with_retryable(true)
    }

    /// A piece that is not of the protocol.
    pub(super) fn strange(&self, error: impl fmt::Display) -> ModelError {
        self.error(format!("a piece of the answer is not of the protocol: {error}"))
    }

    pub(super) fn bad_url(&self) -> ModelError {
        self.error("the base URL is no URL")
    }

    /// What went wrong on the way. Its address may hold a password, so it is not said.
    pub(super) fn failed(&self, error: reqwest::Error) -> ModelError {
        let again = !error.is_builder();
        let error = error.without_url();
        let (mut text, mut cause) = (error.to_string(), error.source());
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        self.error(text).with_retryable(again)
    }

    /// Within the time that the server may be silent.
    #[cfg(feature = "openai")]
    pub(super) async fn in_time<T>(
        &self,
        run: impl Future<Output = reqwest::Result<T>>,
    ) -> Result<T, ModelError> {
        match tokio::time::timeout(self.silence, run).await {
            Ok(done) => done.map_err(|error| self.failed(error)),
            Err(_) => Err(self.silent()),
        }
    }

    /// What the server says instead of an answer.
    pub(super) fn refused(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> ModelError {
        let (error, no_money) = match serde_json::from_slice(body) {
            Ok(json) => self.told(&json),
            Err(_) => {
                let text = String::from_utf8_lossy(body);
                let none = || status.canonical_reason().unwrap_or("no reason").to_owned();
                let text: String = text.trim().chars().take(300).collect();
                (self.error(if text.is_empty() { none() } else { text }), false)
            }
        };
        let error = error.with_status(status.as_u16());
        match retry_after(headers) {
            _ if no_money => error.with_retryable(false),
            Some(after) if error.retryable() => error.with_retry_after(after),
            _ => error,
        }
    }

    /// An error as a server tells it, and whether it is that the account is empty, which passes for too many requests.
    pub(super) fn told(&self, json: &Value) -> (ModelError, bool) {
        let inner = json.get("error").unwrap_or(json);
        let code = inner.get("code");
        let error = self.error(error_text(json));
        let status = code.and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let error = match status.or_else(|| status_of(inner.get("type")?.as_str()?)) {
            Some(status) => error.with_status(status),
            None => error,
        };
        (error, code.is_some_and(|code| code == "insufficient_quota"))
    }
}

/// The status of an error that is told in the midst of an answer, by Anthropic's names.
fn status_of(name: &str) -> Option<u16> {
    Some(match name {
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |key, unit: f64| {
        let value: f64 = headers.get(key)?.to_str().ok()?.trim().parse().ok()?;
        Duration::try_from_secs_f64(value * unit).ok()
    };
    number("retry-after-ms", 0.001).or_else(|| number("retry-after", 1.0))
}

/// What an error of a server says, from JSON in whichever of the usual shapes.
fn error_text(error: &Value) -> String {
    let inner = error.get("error").unwrap_or(error);
    let text = ["message", "detail", "error"].iter().find_map(|key| inner.get(key)?.as_str());
    text.or(inner.as_str()).map_or_else(|| inner.to_string(), str::to_owned)
}
