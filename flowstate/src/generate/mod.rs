//! What a call of a model is made of, and what its answer becomes.

pub mod format;
mod plain;
mod repair;
mod tags;

pub use repair::repair;
