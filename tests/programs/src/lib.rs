//! Random sequencer programs: flowstate against a plain interpreter of the same trees.
//!
//! The build script makes trees from fixed seeds (`generate`) and writes them as sequencers (`render`).
//! The test makes the same trees, evaluates each without flowstate (`interpret`), and compares.
#![cfg(test)]
#![allow(missing_docs, missing_debug_implementations)]

mod generate;
mod interpret;
#[allow(dead_code)] // how functions are written matters to the build script alone
mod tree;

/// The blocks that programs are made of.
mod blocks;

/// What the build script wrote.
#[allow(clippy::all, clippy::pedantic, unused_variables, unused_mut, unused_assignments)]
mod programs {
    use super::blocks::*;

    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

mod compare;
