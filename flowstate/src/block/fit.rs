//! What a block's input and output are to the value of a chain.

use super::{Block, Rescued};

/// A block's input, by which a step that does not fit is explained; each block has exactly one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `{V}`",
    label = "the value at this step is `{V}`",
    note = "put a `map` before it (`try_map` where that may fail), or a connector first: `(|value| …, {Self})`"
)]
pub trait Takes<V>: Block<Input = V> {}

/// A block's output, by which a value that does not fit is explained; each block has exactly one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not return `{V}`",
    label = "the value here is `{V}`",
    note = "a sequencer returns the value its chain ends with; a step that may be skipped or repeated returns what it takes"
)]
pub trait Returns<V>: Block<Output = V> {}

/// A block that returns what it takes, by which a step that may be left out is explained.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take and return `{V}`",
    label = "the value at this step is `{V}`",
    note = "a step that may be left out returns what it takes, for the value goes on without it"
)]
pub trait Keeps<V>: Takes<V> + Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Takes<V> + Returns<V>> Keeps<V> for B {}

/// A block that may be left out and has a connector, by which one that does not fit is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not return `{V}`",
    label = "the value at this step is `{V}`",
    note = "a step that may be left out returns what the value is, for it goes on without it; `{Self}.connect_output(|output| …)` changes what it returns"
)]
pub trait Replaces<V>: Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Returns<V>> Replaces<V> for B {}

/// A block that is repeated, by which one that does not fit is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take and return `{V}`",
    label = "the value at this step is `{V}`",
    note = "a block that is repeated returns what it takes, for it is given its own output"
)]
pub trait Repeats<V>: Takes<V> + Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Takes<V> + Returns<V>> Repeats<V> for B {}

/// A block beside others, by which an output that is not theirs is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not return `{V}`, as the blocks beside it do",
    label = "the others return `{V}`",
    note = "one value goes on, so all of them return one type; `{Self}.connect_output(|output| …)` changes what it returns"
)]
pub trait Agrees<V>: Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Returns<V>> Agrees<V> for B {}

/// The block of a `rescue` that ends a chain, by which one that does not fit is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `Rescued` and return `{V}`",
    label = "the sequencer returns `{V}`",
    note = "the block of a `rescue` is given the failure, `Rescued`, and its output is what the sequencer returns"
)]
pub trait Ends<V>: Takes<Rescued> + Returns<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Takes<Rescued> + Returns<V>> Ends<V> for B {}
