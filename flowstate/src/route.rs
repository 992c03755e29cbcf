//! What a router calls: the route that its function picked, as its child.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use crate::block::{Agrees, Block, Takes, dispatch};
use crate::error::Result;
use crate::item::{ItemKind, RouterDecision};
use crate::scope::{At, Base, Link, Place, Scope};
use crate::sequence::OutputIs;

/// A route, by which one that does not take what its router takes is explained.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `{V}`, as its router does",
    label = "the router takes `{V}`",
    note = "a route is given what the router is given; `{Self}.connect_input(|input| …)` makes something else of it"
)]
pub trait RouteOf<V>: Takes<V> {}

#[diagnostic::do_not_recommend]
impl<V, B: Takes<V>> RouteOf<V> for B {}

/// What a router takes, as the input of a route that is an expression.
#[diagnostic::on_unimplemented(
    message = "this route takes `{I}`, but its router takes `{Self}`",
    label = "the router takes `{Self}`",
    note = "a route is given what the router is given; `connect_input(|input| …)` makes something else of it"
)]
pub trait RouteInput<I> {
    /// The input.
    fn input(self) -> I;
}

#[diagnostic::do_not_recommend]
impl<T> RouteInput<T> for T {
    fn input(self) -> T {
        self
    }
}

/// In place of the functions of capabilities, which may write; a router only reads.
#[derive(Debug, Default)]
pub struct NoFunctionsInRouters {
    /// What the compiler shows whoever looks for one.
    pub a_router_only_reads_and_its_functions_may_write: (),
    /// And where to look instead.
    pub read_its_fields_in_ctx_or_call_it_in_a_step_before: (),
}

/// A router while it runs.
pub type Running<'a, O> = Pin<Box<dyn Future<Output = Result<O>> + Send + 'a>>;

/// The route that was picked, while it runs.
pub struct Taken<'a, O> {
    link: Link<'a>,
    of: PhantomData<fn() -> O>,
}

impl<'a, O> Taken<'a, O> {
    /// Route `index` of the router, whose name in it is `key`.
    #[must_use]
    pub fn new(router: Base<'a>, scope: &'a Arc<Scope>, index: u32, key: &str) -> Self {
        router.emit(|| ItemKind::RouterDecision(RouterDecision::new(key)));
        let link = Link::under(scope, Place { op: index, ..Place::default() });
        Self { link, of: PhantomData }
    }

    /// The router's input as the route's.
    pub fn input<I, B: RouteOf<I>>(&self, input: I, _: &B) -> B::Input {
        input
    }

    /// The same, of a route that is an expression: what it takes is known before the input is held against it.
    #[must_use]
    pub fn adapted<B: Block>(&self, _: &B) -> Adapted<B::Input> {
        Adapted(PhantomData)
    }

    /// Runs the route under its router.
    pub fn run<'s, B: Block>(
        &'s self,
        block: &'s B,
        input: B::Input,
    ) -> impl Future<Output = Result<B::Output>> + Send + use<'s, B, O> {
        dispatch(block, input, At::new(&self.link))
    }

    /// The route's output as the router's.
    pub fn output<B: Agrees<O>>(&self, output: B::Output, _: &B) -> O {
        output
    }

    /// The same, of a route that is an expression.
    pub fn output_value<R: OutputIs<O>>(&self, output: R) -> O {
        output.output()
    }
}

impl<O> fmt::Debug for Taken<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Taken({:?})", self.link)
    }
}

/// What a route that is an expression takes.
#[derive(Debug)]
pub struct Adapted<I>(PhantomData<fn() -> I>);

impl<I> Adapted<I> {
    /// The router's input as the route's.
    pub fn input<V: RouteInput<I>>(self, input: V) -> I {
        input.input()
    }
}

/// Every type is itself: with this, a type parameter that can only be one type. (It names a router, so that what is known inside
/// of the `impl` of one is not taken for what is known of another.)
pub trait Itself<Router> {
    /// The type.
    type It;
}

impl<T, Router> Itself<Router> for T {
    type It = T;
}

/// A value as one of such a type parameter.
pub trait SameAs<Router, O> {
    /// The value.
    fn same(self) -> O;
}

impl<T, Router> SameAs<Router, T> for T {
    fn same(self) -> T {
        self
    }
}
