//! What fits where: traits that only a type itself has, by which another type is explained.

use crate::error::BoxError;

/// A value as the input of a block that is an expression.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this block takes `{I}`, but the value at this step is `{Self}`",
    label = "the value at this step is `{Self}`",
    note = "put a `map` before it (`try_map` where that may fail), or a connector first: `(|value| …, block)`"
)]
pub trait InputIs<I> {
    /// The input.
    fn input(self) -> I;
}

#[diagnostic::do_not_recommend]
impl<T> InputIs<T> for T {
    #[inline]
    fn input(self) -> T {
        self
    }
}

/// One of several values as the input of a block.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this block takes `{I}`, but the items are `{Self}`",
    label = "the items are `{Self}`"
)]
pub trait ItemIs<I> {
    /// The input.
    fn item(self) -> I;
}

#[diagnostic::do_not_recommend]
impl<T> ItemIs<T> for T {
    #[inline]
    fn item(self) -> T {
        self
    }
}

/// The output of a block that is an expression, beside others.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this block returns `{Self}`, but the blocks beside it return `{O}`",
    label = "the others return `{O}`",
    note = "one value goes on, so all of them return one type; `connect_output(|output| …)` changes what a block returns"
)]
pub trait OutputIs<O> {
    /// The output.
    fn output(self) -> O;
}

#[diagnostic::do_not_recommend]
impl<T> OutputIs<T> for T {
    #[inline]
    fn output(self) -> T {
        self
    }
}

/// The output of a block that may be left out and is an expression.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this block returns `{Self}`, but the value at this step is `{V}`",
    label = "the value at this step is `{V}`",
    note = "a step that may be left out returns what the value is, for it goes on without it; `connect_output(|output| …)` changes what a block returns"
)]
pub trait ReplacementIs<V> {
    /// The value.
    fn value(self) -> V;
}

#[diagnostic::do_not_recommend]
impl<T> ReplacementIs<T> for T {
    #[inline]
    fn value(self) -> T {
        self
    }
}

/// What the block of a `rescue` that is an expression returns.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this block returns `{Self}`, but the sequencer returns `{O}`",
    label = "the sequencer returns `{O}`",
    note = "the output of a `rescue` is what the sequencer returns; `connect_output(|output| …)` changes what a block returns"
)]
pub trait EndIs<O> {
    /// The output.
    fn end(self) -> O;
}

#[diagnostic::do_not_recommend]
impl<T> EndIs<T> for T {
    #[inline]
    fn end(self) -> T {
        self
    }
}

/// A value that a block which is an expression takes and returns.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this block takes `{I}` and returns `{O}`, but the value at this step is `{Self}`",
    label = "the value at this step is `{Self}`",
    note = "a block that may be left out or is repeated returns what it takes"
)]
pub trait Kept<I, O>: Sized {
    /// As the block's input.
    fn input(self) -> I;
    /// From the block's output.
    fn output(output: O) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T> Kept<T, T> for T {
    #[inline]
    fn input(self) -> T {
        self
    }
    #[inline]
    fn output(output: T) -> T {
        output
    }
}

/// A value that several blocks are given.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the value at this step is `{Self}`, which cannot be cloned",
    label = "each of the blocks is given a clone of `{Self}`",
    note = "derive `Clone` for `{Self}`, or put a `map` before this that makes it something else"
)]
pub trait Shared: Clone {}

#[diagnostic::do_not_recommend]
impl<T: Clone> Shared for T {}

/// A value of which each of several blocks gets a clone; that it can be cloned is asked once.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Several<'a, V> {
    value: &'a V,
    clone: fn(&V) -> V,
}

impl<'a, V> Several<'a, V> {
    pub(super) fn new(value: &'a V) -> Self
    where
        V: Shared,
    {
        Self { value, clone: V::clone }
    }

    /// Another one.
    #[inline]
    #[must_use]
    pub fn copy(&self) -> V {
        (self.clone)(self.value)
    }
}

/// What a `throw_if` can throw.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error",
    label = "expected an error or a text",
    note = "`throw_if` throws a type that implements `std::error::Error`, a text, or what a closure makes of the value: `throw_if(|value| …, |value| …)`"
)]
pub trait Thrown: Into<BoxError> + 'static {}

#[diagnostic::do_not_recommend]
impl<E: Into<BoxError> + 'static> Thrown for E {}

/// The output of a block, as a field of what a `parallel` makes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this block returns `{Self}`, but the field is a `{T}`",
    label = "this returns `{Self}`",
    note = "`connect_output(|output| …)` changes what a block returns"
)]
pub trait FieldIs<T> {
    /// The field.
    fn field(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T> FieldIs<T> for T {
    #[inline]
    fn field(self) -> T {
        self
    }
}
