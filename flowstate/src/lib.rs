//! Agents and workflows as plain functions, with typed state that the compiler checks.
//!
//! A step is a function with `#[block]`. It says in one line which state it holds and which state around it it reaches.
//! A step that reaches for state that is not there does not compile.
//!
//! ```
#![doc = include_str!("guide/quickstart.rs")]
//! ```
//!
//! `morning` holds a `Shift`, and `triage` runs inside it, so `ctx.parent` is that `Shift`. Leave `state = Shift` out, and
//! the compiler says which block lacks what, where, and how to mend it: see [`guide::compile_errors`].
//!
//! Users add `flowstate` and `tokio`, and `use flowstate::prelude::*;`.
//!
//! # Where to read on
//!
//! | | |
//! |---|---|
//! | [`guide::state`] | what a state can hold, the operations, what a write returns |
//! | [`guide::addresses`] | `ctx.self_`, `ctx.parent`, `ctx.sequencer`, `ctx.targets` |
//! | [`guide::blocks`] | signatures and options of `#[block]` |
//! | [`guide::sequencers`] | how blocks run after one another |
//! | [`guide::routers`] | one of several blocks, picked by a function |
//! | [`guide::contracts`] | state that only reducers change and only readers show |
//! | [`guide::capabilities`] | state, functions and options that blocks share |
//! | [`guide::generators`] | a model that is asked in a loop, and blocks as its tools |
//! | [`guide::reference`](mod@guide::reference) | every method of a chain, every option of a block |
//! | [`prompt`] | text for models, from any value |
//! | [`guide::errors`] | codes, paths, causes; rescue, retry, timeout |
//! | [`guide::streaming`] | items and events of a request |
//! | [`guide::flows`] | flows, apps, sessions, services, state that is kept |
//! | [`guide::testing`] | one block alone |
//! | [`guide::compile_errors`] | each message of the compiler, and what to change |
//!
//! # Features
//!
//! None is on by default. `anyhow`: a block may return `anyhow::Result`, and the error's own type is still found.
//! `spans`: each block runs in a `tracing` span with its name, kind, path and outcome.
//! `sqlite`: `store::SqliteStore` keeps states in a SQLite file; SQLite itself is built in, which takes a C compiler.
//! `postgres`: `store::PostgresStore` keeps them in a Postgres database.
//! `openai`: `model::OpenAi` asks any server that speaks OpenAI's chat protocol. `genai`: `model::GenAi` asks the other
//! providers by their own.
//! `indexmap`: `insert` and `remove` on fields that are an `IndexMap` or an `IndexSet`.

extern crate self as flowstate;

pub mod app;
pub mod block;
pub mod capability;
pub mod contract;
pub mod error;
pub mod generate;
pub mod guide;
pub mod item;
pub mod model;
mod port;
mod route;
pub mod schema;
mod scope;
pub mod sequence;
pub mod state;
pub mod store;
mod sync;
mod test;

pub use app::{App, AppBuilder, run};
pub use block::{Block, Ctx, IntoBlock, Rescued, again};
pub use contract::Contract;
pub use error::{Error, Result};
pub use flowstate_macros::{block, capability, contract, data, flow_attribute as flow, state};
pub use generate::{Prompt, format as prompt};
pub use scope::{At, Base, OpenContainer, Request, Signal, TextStream, Who};
#[doc(no_inline)]
pub use serde_json::json;
pub use test::{Test, Tested, test};

/// What programs import: `use flowstate::prelude::*;`.
pub mod prelude {
    pub use flowstate_macros::{block, capability, contract, data, flow, state};

    pub use crate::app::{App, Flow};
    pub use crate::block::{Block, Ctx, IntoBlock, Rescued, again};
    pub use crate::error::{Error, Result};
    pub use crate::generate::Prompt;
    pub use crate::item::ItemKind;
    #[doc(no_inline)]
    pub use crate::json;
    pub use crate::state::{Local, ReadOnly, Stored};
}

/// What the macros' code calls. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use flowstate_macros::StateFields;
    pub use std::any::TypeId;
    pub use std::borrow::{Borrow, ToOwned};
    pub use std::boxed::Box;
    pub use std::clone::Clone;
    pub use std::cmp::{Eq, PartialEq};
    pub use std::convert::Into;
    pub use std::fmt::{self, Debug, Formatter};
    pub use std::future::{Future, pending, ready};
    pub use std::hash::Hash;
    pub use std::iter::Extend;
    pub use std::marker::{Copy, Send, Sized, Sync};
    pub use std::ops::{Deref, DerefMut};
    pub use std::option::Option;
    pub use std::primitive::{bool, str, u32};
    pub use std::result::Result as StdResult;
    pub use std::string::String;
    pub use std::sync::LazyLock;
    pub use std::sync::atomic::AtomicU32;
    pub use std::time::Duration;
    pub use std::vec::Vec;
    pub use std::{column, concat, default::Default, file, line, module_path, stringify, vec};

    pub use futures_util::future::try_join;
    pub use schemars;
    pub use schemars::JsonSchema;
    pub use serde;
    pub use serde::{Deserialize, Serialize};
    pub use serde_json::{Map, Value};

    pub use crate::app::{
        Action, Called as CalledRequest, Flow, Internal, Plan, Shows, Task, View, entry, hook,
        said, shows,
    };
    pub use crate::block::known::{
        Fields, Is, NoRules, Only, Otherwise, Probe, held as may_be_held, known,
    };
    pub use crate::block::{
        Again, AsSaid, AsksFor, Attempts, Begun, Block, BlockResult, ByName, Caching, Called, Ctx,
        IntoBlock, IsTimeout, Keeps, KeepsOutput, Once as Tried, Rescuable, Rescued, Returns, Says,
        Takes, WithCtx, base, base_at, boxed, cache_key, def_of, held, kept, noted, reached,
        rescue_by, rescue_by_code,
    };
    pub use crate::capability::{
        Api, Bags, Capability, Given, Literal, NothingToConfigure, TrueOrFalse, Use, Uses, cells,
        is_capability, made,
    };
    pub use crate::contract::{
        Batch, Contract, Contracted, Event, Opened, Reader, Reading, Reduced, Writer, events, fed,
    };
    pub use crate::error::{BoxError, Error, Result, StateError, UnknownRouteError};
    pub use crate::generate::{
        AllBring, Asking, Brings, DeclaredIn, DeclaredTool, Generation, Repair, Said,
        SaidOtherwise, Step, bring, bring_tools, tag_name, tool,
    };
    pub use crate::item::Failure;
    pub use crate::route::{Itself, NoFunctionsInRouters, Running, SameAs, Taken};
    pub use crate::schema::*;
    pub use crate::scope::{At, Base, Entries, Feed, Hooks, InFlow, Link, Scope, feed};
    pub use crate::sequence::*;
    pub use crate::state::{
        Access, Bag, ByEquality, BySerde, Cell, Cells, Compared, Data, Field, Find, FlowConfig,
        Initial, Local, Member, NoMoreState, One, Rules, SetField, State, StateSet, Stored,
        StoredCell, Tail, Write, access, changed_field, check_field, contract_of, initial_holds,
        same, same_set,
    };
}
