//! The macros of `flowstate`: syntax in, tokens out. Use them through the crate `flowstate`, where they are documented.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod block;
mod chain;
mod cx;
mod data;
mod derive;
mod flow;
mod options;
mod state;
#[cfg(test)]
mod tests;
mod text;

use proc_macro::TokenStream;

/// Makes a function a block: `#[block(handler, state = Note, parent = Plan)]`.
#[proc_macro_attribute]
pub fn block(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("block", args, item, block::expand)
}

/// Makes a struct a state that blocks can hold.
#[proc_macro_attribute]
pub fn state(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("state", args, item, state::expand)
}

/// Makes a struct or an enum a value that can go in and out of blocks.
#[proc_macro_attribute]
pub fn data(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("data", args, item, data::expand)
}

/// Makes a struct a flow, as an attribute: `#[flowstate::flow(kind = "…")]`.
#[proc_macro_attribute]
pub fn flow_attribute(args: TokenStream, item: TokenStream) -> TokenStream {
    cx::attribute("flow", args, item, flow::expand)
}

/// Makes a struct a flow: `flow! { #[flow(kind = "…")] pub struct Name { pub entry: block } }`.
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
