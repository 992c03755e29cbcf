//! `ctx.output_of(block)`: what a block of a sequencer returned last.

use super::{Attempt as _, Block, IntoBlock, Once, Returns, Takes};
use crate::error::Result;
use crate::schema::{BlockDef, Head};
use crate::scope::{At, Base};
use crate::state::Cells;

/// A block whose outputs are kept, for the sequencer that asks for them. Else it is the block itself.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct KeepsOutput<B>(B);

#[diagnostic::do_not_recommend]
impl<B: Block> IntoBlock for KeepsOutput<B> {
    type Block = Self;
    type Attempt = Once;
    fn into_block(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block> Block for KeepsOutput<B> {
    type Input = B::Input;
    type Output = B::Output;
    const HEAD: &'static Head = B::HEAD;
    const DEF: &'static BlockDef = B::DEF;

    async fn run(&self, input: B::Input, at: At<'_>) -> Result<B::Output> {
        self.run_in::<()>(input, at, None).await
    }

    async fn run_in<'a, X: Cells>(
        &'a self,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> Result<B::Output> {
        let output = B::Attempt::attempt(&self.0, input, at, cells).await?;
        at.link().note_output(B::HEAD, output.clone());
        Ok(output)
    }
}

// (recommended, so that it is the block inside which does not fit)
impl<V, B: Takes<V>> Takes<V> for KeepsOutput<B> {}
impl<V, B: Returns<V>> Returns<V> for KeepsOutput<B> {}

/// A block whose outputs the sequencer `Owner` keeps, for it asks for them.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the output of `{Self}` is not kept for `{Owner}`",
    label = "not asked for in the body of `{Owner}`",
    note = "`ctx.output_of({Self})` stands in the body of the sequencer that runs `{Self}`; what a step wants to know of another is its input, or state"
)]
pub trait AsksFor<Owner> {}

/// What no block is: in a context that is no sequencer's, nothing is kept.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the output of `{Self}` is not kept here",
    label = "not in the body of a sequencer that runs `{Self}`",
    note = "`ctx.output_of({Self})` stands in the body of the sequencer that runs `{Self}`; what a step wants to know of another is its input, or state"
)]
pub trait AskedHere {}

impl Base<'_> {
    /// What a block returned when the sequencer last ran it; `None` where no run of it has returned.
    ///
    /// It stands in the body of a sequencer, and names a block that this runs: `ctx.output_of(draft)`. A run that failed
    /// counts for nothing, also where it was rescued. An adapter changes nothing: it is the block's own output. Only the
    /// outputs that a sequencer asks for are kept, and the last of each block, as long as the sequencer runs.
    #[must_use]
    pub fn output_of<B: IntoBlock>(&self, _: B) -> Option<<B::Block as Block>::Output>
    where
        B::Block: AskedHere,
    {
        kept::<B::Block>(self)
    }
}

/// `ctx.output_of`, in the sequencer itself.
#[doc(hidden)]
#[must_use]
pub fn kept<B: Block>(base: &Base<'_>) -> Option<B::Output> {
    base.output(B::HEAD.id)
}
