//! What the macros ask of a type before they use it: one error in a constant, and silence after it.
//!
//! A type that is not what it must be would be refused at every place that mentions it. Here it is refused once, in
//! the constant argument of [`Only`]; all that is projected from it is then an error that the compiler has reported.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{Block, BlockResult};
use crate::schema::{ContractDef, contract_held};
use crate::state::{Data, FlowConfig, Rules, State};

/// Asks what a type is: an answer in an `impl` with a bound comes before that of [`Otherwise`].
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The answers for a type that is none of this.
pub trait Otherwise {
    /// Whether it is a state.
    const STATE: bool = false;
    /// Whether blocks can hold it.
    const HELD: Held = Held::No;
    /// Whether it is a contract.
    const CONTRACT: bool = false;
    /// Whether it is a block.
    const BLOCK: bool = false;
    /// Whether it is a capability.
    const CAPABILITY: bool = false;
    /// Whether a block can be made of it.
    const CONFIG: bool = false;
    /// Whether it can configure a capability.
    const CONFIGURES: bool = false;
    /// Whether there is something to set in a capability.
    const SET_UP: bool = true;
    /// Whether it can configure a flow.
    const FLOW_CONFIG: bool = false;
    /// Whether it can go in or out of a block.
    const DATA: bool = false;
    /// Whether it can be a field of data.
    const STORED: bool = false;
    /// Whether what it is borrowed from can.
    const BORROWED: bool = false;
    /// Whether a block's function can return it.
    const RESULT: bool = false;
    /// The names of its fields, of a struct with `#[data]`.
    const FIELDS: &'static [&'static str] = &[];
}

impl<T: ?Sized> Otherwise for Probe<T> {}

/// The answer for a type that is no contract.
pub trait NoRules {
    /// The type.
    type Of: 'static;
    /// Its rules.
    const RULES: Option<&'static Rules<Self::Of>> = None;
}

impl<T: 'static> NoRules for Probe<T> {
    type Of = T;
}

impl<T: State> Probe<T> {
    /// It is a state.
    pub const STATE: bool = true;
    /// Blocks can hold it, unless it is a contract.
    pub const HELD: Held = match T::DEF.contract {
        None => Held::Yes,
        Some(contract) => Held::Contract(T::DEF.name, contract),
    };
}
impl<T: Block> Probe<T> {
    /// It is a block.
    pub const BLOCK: bool = true;
}
impl<T: Clone + Send + Sync + 'static> Probe<T> {
    /// A block can be made of it.
    pub const CONFIG: bool = true;
}
impl<T: FlowConfig> Probe<T> {
    /// It can configure a flow.
    pub const FLOW_CONFIG: bool = true;
}
impl<T: Data> Probe<T> {
    /// It can go in or out of a block.
    pub const DATA: bool = true;
}
// (not whether it is `Send`: what holds itself would be asked for its own fields)
impl<T: Clone + Serialize + DeserializeOwned + JsonSchema> Probe<T> {
    /// It can be a field of data.
    pub const STORED: bool = true;
}
impl<T: ToOwned<Owned: Data> + ?Sized> Probe<T> {
    /// What it is borrowed from can.
    pub const BORROWED: bool = true;
}
impl<T: BlockResult> Probe<T> {
    /// A block's function can return it.
    pub const RESULT: bool = true;
}

impl<T: Fields + ?Sized> Probe<T> {
    /// The names of its fields.
    pub const FIELDS: &'static [&'static str] = T::FIELDS;
}

/// A type whose field names are known.
pub trait Fields {
    /// They.
    const FIELDS: &'static [&'static str];
}

/// A type, if it is what it must be.
#[derive(Debug)]
pub struct Only<T: ?Sized, const OK: bool>(PhantomData<T>);

/// Gives the type inside of [`Only`].
pub trait Is {
    /// The type.
    type It: ?Sized;
}

impl<T: ?Sized> Is for Only<T, true> {
    type It = T;
}

/// Whether blocks can hold a type.
#[derive(Debug)]
pub enum Held {
    /// It is a state.
    Yes,
    /// It is no state.
    No,
    /// It is changed by its reducers alone.
    Contract(&'static str, &'static ContractDef),
}

/// Stops where blocks cannot hold a type: with the text where it is no state.
#[track_caller]
#[must_use]
pub const fn held(held: Held, text: &str) -> bool {
    match held {
        Held::Yes => true,
        Held::No => panic!("{}", text),
        Held::Contract(name, contract) => {
            let text = contract_held(name, contract);
            panic!("{}", text.as_str())
        }
    }
}

/// Stops with the text, where the type is not what it must be.
#[track_caller]
#[must_use]
pub const fn known(ok: bool, text: &str) -> bool {
    assert!(ok, "{}", text);
    ok
}
