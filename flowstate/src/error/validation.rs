//! JSON that does not fit.

use std::error::Error as StdError;
use std::fmt;

/// JSON does not fit the type that it was to become, or a value cannot be JSON ([`code::VALIDATION_ERROR`](super::code::VALIDATION_ERROR)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    of: String,
    path: String,
    message: String,
}

impl ValidationError {
    /// In `of`, "the input of …", at the path as `serde_path_to_error` writes it.
    pub(crate) fn new(of: String, path: String, message: String) -> Self {
        // its word for the whole
        let path = if path == "." { String::new() } else { path };
        Self { of, path, message }
    }

    /// The field: `items[2].price`; empty where the whole does not fit.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with it: "invalid type: string, expected u32".
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not fit: ", self.of)?;
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl StdError for ValidationError {}
