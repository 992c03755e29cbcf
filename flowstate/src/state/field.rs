//! One field of a handle, and what can be done with it.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::Serialize;

use super::cell::{Done, Of};
use super::ops::{Keyed, List, Number, Removable, SetLike};
use super::stored::Write;
use super::{Access, State, Writable, access, same};
use crate::error::{Result, StateError};

/// Says no with a reason.
pub type Validate<V> = fn(&V) -> Result<(), String>;

/// A field of a state, as a type; `#[state]` writes one for each field.
pub trait Member: 'static {
    /// The state.
    type State: State;
    /// The field's type.
    type Value: Clone + Serialize + Send + Sync + 'static;
    /// The field's name.
    const NAME: &'static str;
    /// The field in a state.
    fn get(state: &Self::State) -> &Self::Value;
    /// The field in a state, to be changed.
    fn get_mut(state: &mut Self::State) -> &mut Self::Value;
    /// Whether two values of the field are the same.
    #[inline]
    fn same(a: &Self::Value, b: &Self::Value) -> bool {
        same(a, b)
    }
    /// Whether it is left out of what is streamed and stored.
    const TRANSIENT: bool = false;
    /// The function of the option `validate`.
    const VALIDATE: Option<Validate<Self::Value>> = None;
}

/// A field of a handle: `ctx.self_.note`.
///
/// Every write gives `true` where it changed the field, and `false` where the field already had that value: then
/// nothing has happened. A write that is refused changes nothing.
pub struct Field<'a, A: Access, M: Member> {
    at: A::Ref<'a, M::State>,
}

impl<A: Access, M: Member> Clone for Field<'_, A, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Access, M: Member> Copy for Field<'_, A, M> {}

impl<A: Access, M: Member> fmt::Debug for Field<'_, A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field({})", full_name::<M>())
    }
}

fn full_name<M: Member>() -> String {
    format!("{}.{}", M::State::DEF.name, M::NAME)
}

pub(super) fn check<M: Member>(value: &M::Value) -> Result<(), StateError> {
    match M::VALIDATE.map(|validate| validate(value)) {
        Some(Err(reason)) => Err(StateError::Rejected { field: full_name::<M>(), reason }),
        _ => Ok(()),
    }
}

/// Changes a field in place; where it has a `validate` function, on a copy first.
#[inline]
fn edit<M: Member>(
    state: &mut M::State,
    op: impl FnOnce(&mut M::Value) -> Result<bool, StateError>,
) -> Result<Done<bool>, StateError> {
    let changed = if M::VALIDATE.is_some() {
        let mut copy = M::get(state).clone();
        let changed = op(&mut copy)?;
        if changed {
            check::<M>(&copy)?;
            *M::get_mut(state) = copy;
        }
        changed
    } else {
        op(M::get_mut(state))?
    };
    Ok(Done { changed, result: changed })
}

#[inline]
fn assign<M: Member>(slot: &mut M::Value, value: M::Value) -> bool {
    let changed = !M::same(slot, &value);
    if changed {
        *slot = value;
    }
    changed
}

#[inline]
fn shift<M: Member>(slot: &mut M::Value, to: Option<M::Value>) -> Result<bool, StateError> {
    let Some(value) = to else {
        return Err(StateError::DeltaRefused { field: full_name::<M>() });
    };
    Ok(assign::<M>(slot, value))
}

impl<'a, A: Access, M: Member> Field<'a, A, M> {
    #[doc(hidden)]
    #[inline]
    pub fn new(at: A::Ref<'a, M::State>) -> Self {
        Self { at }
    }
}

impl<W: 'static, M: Member> Field<'_, access::Local<W>, M> {
    /// A copy of the field.
    #[must_use]
    #[inline]
    pub fn get(&self) -> M::Value {
        self.at.peek(|state| M::get(state).clone())
    }

    /// What `read` makes of the field, without a copy; writes meanwhile do not show.
    pub fn with<R>(&self, read: impl FnOnce(&M::Value) -> R) -> R {
        read(M::get(&self.at.snapshot()))
    }

    /// Puts a value in; `false` where it is the same.
    ///
    /// # Errors
    /// `state_rejected` by a `validate` function, `state_reentrant` inside an update of the same state.
    pub fn set(&self, value: M::Value) -> Result<bool>
    where
        W: Writable,
    {
        self.at.write::<Of<M>, _>(|state| edit::<M>(state, |slot| Ok(assign::<M>(slot, value))))
    }

    /// Changes the field by a function, all or nothing: a panic in it leaves the old value.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn update(&self, change: impl FnOnce(&mut M::Value)) -> Result<bool>
    where
        W: Writable,
    {
        Ok(self
            .changed(|value| {
                change(value);
                Ok(())
            })?
            .changed)
    }

    /// As [`update`](Self::update), and gives what the function returns.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn modify<R>(&self, change: impl FnOnce(&mut M::Value) -> R) -> Result<R>
    where
        W: Writable,
    {
        Ok(self.changed(|value| Ok(change(value)))?.result)
    }

    fn changed<R>(&self, change: impl FnOnce(&mut M::Value) -> Result<R>) -> Result<Done<R>> {
        self.at.change::<Of<M>, _, _>(
            |state| M::get(state).clone(),
            change,
            |state, value| M::same(M::get(state), value),
            check::<M>,
            |state, value| *M::get_mut(state) = value,
        )
    }

    /// Adds to a number.
    ///
    /// # Errors
    /// `state_delta_refused` where it would overflow or not be finite; else as [`set`](Self::set).
    #[inline]
    pub fn inc(&self, by: <M::Value as Number>::By) -> Result<bool>
    where
        M::Value: Number,
        W: Writable,
    {
        self.at.write::<Of<M>, _>(|state| edit::<M>(state, |slot| shift::<M>(slot, slot.plus(by))))
    }

    /// Subtracts from a number.
    ///
    /// # Errors
    /// As [`inc`](Self::inc).
    #[inline]
    pub fn dec(&self, by: <M::Value as Number>::By) -> Result<bool>
    where
        M::Value: Number,
        W: Writable,
    {
        self.at.write::<Of<M>, _>(|state| edit::<M>(state, |slot| shift::<M>(slot, slot.minus(by))))
    }

    /// Appends to a list; always a change.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn push(&self, item: <M::Value as List>::Item) -> Result<bool>
    where
        M::Value: List,
        W: Writable,
    {
        self.at.write::<Of<M>, _>(|state| {
            edit::<M>(state, |slot| {
                slot.append(item);
                Ok(true)
            })
        })
    }

    /// Puts a value under a key of a map; `false` where the same value is there.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn insert(
        &self,
        key: <M::Value as Keyed>::Key,
        value: <M::Value as Keyed>::Value,
    ) -> Result<bool>
    where
        M::Value: Keyed,
        W: Writable,
    {
        self.at.write::<Of<M>, _>(|state| edit::<M>(state, |slot| Ok(slot.put(key, value))))
    }

    /// Removes a key of a map, or an item of a set; `false` where it is not there.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn remove<Q: ?Sized>(&self, key: &Q) -> Result<bool>
    where
        M::Value: Removable<Q>,
        W: Writable,
    {
        self.at.write::<Of<M>, _>(|state| edit::<M>(state, |slot| Ok(slot.take_out(key))))
    }
}

impl<'a, W: 'static, M: Member> Field<'a, access::Stored<W>, M> {
    /// A copy of the field, as this request last saw it.
    #[must_use]
    pub fn get(&self) -> M::Value {
        M::get(&self.at.seen()).clone()
    }

    /// What `read` makes of the field, as this request last saw it.
    pub fn with<R>(&self, read: impl FnOnce(&M::Value) -> R) -> R {
        read(M::get(&self.at.seen()))
    }

    /// Puts a value in; `false` where it is the same. Of two writers the last one wins.
    ///
    /// # Errors
    /// `state_rejected` by a `validate` function, `state_reentrant` inside an update of the same state.
    pub fn set(&self, value: M::Value) -> Write<'a, bool>
    where
        W: Writable,
    {
        self.edit(move |slot| Ok(assign::<M>(slot, value.clone())))
    }

    /// Changes the field by a function, all or nothing. It may be called again when another writer was faster.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn update<'w>(&self, mut change: impl FnMut(&mut M::Value) + Send + 'w) -> Write<'w, bool>
    where
        W: Writable,
        'a: 'w,
    {
        let changed = self.changed(move |value| {
            change(value);
            Ok(())
        });
        Write::new(async move { Ok(changed.await?.changed) })
    }

    /// As [`update`](Self::update), and gives what the function returned in the end.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn modify<'w, R: Send + 'w>(
        &self,
        mut change: impl FnMut(&mut M::Value) -> R + Send + 'w,
    ) -> Write<'w, R>
    where
        W: Writable,
        'a: 'w,
    {
        let changed = self.changed(move |value| Ok(change(value)));
        Write::new(async move { Ok(changed.await?.result) })
    }

    fn changed<'w, R: Send + 'w>(
        &self,
        change: impl FnMut(&mut M::Value) -> Result<R> + Send + 'w,
    ) -> Write<'w, Done<R>>
    where
        'a: 'w,
    {
        self.at.change::<Of<M>, _, _>(
            |state| M::get(state).clone(),
            change,
            |state, value| M::same(M::get(state), value),
            check::<M>,
            |state, value| *M::get_mut(state) = value,
        )
    }

    fn edit(
        &self,
        op: impl FnMut(&mut M::Value) -> Result<bool, StateError> + Send + 'a,
    ) -> Write<'a, bool> {
        let mut op = op;
        self.at.write::<Of<M>, _>(move |state| edit::<M>(state, &mut op))
    }

    /// Adds to a number, whatever other writers do meanwhile.
    ///
    /// # Errors
    /// `state_delta_refused` where it would overflow or not be finite; else as [`set`](Self::set).
    pub fn inc(&self, by: <M::Value as Number>::By) -> Write<'a, bool>
    where
        M::Value: Number<By: Clone + Send + 'a>,
        W: Writable,
    {
        self.edit(move |slot| shift::<M>(slot, slot.plus(by.clone())))
    }

    /// Subtracts from a number, whatever other writers do meanwhile.
    ///
    /// # Errors
    /// As [`inc`](Self::inc).
    pub fn dec(&self, by: <M::Value as Number>::By) -> Write<'a, bool>
    where
        M::Value: Number<By: Clone + Send + 'a>,
        W: Writable,
    {
        self.edit(move |slot| shift::<M>(slot, slot.minus(by.clone())))
    }

    /// Appends to a list; always a change.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn push(&self, item: <M::Value as List>::Item) -> Write<'a, bool>
    where
        M::Value: List<Item: Clone + Send + 'a>,
        W: Writable,
    {
        self.edit(move |slot| {
            slot.append(item.clone());
            Ok(true)
        })
    }

    /// Puts a value under a key of a map; `false` where the same value is there.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn insert(
        &self,
        key: <M::Value as Keyed>::Key,
        value: <M::Value as Keyed>::Value,
    ) -> Write<'a, bool>
    where
        M::Value: Keyed<Key: Clone + Send + 'a, Value: Clone + Send + 'a>,
        W: Writable,
    {
        self.edit(move |slot| Ok(slot.put(key.clone(), value.clone())))
    }

    /// Removes a key of a map, or an item of a set; `false` where it is not there.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn remove<Q: ToOwned<Owned: Send + 'a> + ?Sized>(&self, key: &Q) -> Write<'a, bool>
    where
        M::Value: Removable<Q>,
        W: Writable,
    {
        let key = key.to_owned();
        self.edit(move |slot| Ok(slot.take_out(key.borrow())))
    }
}

/// A field that is a set: all that a [`Field`] can, with an `insert` that takes one argument.
pub struct SetField<'a, A: Access, M: Member>(Field<'a, A, M>);

impl<'a, A: Access, M: Member> SetField<'a, A, M> {
    #[doc(hidden)]
    #[inline]
    pub fn new(at: A::Ref<'a, M::State>) -> Self {
        Self(Field::new(at))
    }
}

impl<A: Access, M: Member> Clone for SetField<'_, A, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Access, M: Member> Copy for SetField<'_, A, M> {}

impl<A: Access, M: Member> fmt::Debug for SetField<'_, A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a, A: Access, M: Member> Deref for SetField<'a, A, M> {
    type Target = Field<'a, A, M>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<W: 'static, M: Member> SetField<'_, access::Local<W>, M> {
    /// Adds an item; `false` where it is there.
    ///
    /// # Errors
    /// As [`Field::set`].
    pub fn insert(&self, item: <M::Value as SetLike>::Item) -> Result<bool>
    where
        M::Value: SetLike,
        W: Writable,
    {
        self.0.at.write::<Of<M>, _>(|state| edit::<M>(state, |slot| Ok(slot.put(item))))
    }
}

impl<'a, W: 'static, M: Member> SetField<'a, access::Stored<W>, M> {
    /// Adds an item; `false` where it is there.
    ///
    /// # Errors
    /// As [`Field::set`].
    pub fn insert(&self, item: <M::Value as SetLike>::Item) -> Write<'a, bool>
    where
        M::Value: SetLike<Item: Clone + Send + 'a>,
        W: Writable,
    {
        self.0.edit(move |slot| Ok(slot.put(item.clone())))
    }
}
