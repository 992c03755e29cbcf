//! Typed state: what a block holds while it runs, and the handles that read and write it.
//!
//! `#[state]` makes a struct a [`State`]; a block that declares it (`state = Note`) finds it as `ctx.self_`, its
//! children as `ctx.parent`. Each field of a handle is a [`Field`] with the operations that its type has.

mod canonical;
mod cell;
mod field;
mod json;
mod kept;
mod ops;
mod rules;
mod set;
mod stored;
mod whole;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use cell::Change;
pub use cell::{Cell, Watch};
pub use field::{Field, Member, SetField, Validate};
pub(crate) use json::from_json;
pub(crate) use kept::{Kept, Slot};
pub use ops::{Keyed, List, Number, Removable, SetLike};
#[doc(hidden)]
pub use rules::{Rules, contract_of, initial_holds};
pub(crate) use rules::{holds, in_field};
pub use set::{Bag, Cells, Find, One, StateSet, Visit};
pub(crate) use set::{END, Known};
pub use stored::{StoredCell, Write};
pub use whole::{Tail, Writable};

use crate::error::StateError;
use crate::schema::StateDef;

/// What can go in and out of a block, and into state: a value that can be copied, sent, written and read as JSON.
///
/// `#[data]` makes a struct or an enum one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot go in or out of a block",
    label = "this type is not data",
    note = "put `#[data]` on its declaration, or derive Clone, Serialize, Deserialize and JsonSchema"
)]
pub trait Data: Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static> Data for T {}

/// What can be the configuration of a flow, `#[flow(config = Tone)]`: made by `#[data]` on a struct.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the configuration of a flow",
    label = "not a struct with `#[data]`",
    note = "put `#[data]` on its declaration: a struct with named fields, and without generics"
)]
pub trait FlowConfig: Data {
    /// Its name and identity.
    const DEF: &'static StateDef;
}

impl FlowConfig for () {
    const DEF: &'static StateDef = &StateDef::new("()", "()", "", &[]);
}

/// A struct that blocks can hold, made by `#[state]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state",
    label = "not declared with `#[state]`",
    note = "put `#[state]` on the struct"
)]
pub trait State: Data + Default {
    /// Its name, identity and fields.
    const DEF: &'static StateDef;

    /// What holds of it as a contract, where it is one.
    #[doc(hidden)]
    const RULES: Option<&'static Rules<Self>> = None;

    /// The handle: a struct with one [`Field`] for each field of the state, and then what `R` has.
    type Handle<'a, A: Access, R: 'a>: 'a;

    /// The handle over a container.
    fn handle<'a, A: Access, R: 'a>(tail: Tail<'a, A, Self, R>) -> Self::Handle<'a, A, R>;

    /// Whether both are the same value, field by field (NaN is NaN, 0.0 is not -0.0).
    fn same(&self, other: &Self) -> bool;

    /// Adds the fields that differ, as they are after, but for transient ones.
    #[doc(hidden)]
    fn changes(_: &Self, _: &Self, _: &mut Map<String, Value>) {}

    /// The first field, but for transient ones, that JSON made another value of.
    #[doc(hidden)]
    fn lost(&self, _read: &Self) -> Option<&'static str> {
        None
    }

    /// Whether every field's `validate` function accepts its value.
    ///
    /// # Errors
    /// [`StateError::Rejected`] with the first field that is refused.
    fn validate(&self) -> Result<(), StateError> {
        Ok(())
    }
}

/// A field's value before anything is written.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the trait bound `{Self}: Default` is not satisfied",
    label = "this field has no default value",
    note = "give it `#[state(default = ...)]`, or derive `Default` for `{Self}`"
)]
pub trait Initial {
    /// The value.
    fn initial() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Initial for T {
    fn initial() -> Self {
        T::default()
    }
}

#[doc(hidden)]
pub fn check_field<M: Member>(value: &M::Value) -> Result<(), StateError> {
    field::check::<M>(value)
}

/// [`same`] for a field that is a set without an order of its own, which serialises in any order.
#[doc(hidden)]
pub fn same_set<T: PartialEq>(a: &T, b: &T) -> bool {
    a == b
}

#[doc(hidden)]
pub fn changed_field<M: Member>(
    before: &M::State,
    after: &M::State,
    delta: &mut Map<String, Value>,
) {
    if !M::TRANSIENT && !same(M::get(before), M::get(after)) {
        // what is no JSON is left out, and not shown as something that it is not
        if let Ok(value) = serde_json::to_value(M::get(after)) {
            delta.insert(M::NAME.to_owned(), value);
        }
    }
}

/// Two values of a field, compared as their type allows.
#[doc(hidden)]
#[derive(Debug)]
pub struct Compared<'a, T>(pub &'a T, pub &'a T);

impl<T> Clone for Compared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Compared<'_, T> {}

/// By the type's own equality, too: what serde leaves out counts where the type says so.
#[doc(hidden)]
pub trait ByEquality {
    /// Whether they are the same; not strictly, whether one may stand for the other, as what was read for what was written.
    // (one method for both, since the compiler says once of each that it is not there)
    fn equal(self, strictly: bool) -> bool;
}

impl<T: PartialEq + Serialize + 'static> ByEquality for &Compared<'_, T> {
    fn equal(self, strictly: bool) -> bool {
        let Compared(a, b) = *self;
        if !strictly {
            // a set inside of it may have another order, and what serde skips is not written
            return a == b || same(a, b);
        }
        // a value that is not equal to itself has a NaN in it, and its equality says nothing
        #[expect(clippy::eq_op, reason = "a NaN is not equal to itself")]
        let differs = a != b && a == a && b == b;
        !differs && same(a, b)
    }
}

/// By what serde shows.
#[doc(hidden)]
pub trait BySerde {
    /// As [`ByEquality::equal`].
    fn equal(self, strictly: bool) -> bool;
}

impl<T: Serialize + 'static> BySerde for Compared<'_, T> {
    fn equal(self, _: bool) -> bool {
        same(self.0, self.1)
    }
}

/// How a handle reaches its container.
pub trait Access: 'static {
    /// The reference to a container.
    type Ref<'a, S: State>: Copy + 'a;
}

/// How a handle reaches its container: [`Local`](access::Local) or [`Stored`](access::Stored).
pub mod access {
    use std::marker::PhantomData;

    use super::{Access, Cell, State, StoredCell};

    /// May be written.
    #[derive(Debug)]
    pub struct ReadWrite;
    /// May only be read.
    #[derive(Debug)]
    pub struct ReadOnly;

    /// State of a block, in memory; its operations are synchronous.
    #[derive(Debug)]
    pub struct Local<W = ReadWrite>(PhantomData<W>);
    /// State that outlives the block; its writes are asynchronous.
    #[derive(Debug)]
    pub struct Stored<W = ReadWrite>(PhantomData<W>);

    impl<W: 'static> Access for Local<W> {
        type Ref<'a, S: State> = &'a Cell<S>;
    }
    impl<W: 'static> Access for Stored<W> {
        type Ref<'a, S: State> = &'a StoredCell<S>;
    }
}

/// The end of a handle: a block's context holds no further state.
#[derive(Debug, Clone, Copy)]
pub struct NoMoreState;

/// One state's handle, whichever block of whatever kind it came from: what a helper takes.
///
/// ```
/// # use flowstate::prelude::*;
/// #[state]
/// pub struct Trail { pub seen: Vec<String> }
///
/// fn close(trail: &Local<'_, Trail>) -> Result<bool> {
///     trail.seen.push("end".into())
/// }
/// ```
/// The helper above takes `&ctx.self_` where `Trail` is the only or the last state; for any place in a list write
/// `fn close<'a, R: 'a>(trail: &Local<'a, Trail, R>)`.
pub type Local<'a, S, R = NoMoreState> = <S as State>::Handle<'a, access::Local, R>;

/// As [`Local`], for `ctx.session`, `ctx.user` and `ctx.org`.
pub type Stored<'a, S, R = NoMoreState> = <S as State>::Handle<'a, access::Stored, R>;

/// As [`Local`], for the contexts of routers, which can read state but not write it.
pub type ReadOnly<'a, S, R = NoMoreState> =
    <S as State>::Handle<'a, access::Local<access::ReadOnly>, R>;

/// Whether two values are the same, as state sees it: NaN is NaN, 0.0 is not -0.0, maps in any order, recursively.
///
/// What serde skips does not count here; a field of a state whose type is `PartialEq` counts it all the same.
/// A value that cannot be serialised is the same as nothing. Sets without an order of their own (`HashSet`) are
/// compared in the order they are iterated, but for a state's field that is one: there the order does not count.
///
/// ```
/// use flowstate::state::same;
/// assert!(same(&vec![f64::NAN], &vec![f64::NAN]));
/// assert!(!same(&0.0, &-0.0));
/// ```
pub fn same<T: Serialize + 'static>(a: &T, b: &T) -> bool {
    fn plain<T: 'static, P: PartialEq + 'static>(a: &T, b: &T) -> Option<bool> {
        let a = (a as &dyn std::any::Any).downcast_ref::<P>()?;
        Some(a == (b as &dyn std::any::Any).downcast_ref::<P>()?)
    }
    // types whose own equality is the same-value one; known when compiled, so the rest falls away
    macro_rules! known {
        ($($ty:ty),*) => {
            $(if let Some(same) = plain::<T, $ty>(a, b) { return same; })*
        };
    }
    known!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, bool, char, String);
    known!(Option<String>, Option<u32>, Option<u64>, Option<i64>, Option<bool>, Vec<String>, ());
    canonical::same(a, b)
}
