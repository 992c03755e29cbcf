//! `step`, `step_if`: one block, once.

use std::fmt;
use std::marker::PhantomData;

use super::Site;
use super::each::{ForEach, Many};
use super::fit::{InputIs, ItemIs, Kept, ReplacementIs};
use super::flow::Like;
use crate::block::{Block, Ends, Keeps, Repeats, Replaces, Rescued, Takes, dispatch_in};
use crate::error::Result;
use crate::scope::At;
use crate::state::Cells;

/// A block, what it is given, and where it runs.
pub struct Call<'a, B: Block, X> {
    block: &'a B,
    input: B::Input,
    at: At<'a>,
    cells: &'a X,
}

impl<'a, B: Block, X: Cells> Call<'a, B, X> {
    #[doc(hidden)]
    #[inline]
    pub fn go(self) -> impl Future<Output = Result<B::Output>> + Send + use<'a, B, X> {
        dispatch_in(self.block, self.input, self.at, Some(self.cells))
    }

    /// The same in a way of its own: with `on_settled`, with `abort_signal`.
    #[doc(hidden)]
    #[inline]
    pub fn by<F>(self, run: impl FnOnce(Self) -> F) -> F {
        run(self)
    }

    pub(super) fn at(&self) -> At<'a> {
        self.at
    }
}

impl<B: Block, X> fmt::Debug for Call<'_, B, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({}, {:?})", B::HEAD.name, self.at)
    }
}

/// One run of a block that is repeated, and what makes its output the next value.
type Pass<'s, B, V, X> = (Call<'s, B, X>, fn(<B as Block>::Output) -> V);

/// A step that may be left out.
pub struct StepIf<'a, B: Block, V, X>(Chosen<'a, B, V, X>);

enum Chosen<'a, B: Block, V, X> {
    // the function does nothing: with it the value keeps its type even where the block does not fit
    Run(Call<'a, B, X>, fn(B::Output) -> V),
    Keep(V),
}

impl<B: Block, V, X> fmt::Debug for StepIf<'_, B, V, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Chosen::Run(call, _) => call.fmt(f),
            Chosen::Keep(_) => f.write_str("Keep"),
        }
    }
}

impl<'a, B: Block, V, X: Cells> StepIf<'a, B, V, X> {
    #[doc(hidden)]
    #[inline]
    pub async fn go(self) -> Result<V> {
        match self.0 {
            Chosen::Run(call, same) => call.go().await.map(same),
            Chosen::Keep(value) => Ok(value),
        }
    }

    /// As [`by`](Call::by) of a step.
    #[doc(hidden)]
    pub async fn by<F>(self, run: impl FnOnce(Call<'a, B, X>) -> F) -> Result<V>
    where
        F: Future<Output = Result<B::Output>>,
    {
        match self.0 {
            Chosen::Run(call, same) => run(call).await.map(same),
            Chosen::Keep(value) => Ok(value),
        }
    }
}

impl<C, X: Cells> Site<'_, C, X> {
    /// Runs a block with the value; its output is the value from here on.
    ///
    /// `step(block)`, or with a connector that makes the block's input of the value: `step(|value| …, block)`.
    #[inline]
    pub fn step<'s, V, B: Takes<V>>(&'s self, value: V, block: &'s B) -> Call<'s, B, X> {
        Call { block, input: value, at: At::new(&self.link), cells: self.seq.cells }
    }

    /// Runs a block where the condition holds; else the value stays as it is. The block returns what it takes.
    ///
    /// `step_if(|value| …, block)`, or with a connector: `step_if(|value| …, |value| …, block)`.
    #[inline]
    pub fn step_if<'s, V, B>(
        &'s self,
        value: V,
        condition: bool,
        block: &'s B,
    ) -> StepIf<'s, B, V, X>
    where
        B: Keeps<V>,
    {
        StepIf(if condition {
            Chosen::Run(self.step(value, block), |output| output)
        } else {
            Chosen::Keep(value)
        })
    }

    /// What a step that may be left out and has a connector returned, as the value.
    #[doc(hidden)]
    #[inline]
    pub fn replaced<V, B: Replaces<V>>(&self, _: Like<V>, output: B::Output, _: &B) -> V {
        output
    }

    /// As [`replaced`](Self::replaced), of a block that is an expression.
    #[doc(hidden)]
    #[inline]
    pub fn replaced_value<V, O: ReplacementIs<V>>(&self, _: Like<V>, output: O) -> V {
        output.value()
    }

    /// A step that is repeated with what it returned.
    #[doc(hidden)]
    #[inline]
    pub fn repeat<'s, V, B: Repeats<V>>(&'s self, value: V, block: &'s B) -> Pass<'s, B, V, X> {
        (self.step(value, block), |output| output)
    }

    /// Runs the block of a `rescue` that ends a chain.
    #[doc(hidden)]
    #[inline]
    pub fn rescue<'s, V, B>(
        &'s self,
        _: Like<V>,
        failure: Rescued,
        block: &'s B,
    ) -> StepIf<'s, B, V, X>
    where
        B: Ends<V>,
    {
        StepIf(Chosen::Run(self.step(failure, block), |output| output))
    }
}

/// A block that is an expression, with what it takes and returns: so each is known before a value is held against it.
#[doc(hidden)]
pub struct Of<'s, B, I, O, C, X> {
    site: &'s Site<'s, C, X>,
    block: &'s B,
    types: PhantomData<fn(I) -> O>,
}

impl<B: Block, I, O, C, X> fmt::Debug for Of<'_, B, I, O, C, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Of({})", B::HEAD.name)
    }
}

impl<'a, C, X: Cells> Site<'a, C, X> {
    /// With a block that is an expression.
    #[doc(hidden)]
    #[inline]
    pub fn of<'s, B: Block>(&'s self, block: &'s B) -> Of<'s, B, B::Input, B::Output, C, X>
    where
        'a: 's,
    {
        Of { site: self, block, types: PhantomData }
    }
}

impl<'s, B, I, O, C, X> Of<'s, B, I, O, C, X>
where
    B: Block<Input = I, Output = O>,
    X: Cells,
{
    /// As [`step`](Site::step).
    #[inline]
    pub fn step_value<V: InputIs<I>>(self, value: V) -> Call<'s, B, X> {
        let Self { site, block, .. } = self;
        Call { block, input: value.input(), at: At::new(&site.link), cells: site.seq.cells }
    }

    /// As [`step_if`](Site::step_if).
    #[inline]
    pub fn step_if_value<V: Kept<I, O>>(self, value: V, condition: bool) -> StepIf<'s, B, V, X> {
        StepIf(if condition {
            Chosen::Run(self.step_value(value.input()), V::output)
        } else {
            Chosen::Keep(value)
        })
    }

    /// As [`repeat`](Site::repeat).
    #[inline]
    pub fn repeat_value<V: Kept<I, O>>(self, value: V) -> Pass<'s, B, V, X> {
        (self.step_value(value.input()), V::output)
    }

    /// As [`for_each`](Site::for_each).
    #[inline]
    pub fn for_each_value<V: Many>(self, value: V) -> ForEach<'s, B, X>
    where
        I: 'static,
        V::Item: ItemIs<I> + 'static,
    {
        self.site.each(Box::new(value.items().map(ItemIs::item)), self.block)
    }
}
