//! What flowstate does, topic by topic, over its public API.
#![cfg(test)]
#![allow(missing_docs, missing_debug_implementations)]

mod canonical;
mod readme;
