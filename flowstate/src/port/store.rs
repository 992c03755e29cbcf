//! Where the states of sessions, users and organisations are kept.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use crate::error::BoxError;
use crate::schema::Reach;

/// What a store answers, later.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send + 'a>>;

/// Keeps states as JSON, each with a version. All that it must do is to swap a value for a newer one in one go.
///
/// Several processes may share what is behind it: whoever read an older version than there is gets a
/// [`Swap::Conflict`], and tries again. [`conformance`](crate::store::conformance) checks an implementation.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
/// use flowstate::schema::Reach;
/// use flowstate::store::{Answer, Key, Record, Store, Swap};
/// use serde_json::Value;
///
/// #[derive(Default)]
/// struct Table(Mutex<(u64, HashMap<Key, Record>)>);
///
/// impl Store for Table {
///     fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
///         Box::pin(async move { Ok(self.0.lock().unwrap().1.get(key).cloned()) })
///     }
///
///     fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
///         Box::pin(async move {
///             let (last, table) = &mut *self.0.lock().unwrap();
///             let found = table.get(key);
///             if found.map(|found| found.version) != expected {
///                 return Ok(Swap::Conflict(found.cloned()));
///             }
///             // the number of the write, so that no key has a version twice
///             *last += 1;
///             table.insert(key.clone(), Record { version: *last, value });
///             Ok(Swap::Done(*last))
///         })
///     }
///
///     fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
///         Box::pin(async move {
///             self.0.lock().unwrap().1.retain(|key, _| key.reach != reach || key.id != id);
///             Ok(())
///         })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// flowstate::store::conformance(&Table::default()).await;
/// # }
/// ```
pub trait Store: Send + Sync + 'static {
    /// What is kept under this key; `None` where nothing ever was.
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>>;

    /// Puts a value in the place of the version that the caller has seen (`None`: of nothing), and gives it a higher one.
    ///
    /// A key never has a version twice: what is made anew after a [`remove`](Self::remove) begins above all that was there, so
    /// that whoever saw the old one meets a conflict, also after a restart. A store may count all its writes for that, or
    /// keep the highest version that it has removed.
    ///
    /// It compares and writes in one go, and answers once the value would survive a crash. Where another version is there,
    /// nothing is written. A caller that drops the answer does not know whether it was.
    ///
    /// An app gives it no value that is nested deeper than 100 levels, which might not be read again.
    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap>;

    /// Forgets all that is kept of one session, user or organisation, and answers once that would survive a crash.
    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()>;
}

impl<T: Store + ?Sized> Store for Arc<T> {
    fn load<'a>(&'a self, key: &'a Key) -> Answer<'a, Option<Record>> {
        (**self).load(key)
    }

    fn swap<'a>(&'a self, key: &'a Key, expected: Option<u64>, value: Value) -> Answer<'a, Swap> {
        (**self).swap(key, expected, value)
    }

    fn remove<'a>(&'a self, reach: Reach, id: &'a str) -> Answer<'a, ()> {
        (**self).remove(reach, id)
    }
}

/// What a value is kept under.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// What it belongs to: a session, a user or an organisation.
    pub reach: Reach,
    /// Whose it is; any text.
    pub id: String,
    /// The state's key, `#[state(key = "…")]`; any text.
    pub state: Cow<'static, str>,
}

impl Key {
    /// A key.
    pub fn new(reach: Reach, id: impl Into<String>, state: impl Into<Cow<'static, str>>) -> Self {
        Self { reach, id: id.into(), state: state.into() }
    }

    /// Where values that could not be read are put aside.
    pub(crate) fn quarantine(&self) -> Self {
        Self { state: format!("{}!quarantine", self.state).into(), ..self.clone() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of {} {:?}", self.state, self.reach.word(), self.id)
    }
}

/// A value, and which version of it this is.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Grows with each write, also over removals; not always by one.
    pub version: u64,
    /// The value.
    pub value: Value,
}

/// How a [`swap`](Store::swap) ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Swap {
    /// The value is kept, under this version.
    Done(u64),
    /// Another version is there than the caller has seen: this one.
    Conflict(Option<Record>),
}
