//! The macros as functions from tokens to tokens, without a compiler around them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fuzz;
mod half_typed;
mod reference;
mod shown;

use proc_macro2::TokenStream;

use crate::cx::{run_attribute, run_function};
use crate::{block, capability, data, derive, flow, state};

/// One of the macros.
#[derive(Clone, Copy, Debug)]
enum Macro {
    Block,
    Capability,
    State,
    Data,
    Flow,
    FlowBang,
    StateFields,
}

const ALL: [Macro; 7] = [
    Macro::Block,
    Macro::Capability,
    Macro::State,
    Macro::Data,
    Macro::Flow,
    Macro::FlowBang,
    Macro::StateFields,
];

fn expand(which: Macro, args: TokenStream, item: TokenStream) -> TokenStream {
    match which {
        Macro::Block => run_attribute("block", args, item, block::expand),
        Macro::Capability => run_attribute("capability", args, item, capability::expand),
        Macro::State => run_attribute("state", args, item, state::expand),
        Macro::Data => run_attribute("data", args, item, data::expand),
        Macro::Flow => run_attribute("flow", args, item, flow::expand),
        Macro::FlowBang => run_function("flow", item, flow::expand_bang),
        Macro::StateFields => run_function("state", item, derive::expand),
    }
}

/// The expansion as one text, with single blanks.
fn text(which: Macro, args: &str, item: &str) -> String {
    let out = expand(which, args.parse().unwrap(), item.parse().unwrap()).to_string();
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn errors(out: &str) -> usize {
    out.matches("compile_error !").count()
}
