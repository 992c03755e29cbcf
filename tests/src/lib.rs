//! What flowstate does, topic by topic, over its public API.
#![cfg(test)]
#![allow(missing_docs, missing_debug_implementations)]

mod aborting;
#[cfg(any(feature = "openai", feature = "genai"))]
mod adapters;
mod address;
mod attempts;
mod block_forms;
mod canonical;
mod capabilities;
mod capability_tools;
mod chain;
mod concurrency;
mod configured;
mod contracts;
mod endings;
mod errors;
mod fanout;
mod flows;
mod formatting;
#[cfg(feature = "genai")]
mod genai;
mod generators;
mod groups;
mod history;
mod items;
mod live;
#[cfg(any(feature = "openai", feature = "genai"))]
mod loopback;
mod models;
mod named;
#[cfg(feature = "openai")]
mod openai;
mod outputs;
mod readme;
mod recursion;
mod repairing;
mod rescue;
mod rooms;
mod routers;
mod run_app;
mod searching;
mod sessions;
mod settled;
mod shutdown;
mod side_chains;
#[cfg(feature = "spans")]
mod spans;
mod state_model;
mod state_ops;
mod stored;
mod stores;
mod testing;
mod tool_cache;
mod turns;
mod waiting;
