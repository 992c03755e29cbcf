//! Small programs that use flowstate: `cargo run --example quickstart`.
