//! Blocks that change what goes into or comes out of another block. They add no level: the block inside is the child.

use std::fmt;
use std::marker::PhantomData;

use super::{Attempt as _, Block, IntoBlock, Once, Returns, Takes, ToolText};
use crate::error::Result;
use crate::schema::{BlockDef, Head, Kind};
use crate::scope::At;
use crate::state::{Cells, Data};

/// A block whose input is made by a function, by [`connect_input`](IntoBlock::connect_input).
pub struct ConnectInput<B, F, I> {
    block: B,
    function: F,
    of: PhantomData<fn(I)>,
}

/// A block whose output is changed by a function, by [`connect_output`](IntoBlock::connect_output).
pub struct ConnectOutput<B, F, O> {
    block: B,
    function: F,
    of: PhantomData<fn() -> O>,
}

macro_rules! adapter {
    ($name:ident) => {
        impl<B, F, T> $name<B, F, T> {
            pub(super) fn new(block: B, function: F) -> Self {
                Self { block, function, of: PhantomData }
            }
        }

        impl<B: Clone, F: Clone, T> Clone for $name<B, F, T> {
            fn clone(&self) -> Self {
                Self::new(self.block.clone(), self.function.clone())
            }
        }

        #[diagnostic::do_not_recommend]
        impl<B: Block, F, T> fmt::Debug for $name<B, F, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), B::HEAD.name)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<B: 'static, F: 'static, T: 'static> IntoBlock for $name<B, F, T>
        where
            Self: Block,
        {
            type Block = Self;
            type Attempt = Once;
            fn into_block(self) -> Self {
                self
            }
        }
    };
}
adapter!(ConnectInput);
adapter!(ConnectOutput);

/// The definition of an adapter over a block. It is generic, so it cannot list what the block inside reaches for: the
/// checks look through it.
pub(super) struct Over<B>(PhantomData<B>);

impl<B: Block> Over<B> {
    const HEAD: Head = Head { kind: Kind::Adapter, ..*B::HEAD };
    pub(super) const DEF: BlockDef = BlockDef::tree(&Self::HEAD, &[B::DEF], &[], &[]);
}

#[diagnostic::do_not_recommend]
impl<B, F, I> Block for ConnectInput<B, F, I>
where
    B: Block,
    I: Data,
    F: Fn(I) -> B::Input + Clone + Send + Sync + 'static,
{
    type Input = I;
    type Output = B::Output;
    const HEAD: &'static Head = B::HEAD;
    const DEF: &'static BlockDef = &Over::<B>::DEF;

    async fn run(&self, input: I, at: At<'_>) -> Result<B::Output> {
        B::Attempt::attempt(&self.block, (self.function)(input), at, None::<&()>).await
    }

    async fn run_in<'a, X: Cells>(
        &'a self,
        input: I,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> Result<B::Output> {
        B::Attempt::attempt(&self.block, (self.function)(input), at, cells).await
    }

    fn tool(&self) -> ToolText {
        self.block.tool()
    }

    fn shown(&self, output: &B::Output) -> Option<String> {
        self.block.shown(output)
    }
}

#[diagnostic::do_not_recommend]
impl<B, F, I> Takes<I> for ConnectInput<B, F, I> where Self: Block<Input = I> {}
#[diagnostic::do_not_recommend]
impl<B: Returns<O>, F, I, O> Returns<O> for ConnectInput<B, F, I> where Self: Block<Output = O> {}

#[diagnostic::do_not_recommend]
impl<B, F, O> Block for ConnectOutput<B, F, O>
where
    B: Block,
    O: Data,
    F: Fn(B::Output) -> O + Clone + Send + Sync + 'static,
{
    type Input = B::Input;
    type Output = O;
    const HEAD: &'static Head = B::HEAD;
    const DEF: &'static BlockDef = &Over::<B>::DEF;

    async fn run(&self, input: B::Input, at: At<'_>) -> Result<O> {
        Ok((self.function)(B::Attempt::attempt(&self.block, input, at, None::<&()>).await?))
    }

    async fn run_in<'a, X: Cells>(
        &'a self,
        input: B::Input,
        at: At<'a>,
        cells: Option<&'a X>,
    ) -> Result<O> {
        Ok((self.function)(B::Attempt::attempt(&self.block, input, at, cells).await?))
    }

    fn tool(&self) -> ToolText {
        self.block.tool()
    }
}

#[diagnostic::do_not_recommend]
impl<B: Takes<I>, F, I, O> Takes<I> for ConnectOutput<B, F, O> where Self: Block<Input = I> {}
#[diagnostic::do_not_recommend]
impl<B, F, O> Returns<O> for ConnectOutput<B, F, O> where Self: Block<Output = O> {}
