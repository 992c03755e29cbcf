//! Generators: a model that is asked in a loop, and the blocks that are its tools.
//!
//! The guide's page is [`generators`](crate::guide::generators).

mod ask;
mod output;
mod prompt;
mod run;
mod tools;

pub use prompt::{Progress, Prompt, ToolKey};
#[doc(hidden)]
pub use run::{Generation, Repair};
#[doc(hidden)]
pub use tools::{DeclaredTool, tool};
