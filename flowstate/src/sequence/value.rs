//! `map`, `try_map`, `tap` and conditions: the functions between the steps, and what they may return.

use super::Site;
use crate::block::BlockResult;
use crate::error::{Error, Result};
use crate::state::Cells;

/// What a `tap` function ends in: nothing, or a `Result`.
#[diagnostic::on_unimplemented(
    message = "this function ends in `()` or a `Result`, not in `{Self}`",
    label = "it ends in `{Self}`",
    note = "end the line with `;`, or use `map` to change the value"
)]
pub trait TapEnd {
    /// Whether it failed.
    ///
    /// # Errors
    /// The function's own.
    fn end(self) -> Result<()>;
}

impl TapEnd for () {
    fn end(self) -> Result<()> {
        Ok(())
    }
}

impl<T> TapEnd for Result<T, Error> {
    #[inline]
    fn end(self) -> Result<()> {
        self.map(|_| ())
    }
}

/// What a `tap` function ends in that says itself what its error is: as [`TapEnd`], with any error.
#[diagnostic::on_unimplemented(
    message = "this function ends in `()` or a `Result`, not in `{Self}`",
    label = "it ends in `{Self}`",
    note = "end the line with `;`, or use `map` to change the value"
)]
pub trait TapOwn {
    /// Whether it failed.
    ///
    /// # Errors
    /// The function's own.
    fn end(self) -> Result<()>;
}

impl TapOwn for () {
    fn end(self) -> Result<()> {
        Ok(())
    }
}

impl<T, E> TapOwn for Result<T, E>
where
    Self: BlockResult,
{
    #[inline]
    fn end(self) -> Result<()> {
        self.into_result().map(|_| ())
    }
}

/// What a `try_map` function ends in: a `Result`, with any error.
#[diagnostic::on_unimplemented(
    message = "this function ends in a `Result`, not in `{Self}`",
    label = "it ends in `{Self}`",
    note = "use `map` where nothing can fail"
)]
pub trait TryEnd {
    /// What it makes.
    type Ok;
    /// With the error as [`Error`].
    ///
    /// # Errors
    /// The function's own.
    fn end(self) -> Result<Self::Ok>;
}

#[diagnostic::do_not_recommend]
impl<R: BlockResult> TryEnd for R {
    type Ok = R::Ok;
    #[inline]
    fn end(self) -> Result<R::Ok> {
        self.into_result()
    }
}

/// A named function where a condition is wanted: of the value, or of the value and the context.
#[diagnostic::on_unimplemented(
    message = "this is not a condition on `{V}`",
    label = "expected a function of `&{V}` that returns `bool`",
    note = "it may take the sequencer's context as a second argument, `&Ctx<'_, …>`; a block is run by `step`"
)]
pub trait Condition<V, C, Marker> {
    /// Whether it holds.
    fn holds(self, value: &V, ctx: &C) -> bool;
}

/// A named function where a `map` is wanted: of the value, or of the value and the context.
#[diagnostic::on_unimplemented(
    message = "this is not a function of `{V}`",
    label = "expected a function that takes `{V}`",
    note = "it may take the sequencer's context as a second argument, `&Ctx<'_, …>`; a block is run by `step`"
)]
pub trait Function<V, C, Marker> {
    /// What it makes.
    type Output;
    /// Calls it.
    fn call(self, value: V, ctx: &C) -> Self::Output;
}

/// A named function where a `try_map` is wanted: as [`Function`], and it returns a `Result`.
#[diagnostic::on_unimplemented(
    message = "this is not a function of `{V}` that returns a `Result`",
    label = "expected a function that takes `{V}` and returns a `Result`",
    note = "it may take the sequencer's context as a second argument, `&Ctx<'_, …>`; a block is run by `step`"
)]
pub trait TryFunction<V, C, Marker> {
    /// What it makes.
    type Output;
    /// Calls it.
    ///
    /// # Errors
    /// The function's own.
    fn call(self, value: V, ctx: &C) -> Result<Self::Output>;
}

/// A function of the value.
#[derive(Debug)]
pub struct OfValue;
/// A function of the value and the context.
#[derive(Debug)]
pub struct OfBoth;

impl<V, C, F: FnOnce(&V) -> bool> Condition<V, C, OfValue> for F {
    fn holds(self, value: &V, _: &C) -> bool {
        self(value)
    }
}
impl<V, C, F: FnOnce(&V, &C) -> bool> Condition<V, C, OfBoth> for F {
    fn holds(self, value: &V, ctx: &C) -> bool {
        self(value, ctx)
    }
}
impl<V, C, R, F: FnOnce(V) -> R> Function<V, C, OfValue> for F {
    type Output = R;
    fn call(self, value: V, _: &C) -> R {
        self(value)
    }
}
impl<V, C, R, F: FnOnce(V, &C) -> R> Function<V, C, OfBoth> for F {
    type Output = R;
    fn call(self, value: V, ctx: &C) -> R {
        self(value, ctx)
    }
}
impl<V, C, R: BlockResult, F: FnOnce(V) -> R> TryFunction<V, C, OfValue> for F {
    type Output = R::Ok;
    fn call(self, value: V, _: &C) -> Result<R::Ok> {
        self(value).into_result()
    }
}
impl<V, C, R: BlockResult, F: FnOnce(V, &C) -> R> TryFunction<V, C, OfBoth> for F {
    type Output = R::Ok;
    fn call(self, value: V, ctx: &C) -> Result<R::Ok> {
        self(value, ctx).into_result()
    }
}

impl<C, X: Cells> Site<'_, C, X> {
    /// Changes the value by a function: `map(|value| …)`, `map(|value, ctx| …)`, `map(async |value, ctx| …)`, or a
    /// function's name.
    #[inline]
    pub fn map<V, R>(&self, value: V, function: impl FnOnce(V, &C) -> R) -> R {
        function(value, self.seq.ctx)
    }

    #[doc(hidden)]
    #[inline]
    pub fn map_by<V, M, F: Function<V, C, M>>(&self, value: V, function: F) -> F::Output {
        function.call(value, self.seq.ctx)
    }

    /// As [`map`](Self::map), by a function that returns a `Result`; an error ends the chain.
    ///
    /// # Errors
    /// The function's own.
    #[inline]
    pub fn try_map<V, R>(&self, value: V, function: impl FnOnce(V, &C) -> Result<R>) -> Result<R> {
        function(value, self.seq.ctx)
    }

    /// As [`try_map`](Self::try_map), by a function whose error is any that a block may fail with.
    #[doc(hidden)]
    #[inline]
    pub fn try_map_own<V, R: TryEnd>(
        &self,
        value: V,
        function: impl FnOnce(V, &C) -> R,
    ) -> Result<R::Ok> {
        function(value, self.seq.ctx).end()
    }

    #[doc(hidden)]
    #[inline]
    pub fn try_map_by<V, M, F>(&self, value: V, function: F) -> Result<F::Output>
    where
        F: TryFunction<V, C, M>,
    {
        function.call(value, self.seq.ctx)
    }

    /// Looks at the value, by a function or a block; the value stays as it is.
    ///
    /// `tap(|value, ctx| …)`, `tap(async |value, ctx| …)`, `tap(block)`, `tap(|value| …, block)`.
    ///
    /// # Errors
    /// The function's own; they end the chain.
    #[inline]
    pub fn tap<V, R: TapEnd>(&self, value: &V, function: impl FnOnce(&V, &C) -> R) -> Result<()> {
        function(value, self.seq.ctx).end()
    }

    #[doc(hidden)]
    #[inline]
    pub fn tap_end<R: TapEnd>(&self, end: R) -> Result<()> {
        end.end()
    }

    /// As [`tap`](Self::tap), by a function whose error is any that a block may fail with.
    #[doc(hidden)]
    #[inline]
    pub fn tap_own<V, R: TapOwn>(
        &self,
        value: &V,
        function: impl FnOnce(&V, &C) -> R,
    ) -> Result<()> {
        function(value, self.seq.ctx).end()
    }

    #[doc(hidden)]
    #[inline]
    pub fn tap_own_end<R: TapOwn>(&self, end: R) -> Result<()> {
        end.end()
    }

    /// Whether a condition holds for the value.
    #[doc(hidden)]
    #[inline]
    pub fn when<V>(&self, value: &V, condition: impl FnOnce(&V, &C) -> bool) -> bool {
        condition(value, self.seq.ctx)
    }

    #[doc(hidden)]
    #[inline]
    pub fn when_by<V, M, F: Condition<V, C, M>>(&self, value: &V, condition: F) -> bool {
        condition.holds(value, self.seq.ctx)
    }
}
