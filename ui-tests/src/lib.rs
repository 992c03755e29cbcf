//! The compile errors of flowstate, pinned: see `tests/ui.rs`.
