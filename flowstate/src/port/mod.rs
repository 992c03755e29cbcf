//! The traits that the outside implements, and the plain data that goes through them.

mod store;

pub use store::{Answer, Key, Record, Store, Swap};
