//! What is the same of all servers: how they are reached, and what comes of their errors.

use std::error::Error as _;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use serde_json::Value;

use crate::error::ModelError;

/// For how long a server may be silent, where nothing is said.
pub(super) const SILENCE: Duration = Duration::from_secs(300);
/// How many bytes one answer has at most, which is far more than a model writes.
pub(super) const LONGEST: usize = 64 << 20;
const CONNECT: Duration = Duration::from_secs(10);

/// A client that sends a key nowhere else than it was told.
pub(super) fn client() -> Result<Client, String> {
    let client = Client::builder().connect_timeout(CONNECT).redirect(Policy::none());
    client.build().map_err(|error| error.to_string())
}

/// What a variable of the environment says, if it says anything.
pub(super) fn in_environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// A model behind a server.
pub(super) trait Server {
    /// Its name, `provider/model`.
    fn called(&self) -> &str;
    /// The key that the server is sent.
    fn sent_key(&self) -> Option<&str>;

    /// An error without the key in it.
    fn error(&self, text: impl ToString) -> ModelError {
        let mut text = text.to_string();
        if let Some(key) = self.sent_key() {
            text = text.replace(key, "[key]");
        }
        ModelError::new(self.called(), text)
    }

    fn silent(&self, time: Duration) -> ModelError {
        self.error(format!("the server was silent for {time:?}")).with_retryable(true)
    }

    /// What went wrong on the way. Its address may hold a password, so it is not said.
    fn failed(&self, error: reqwest::Error) -> ModelError {
        let again = !error.is_builder();
        let error = error.without_url();
        let (mut text, mut cause) = (error.to_string(), error.source());
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        self.error(text).with_retryable(again)
    }

    /// What the server says instead of an answer.
    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> ModelError {
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
    fn told(&self, json: &Value) -> (ModelError, bool) {
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
