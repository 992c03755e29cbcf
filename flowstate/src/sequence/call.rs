//! `step`, `step_if`: one block, once.

use std::fmt;

use super::Site;
use crate::block::{Block, Returns, Takes, dispatch};
use crate::error::Result;
use crate::scope::At;

/// A block, what it is given, and where it runs.
pub struct Call<'a, B: Block> {
    block: &'a B,
    input: B::Input,
    at: At<'a>,
}

impl<'a, B: Block> Call<'a, B> {
    #[doc(hidden)]
    #[inline]
    pub fn go(self) -> impl Future<Output = Result<B::Output>> + Send + use<'a, B> {
        dispatch(self.block, self.input, self.at)
    }
}

impl<B: Block> fmt::Debug for Call<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({}, {:?})", B::HEAD.name, self.at)
    }
}

/// A step that may be left out.
pub struct StepIf<'a, B: Block>(Chosen<'a, B>);

enum Chosen<'a, B: Block> {
    Run(Call<'a, B>),
    Keep(B::Output),
}

impl<B: Block> fmt::Debug for StepIf<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Chosen::Run(call) => call.fmt(f),
            Chosen::Keep(_) => f.write_str("Keep"),
        }
    }
}

impl<B: Block> StepIf<'_, B> {
    #[doc(hidden)]
    #[inline]
    pub async fn go(self) -> Result<B::Output> {
        match self.0 {
            Chosen::Run(call) => call.go().await,
            Chosen::Keep(value) => Ok(value),
        }
    }
}

impl<C> Site<'_, C> {
    /// Runs a block with the value; its output is the value from here on.
    ///
    /// `step(block)`, or with a connector that makes the block's input of the value: `step(|value| …, block)`.
    #[inline]
    pub fn step<'s, V, B: Takes<V>>(&'s self, value: V, block: &'s B) -> Call<'s, B> {
        Call { block, input: value, at: At::new(&self.link) }
    }

    /// As [`step`](Self::step), for a block that is an expression.
    #[doc(hidden)]
    #[inline]
    pub fn step_value<'s, B: Block>(&'s self, value: B::Input, block: &'s B) -> Call<'s, B> {
        Call { block, input: value, at: At::new(&self.link) }
    }

    /// Runs a block where the condition holds; else the value stays as it is. The block returns what it takes.
    ///
    /// `step_if(|value| …, block)`, or with a connector: `step_if(|value| …, |value| …, block)`.
    #[inline]
    pub fn step_if<'s, V, B>(&'s self, value: V, condition: bool, block: &'s B) -> StepIf<'s, B>
    where
        B: Takes<V> + Returns<V>,
    {
        StepIf(if condition {
            Chosen::Run(self.step(value, block))
        } else {
            Chosen::Keep(value)
        })
    }
}
