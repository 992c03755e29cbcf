//! Blocks as tools of a generator: what a model is told of them. Elsewhere they are the block inside.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::adapt::Over;
use super::{Attempt as _, Block, IntoBlock, Once, Returns, Takes};
use crate::error::Result;
use crate::schema::{BlockDef, Head};
use crate::scope::At;
use crate::state::Cells;

/// What a model is told of a block.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolText {
    pub name: Option<&'static str>,
    pub description: Option<&'static str>,
}

/// The option `cacheable`: how a tool's outputs are kept.
#[doc(hidden)]
#[derive(Debug)]
pub struct Caching<I> {
    /// For how long.
    pub ttl: Duration,
    /// Whether for the session, and not for the request alone.
    pub session: bool,
    /// What calls are known by; `None` where that is no JSON.
    pub key: fn(&I) -> Option<String>,
}

/// What calls of a tool are known by.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "calls cannot be known by `{Self}`, which is no JSON",
    label = "gives a `{Self}`",
    note = "what `key` gives is a text, a number or anything else that is `Serialize`: `fn key(input: &Input) -> String`"
)]
pub trait KeyOf: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> KeyOf for T {}

/// A value as JSON with the keys of its objects in order.
#[doc(hidden)]
pub fn cache_key<T: KeyOf>(of: &T) -> Option<String> {
    match serde_json::to_value(of) {
        Ok(mut json) => {
            // in order already, unless a feature of `serde_json` says otherwise
            json.sort_all_objects();
            Some(json.to_string())
        }
        Err(error) => {
            tracing::warn!(%error, "a call of a tool is not kept: its key is no JSON");
            None
        }
    }
}

/// A block with a name and a description of its own as a tool, by [`as_tool`](IntoBlock::as_tool).
#[derive(Clone)]
pub struct AsTool<B> {
    block: B,
    text: ToolText,
}

impl<B> AsTool<B> {
    pub(super) fn new(block: B, name: &'static str, description: &'static str) -> Self {
        Self { block, text: ToolText { name: Some(name), description: Some(description) } }
    }
}

/// A block that shows a model a text of its output, by [`map_model_output`](IntoBlock::map_model_output).
#[derive(Clone)]
pub struct MapModelOutput<B, F> {
    block: B,
    function: F,
}

impl<B, F> MapModelOutput<B, F> {
    pub(super) fn new(block: B, function: F) -> Self {
        Self { block, function }
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block> fmt::Debug for AsTool<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AsTool({})", B::HEAD.name)
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block, F> fmt::Debug for MapModelOutput<B, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapModelOutput({})", B::HEAD.name)
    }
}

/// Runs the block inside.
macro_rules! inside {
    () => {
        type Input = B::Input;
        type Output = B::Output;
        const HEAD: &'static Head = B::HEAD;
        const DEF: &'static BlockDef = &Over::<B>::DEF;

        fn caching(&self) -> Option<Caching<B::Input>> {
            self.block.caching()
        }

        async fn run(&self, input: B::Input, at: At<'_>) -> Result<B::Output> {
            B::Attempt::attempt(&self.block, input, at, None::<&()>).await
        }

        async fn run_in<'a, X: Cells>(
            &'a self,
            input: B::Input,
            at: At<'a>,
            cells: Option<&'a X>,
        ) -> Result<B::Output> {
            B::Attempt::attempt(&self.block, input, at, cells).await
        }
    };
}

#[diagnostic::do_not_recommend]
impl<B: Block> IntoBlock for AsTool<B> {
    type Block = Self;
    type Attempt = Once;
    fn into_block(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block> Block for AsTool<B> {
    inside!();

    fn tool(&self) -> ToolText {
        self.text
    }

    fn shown(&self, output: &B::Output) -> Option<String> {
        self.block.shown(output)
    }
}

#[diagnostic::do_not_recommend]
impl<B: Takes<I>, I> Takes<I> for AsTool<B> {}
#[diagnostic::do_not_recommend]
impl<B: Returns<O>, O> Returns<O> for AsTool<B> {}

#[diagnostic::do_not_recommend]
impl<B: Block, F: 'static> IntoBlock for MapModelOutput<B, F>
where
    F: Fn(&B::Output) -> String + Clone + Send + Sync,
{
    type Block = Self;
    type Attempt = Once;
    fn into_block(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<B: Block, F> Block for MapModelOutput<B, F>
where
    F: Fn(&B::Output) -> String + Clone + Send + Sync + 'static,
{
    inside!();

    fn tool(&self) -> ToolText {
        self.block.tool()
    }

    fn shown(&self, output: &B::Output) -> Option<String> {
        Some((self.function)(output))
    }
}

#[diagnostic::do_not_recommend]
impl<B: Takes<I>, F, I> Takes<I> for MapModelOutput<B, F> where Self: Block<Input = I> {}
#[diagnostic::do_not_recommend]
impl<B: Returns<O>, F, O> Returns<O> for MapModelOutput<B, F> where Self: Block<Output = O> {}
