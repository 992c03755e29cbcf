//! The macros of `flowstate`: syntax in, tokens out. Use them through the crate `flowstate`, where they are documented.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod as_block;
mod block;
mod capability;
mod cfg;
mod chain;
mod contract;
mod cx;
mod data;
mod derive;
mod flow;
mod options;
mod state;
mod states;
mod stored;
#[cfg(test)]
mod tests;
mod text;

use proc_macro::TokenStream;

/// Makes a function a block: `#[block(handler, state = Note, parent = Plan)]`.
///
/// The kind comes first: `handler`, `sequencer`, `router` or `generator`. The function takes its input and, if it wants one, its
/// context (`ctx: Ctx`), and returns a `Result`. A sequencer is a `fn` whose body is one chain of methods on its input, or an
/// `async fn` that runs blocks by `ctx.step(block, input).await?`. A router's function returns which of its `routes` is run, a
/// generator's a `Prompt`, which its `model` is asked.
///
/// Options: `state`, `parent`, `sequencer`, `targets(…)`, `request`, `session`, `user`, `org`, `needs`, `uses`,
/// `reads`, `writes`, `feeds`, `steps` (of an async
/// sequencer), `routes` (of a router), `model`, `tools` and `repair` (of a generator), `timeout`, `retry(…)`, `visibility(…)`,
/// `transient`, `name`, `description`, `crate`. What they mean is in the guide's pages `blocks` and `addresses`.
#[proc_macro_attribute]
pub fn block(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("block", args, item, block::expand)
}

/// Makes a unit struct a capability, and the functions of its `impl` what blocks call as `ctx.cap.<name>`.
///
/// On the struct stand the options: what it brings to each block with `uses = [Skills]`. On an `impl` of it, which has no
/// options but `crate`, each function that takes `ctx: &Ctx` first is called as `ctx.cap.skills.function(…)`.
///
/// Options: `state`, `request`, `session`, `user`, `org`, `sequencer`, `targets(…)`, `uses`, `config`, `presets(…)`,
/// `required`, `timeout`, `retry(…)`, `visibility(…)`, `transient`, `name`, `crate`. What they mean is in the guide's page
/// `capabilities`.
#[proc_macro_attribute]
pub fn capability(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("capability", args, item, capability::expand)
}

/// Makes a state a contract: changed by its reducers alone, seen by its readers alone. It stands on an `impl` of the state.
///
/// In the `impl`: `#[reducer] fn add(&mut self, note: String)`, which may return `Result<(), String>`;
/// `#[reader] fn list(&self) -> String`, which may take its budget, `budget: u32`;
/// `#[validate] fn check(&self) -> Result<(), String>`; `#[repair] fn mend(stored: serde_json::Value) -> serde_json::Value`;
/// `#[migrate(from = 1)]`, likewise. Other functions stay as they are.
///
/// Options: `scope = session | user | org`, whose it is; `version = 2`, of its shape; `crate`. The guide's page is `contracts`.
#[proc_macro_attribute]
pub fn contract(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("contract", args, item, contract::expand)
}

/// Makes a struct with named fields a state that blocks can hold.
///
/// Options: `key = "…"`, the name it is stored under; `crate`. Options of a field, as `#[state(…)]`: `default = …`, what it
/// starts as; `validate = …`, a function from `&T` to `Result<(), String>`; `transient`.
///
/// It derives `Clone`, `Debug`, `Serialize`, `Deserialize` and `JsonSchema`, but for those that are derived below it, and
/// `Default` from the fields' defaults. The guide's page is `state`.
#[proc_macro_attribute]
pub fn state(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("state", args, item, state::expand)
}

/// Makes a struct or an enum a value that can go in and out of blocks.
///
/// It derives `Clone`, `Debug`, `Serialize`, `Deserialize` and `JsonSchema`, but for those that are derived below it.
#[proc_macro_attribute]
pub fn data(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("data", args, item, data::expand)
}

/// Makes a struct a flow, as an attribute: `#[flowstate::flow(kind = "…")]`; else the same as the macro `flow!`.
#[proc_macro_attribute]
pub fn flow_attribute(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("flow", args, item, flow::expand)
}

/// Makes a struct a flow: `flow! { #[flow(kind = "…")] pub struct Name { pub entry: block } }`.
///
/// Each field is an action, and its type is a block. `Name::entry` then stands for the action. The compiler checks that
/// every block below an action finds the state it reaches for. The guide's page is `flows`.
#[proc_macro]
pub fn flow(item: TokenStream) -> TokenStream {
    cx::function("flow", item, flow::expand_bang)
}

/// The work of `#[state]`, where `#[cfg]` on fields is already applied. Not for use by hand.
#[doc(hidden)]
#[proc_macro_derive(StateFields, attributes(flowstate))]
pub fn state_fields(item: TokenStream) -> TokenStream {
    cx::function("state", item, derive::expand)
}

/// What `#[block]` does for a function, for a type that implements `Block` by hand.
#[proc_macro_derive(AsBlock, attributes(block))]
pub fn as_block(item: TokenStream) -> TokenStream {
    cx::function("AsBlock", item, as_block::expand)
}
