//! `#[block]`: a function becomes a type with an input, an output, a context and a `run`.

mod adapted;
mod asked;
mod attempts;
mod attrs;
mod caching;
mod called;
mod checks;
mod config;
mod context;
mod contracts;
mod declaration;
mod definition;
mod docs;
mod expand;
mod function;
pub(crate) mod generator;
mod implementation;
pub(crate) mod locals;
mod model;
pub(crate) mod named;
mod read;
mod router;
mod run;
mod signature;
mod stub;
mod types;
pub(crate) mod uses;
mod written;

use proc_macro2::TokenStream;

use crate::cx::Cx;

pub(crate) use adapted::{check as check_block, lowered};
pub(crate) use asked::asked;
#[cfg(test)]
pub(crate) use attempts::RETRY;
pub(crate) use attempts::{Attempts, duration, duration_of, retry};
pub(crate) use config::Config;
pub(crate) use context::{LASTING, Parts as CtxParts, REST, deref};
pub(crate) use expand::Parts;
pub(crate) use expand::quiet;
pub(crate) use model::{Block, Lasting};
pub(crate) use named::{NamedBlock, enum_ident, named_blocks};
#[cfg(test)]
pub(crate) use read::OPTIONS;
pub(crate) use types::is_data;
pub(crate) use written::{Beside, Child, alias, aliases, at_macro, bottom, def, note, taken};

pub(crate) fn expand(cx: &Cx, args: TokenStream, item: TokenStream) -> TokenStream {
    let Some(function) = function::parse(cx, item.clone()) else {
        return item;
    };
    let block = model::model(cx, args, function);
    expand::expand(cx, &block)
}
