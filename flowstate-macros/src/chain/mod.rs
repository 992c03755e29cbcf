//! A sequencer whose body is one chain of methods: `input.step(a).map(|v| …).step(b)`.

mod arguments;
mod expand;
mod model;
mod parse;
mod table;

use crate::block::Block;
use crate::cx::Cx;

#[cfg(test)]
pub(crate) use table::METHODS;

/// What the chain adds to its block: its children, and the statements that run it.
pub(crate) fn parts(cx: &Cx, block: &Block) -> crate::block::Parts {
    let ops = parse::parse(cx, block);
    expand::expand(cx, block, &ops)
}
