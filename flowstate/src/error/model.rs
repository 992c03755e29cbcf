//! What a model answers instead, without the key.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

/// A model, or the way to it, failed ([`code::MODEL_ERROR`](super::code::MODEL_ERROR)). It never holds a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    model: String,
    message: String,
    status: Option<u16>,
    retry_after: Option<Duration>,
    retryable: bool,
    /// What failed before it.
    earlier: Vec<ModelError>,
}

impl ModelError {
    /// Of this model, `provider/model`; not worth trying again. What looks like a key or a token in the message is left out.
    pub fn new(model: impl Into<String>, message: impl AsRef<str>) -> Self {
        let message = without_keys(message.as_ref());
        Self {
            model: model.into(),
            message,
            status: None,
            retry_after: None,
            retryable: false,
            earlier: Vec::new(),
        }
    }

    /// The same, with what the provider's server said; of 408, 429 and from 500 on it is worth trying again.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self.retryable = matches!(status, 408 | 429 | 500..);
        self
    }

    /// The same, worth trying again after this time.
    #[must_use]
    pub fn with_retry_after(mut self, after: Duration) -> Self {
        self.retry_after = Some(after);
        self.with_retryable(true)
    }

    /// The same, worth trying again or not.
    #[must_use]
    pub fn with_retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// The last of several models that were asked, after these.
    pub(crate) fn after(mut self, earlier: Vec<Self>) -> Self {
        self.retryable |= earlier.iter().any(Self::retryable);
        self.earlier = earlier;
        self
    }

    /// Where several models were asked, the failures before this one, in order.
    #[must_use]
    pub fn earlier(&self) -> &[Self] {
        &self.earlier
    }

    /// The model, `provider/model`.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What went wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The HTTP status, where there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// How long the provider asks to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Whether the same call may succeed when it is made again.
    #[must_use]
    pub fn retryable(&self) -> bool {
        self.retryable
    }
}

/// A text without words that look like a key (`sk-…`) or follow `Bearer`.
fn without_keys(text: &str) -> String {
    let mut bearer = false;
    let each = text.split_inclusive(char::is_whitespace).map(|part| {
        let word = part.trim_end();
        let inner = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let secret = bearer || (inner.starts_with("sk-") && inner.len() > 8);
        bearer = inner.eq_ignore_ascii_case("bearer");
        if secret { format!("[key]{}", &part[word.len()..]) } else { part.to_owned() }
    });
    each.collect()
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.earlier.is_empty() {
            f.write_str("all models failed:")?;
            for error in &self.earlier {
                write!(f, "\n- {error}")?;
            }
            f.write_str("\n- ")?;
        }
        write!(f, "model `{}` failed", self.model)?;
        if let Some(status) = self.status {
            write!(f, " with status {status}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl StdError for ModelError {}
