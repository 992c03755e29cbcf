//! Agents and workflows as plain functions, with typed state that the compiler checks.
//!
//! (The front page is put together in the README for now.)

extern crate self as flowstate;

pub mod app;
pub mod block;
pub mod error;
pub mod schema;
mod scope;
pub mod sequence;
pub mod state;
mod test;

pub use app::{App, AppBuilder, run};
pub use block::{Block, Ctx, IntoBlock};
pub use error::{Error, Result};
pub use flowstate_macros::{block, data, flow_attribute as flow, state};
pub use scope::{At, Base, Place, Request, Who};
pub use test::{Test, Tested, test};

/// What programs import: `use flowstate::prelude::*;`.
pub mod prelude {
    pub use flowstate_macros::{block, data, flow, state};

    pub use crate::app::App;
    pub use crate::block::{Block, Ctx, IntoBlock};
    pub use crate::error::{Error, Result};
    pub use crate::state::{Local, ReadOnly, Stored};
}

/// What the macros' code calls. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use std::any::TypeId;
    pub use std::borrow::{Borrow, ToOwned};
    pub use flowstate_macros::StateFields;
    pub use std::clone::Clone;
    pub use std::fmt::{self, Debug, Formatter};
    pub use std::future::{Future, pending};
    pub use std::marker::{Copy, Send, Sync};
    pub use std::ops::Deref;
    pub use std::option::Option;
    pub use std::result::Result as StdResult;
    pub use std::string::String;
    pub use std::sync::atomic::AtomicU32;
    pub use std::{concat, column, default::Default, file, line, module_path, stringify};

    pub use schemars;
    pub use schemars::JsonSchema;
    pub use serde;
    pub use serde::{Deserialize, Serialize};

    pub use crate::app::{Action, Flow};
    pub use crate::block::{Block, BlockResult, boxed, def_of, Ctx, IntoBlock, Returns, Takes, WithCtx};
    pub use crate::error::{BoxError, Error, Result, StateError};
    pub use crate::schema::*;
    pub use crate::scope::{At, Base, Place, Scope};
    pub use crate::sequence::*;
    pub use crate::state::{
        Access, Bag, Initial, check_field, Cell, Data, Field, Find, Local, Member, NoMoreState, One, SetField, State,
        StateSet, Stored, StoredCell, Tail, access, same, same_set,
    };
}
