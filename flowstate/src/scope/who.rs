//! Whose a request is.

use std::borrow::Cow;

/// Whose request it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Who {
    /// The session; one that ends with the request where none is named.
    pub session: Option<String>,
    /// The user.
    pub user: Option<String>,
    /// The tenant: sessions of one are none of another.
    pub tenant: Option<String>,
    /// The organisation.
    pub org: Option<String>,
}

impl Who {
    /// What the session's states are kept under: its id, and its tenant before it where it has one. No two sessions have one.
    pub(crate) fn kept_session(&self) -> Option<Cow<'_, str>> {
        Some(kept_session(self.tenant.as_deref(), self.session.as_deref()?))
    }
}

/// The same, of a tenant's session.
pub(crate) fn kept_session<'a>(tenant: Option<&str>, id: &'a str) -> Cow<'a, str> {
    match tenant {
        None if id.starts_with('@') => format!("@/{id}").into(),
        None => id.into(),
        Some("") => format!("@%/{id}").into(),
        Some(tenant) => format!("@{}/{id}", tenant.replace('%', "%25").replace('/', "%2f")).into(),
    }
}
