//! `step`, `step_if`: one block, once.

use std::fmt;

use super::Site;
use crate::block::{Block, Keeps, Takes, dispatch};
use crate::error::Result;
use crate::scope::At;

/// A block, what it is given, and where it runs.
pub struct Call<'a, B: Block> {
    block: B,
    input: B::Input,
    at: At<'a>,
}

impl<'a, B: Block> Call<'a, B> {
    #[inline]
    pub(super) fn new(block: B, input: B::Input, at: At<'a>) -> Self {
        Self { block, input, at }
    }

    #[doc(hidden)]
    #[inline]
    pub async fn go(self) -> Result<B::Output> {
        dispatch(&self.block, self.input, self.at).await
    }
}

impl<B: Block> fmt::Debug for Call<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({}, {:?})", B::HEAD.name, self.at)
    }
}

/// A step that may be left out.
#[derive(Debug)]
pub struct StepIf<'a, B: Block, V>(Chosen<'a, B, V>);

enum Chosen<'a, B: Block, V> {
    // the function does nothing: with it the value keeps its type even where the block does not fit
    Run(Call<'a, B>, fn(B::Output) -> V),
    Keep(V),
}

impl<B: Block, V> fmt::Debug for Chosen<'_, B, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(call, _) => call.fmt(f),
            Self::Keep(_) => f.write_str("Keep"),
        }
    }
}

impl<B: Block, V> StepIf<'_, B, V> {
    #[doc(hidden)]
    #[inline]
    pub async fn go(self) -> Result<V> {
        match self.0 {
            Chosen::Run(call, same) => call.go().await.map(same),
            Chosen::Keep(value) => Ok(value),
        }
    }
}

impl<'a, C> Site<'a, C> {
    /// Runs a block with the value; its output is the value from here on.
    ///
    /// `step(block)`, or with a connector that makes the block's input of the value: `step(|value| …, block)`.
    #[inline]
    pub fn step<V, B: Takes<V>>(self, value: V, block: B) -> Call<'a, B> {
        Call::new(block, value, self.scope.child(self.place))
    }

    /// As [`step`](Self::step), for a block that is an expression.
    #[doc(hidden)]
    #[inline]
    pub fn step_value<B: Block>(self, value: B::Input, block: B) -> Call<'a, B> {
        Call::new(block, value, self.scope.child(self.place))
    }

    /// Runs a block where the condition holds; else the value stays as it is. The block returns what it takes.
    ///
    /// `step_if(|value| …, block)`, or with a connector: `step_if(|value| …, |value| …, block)`.
    #[inline]
    pub fn step_if<V, B>(self, value: V, condition: bool, block: B) -> StepIf<'a, B, V>
    where
        B: Keeps<V>,
    {
        StepIf(if condition {
            Chosen::Run(self.step(value, block), |output| output)
        } else {
            Chosen::Keep(value)
        })
    }
}
