//! A block that an expression makes, in an async sequencer.

use super::{Attempt as _, Block, IntoBlock, Once, Returns, Takes};
use crate::error::Result;
use crate::schema::{BlockDef, Head};
use crate::scope::At;
use crate::state::Cells;

/// A block of which the macro has seen the expression that makes it. Else it is the block itself.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Noted<B>(B);

/// The block of an expression that the macro has seen.
#[doc(hidden)]
pub fn noted<B: IntoBlock>(block: B) -> Noted<B::Block> {
    Noted(block.into_block())
}

#[diagnostic::do_not_recommend]
impl<B: Block> IntoBlock for Noted<B> {
    type Block = Self;
    type Attempt = Once;
    #[inline]
    fn into_block(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block> Block for Noted<B> {
    type Input = B::Input;
    type Output = B::Output;
    const HEAD: &'static Head = B::HEAD;
    const DEF: &'static BlockDef = B::DEF;

    #[inline]
    fn run<'a>(
        &'a self,
        input: B::Input,
        at: At<'a>,
    ) -> impl Future<Output = Result<B::Output>> + Send {
        B::Attempt::attempt(&self.0, input, at, None::<&()>)
    }

    #[inline]
    fn run_in<'a, X: Cells>(
        &'a self,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> impl Future<Output = Result<B::Output>> + Send {
        B::Attempt::attempt(&self.0, input, at, cells)
    }
}

#[diagnostic::do_not_recommend]
impl<V, B: Takes<V>> Takes<V> for Noted<B> {}
#[diagnostic::do_not_recommend]
impl<V, B: Returns<V>> Returns<V> for Noted<B> {}
