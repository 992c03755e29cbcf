//! Where the states of sessions, users and organisations are kept: in memory, in files, in SQLite, in Postgres, or in a [`Store`] of one's
//! own.

mod conformance;
mod file;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod worker;

pub use conformance::conformance;
pub use file::FileStore;
#[cfg(feature = "postgres")]
pub use postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

pub use crate::port::{Answer, Key, MemoryStore, Record, Store, Swap};
