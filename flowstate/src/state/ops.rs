//! What a field's type must be able to do, for each operation that not every type has.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use serde::Serialize;

use super::same;

/// A number: what `inc` and `dec` change.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be incremented",
    label = "`inc` and `dec` are for integers, floats, and `Option`s of them",
    note = "for anything else there are `set` and `update`"
)]
pub trait Number: Sized {
    /// What it can be incremented by.
    type By;
    /// The sum; `None` where it would overflow or not be finite.
    fn plus(&self, by: Self::By) -> Option<Self>;
    /// The difference; `None` where it would overflow or not be finite.
    fn minus(&self, by: Self::By) -> Option<Self>;
}

macro_rules! numbers {
    ($($int:ty)*; $($float:ty)*) => {
        $(impl Number for $int {
            type By = Self;
            #[inline]
            fn plus(&self, by: Self) -> Option<Self> { self.checked_add(by) }
            #[inline]
            fn minus(&self, by: Self) -> Option<Self> { self.checked_sub(by) }
        })*
        $(impl Number for $float {
            type By = Self;
            fn plus(&self, by: Self) -> Option<Self> { Some(self + by).filter(|n| n.is_finite()) }
            fn minus(&self, by: Self) -> Option<Self> { Some(self - by).filter(|n| n.is_finite()) }
        })*
    };
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize; f32 f64);

impl<N: Number<By = N> + Default + Clone> Number for Option<N> {
    type By = N;
    fn plus(&self, by: N) -> Option<Self> {
        self.clone().unwrap_or_default().plus(by).map(Some)
    }
    fn minus(&self, by: N) -> Option<Self> {
        self.clone().unwrap_or_default().minus(by).map(Some)
    }
}

/// A list: what `push` appends to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list",
    label = "`push` is for `Vec`, `VecDeque`, and `Option`s of them",
    note = "for anything else there are `set` and `update`"
)]
pub trait List {
    /// What it holds.
    type Item;
    /// Appends one.
    fn append(&mut self, item: Self::Item);
}

impl<T> List for Vec<T> {
    type Item = T;
    fn append(&mut self, item: T) {
        self.push(item);
    }
}
impl<T> List for VecDeque<T> {
    type Item = T;
    fn append(&mut self, item: T) {
        self.push_back(item);
    }
}
impl<L: List + Default> List for Option<L> {
    type Item = L::Item;
    fn append(&mut self, item: L::Item) {
        self.get_or_insert_default().append(item);
    }
}

/// A map: what `insert` writes to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a map",
    label = "`insert` with a key and a value is for `BTreeMap`, `HashMap` and `IndexMap`",
    note = "for anything else there are `set` and `update`"
)]
pub trait Keyed {
    /// Its keys.
    type Key;
    /// Its values.
    type Value;
    /// Puts the value under the key; `false` where the same value is there.
    fn put(&mut self, key: Self::Key, value: Self::Value) -> bool;
}

/// A set: what `insert` with one argument writes to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set",
    label = "this `insert` is for `BTreeSet`, `HashSet` and `IndexSet`"
)]
pub trait SetLike {
    /// What it holds.
    type Item;
    /// Adds the item; `false` where it is there.
    fn put(&mut self, item: Self::Item) -> bool;
}

/// A map or a set from which `Q` can be removed.
#[diagnostic::on_unimplemented(
    message = "nothing can be removed from `{Self}` by this key",
    label = "`remove` is for maps and sets, by a borrowed key",
    note = "for anything else there are `set` and `update`"
)]
pub trait Removable<Q: ?Sized> {
    /// Removes the key or item; `false` where it is not there.
    fn take_out(&mut self, key: &Q) -> bool;
}

fn replace<V: Serialize + 'static>(slot: Option<&mut V>, value: V) -> Result<bool, V> {
    match slot {
        Some(old) if same(old, &value) => Ok(false),
        Some(old) => {
            *old = value;
            Ok(true)
        }
        None => Err(value),
    }
}

impl<K: Ord, V: Serialize + 'static> Keyed for BTreeMap<K, V> {
    type Key = K;
    type Value = V;
    fn put(&mut self, key: K, value: V) -> bool {
        replace(self.get_mut(&key), value).unwrap_or_else(|value| {
            self.insert(key, value);
            true
        })
    }
}
impl<K: Eq + Hash, V: Serialize + 'static, H: BuildHasher> Keyed for HashMap<K, V, H> {
    type Key = K;
    type Value = V;
    fn put(&mut self, key: K, value: V) -> bool {
        replace(self.get_mut(&key), value).unwrap_or_else(|value| {
            self.insert(key, value);
            true
        })
    }
}
impl<T: Ord> SetLike for BTreeSet<T> {
    type Item = T;
    fn put(&mut self, item: T) -> bool {
        self.insert(item)
    }
}
impl<T: Eq + Hash, H: BuildHasher> SetLike for HashSet<T, H> {
    type Item = T;
    fn put(&mut self, item: T) -> bool {
        self.insert(item)
    }
}
impl<K: Ord + std::borrow::Borrow<Q>, V, Q: Ord + ?Sized> Removable<Q> for BTreeMap<K, V> {
    fn take_out(&mut self, key: &Q) -> bool {
        self.remove(key).is_some()
    }
}
impl<K, V, Q, H> Removable<Q> for HashMap<K, V, H>
where
    K: Eq + Hash + std::borrow::Borrow<Q>,
    Q: Eq + Hash + ?Sized,
    H: BuildHasher,
{
    fn take_out(&mut self, key: &Q) -> bool {
        self.remove(key).is_some()
    }
}
impl<T: Ord + std::borrow::Borrow<Q>, Q: Ord + ?Sized> Removable<Q> for BTreeSet<T> {
    fn take_out(&mut self, key: &Q) -> bool {
        self.remove(key)
    }
}
impl<T, Q, H> Removable<Q> for HashSet<T, H>
where
    T: Eq + Hash + std::borrow::Borrow<Q>,
    Q: Eq + Hash + ?Sized,
    H: BuildHasher,
{
    fn take_out(&mut self, key: &Q) -> bool {
        self.remove(key)
    }
}

#[cfg(feature = "indexmap")]
mod index {
    use std::hash::{BuildHasher, Hash};

    use indexmap::{Equivalent, IndexMap, IndexSet};
    use serde::Serialize;

    use super::{Keyed, Removable, SetLike, replace};

    impl<K: Eq + Hash, V: Serialize + 'static, H: BuildHasher> Keyed for IndexMap<K, V, H> {
        type Key = K;
        type Value = V;
        fn put(&mut self, key: K, value: V) -> bool {
            replace(self.get_mut(&key), value).unwrap_or_else(|value| {
                self.insert(key, value);
                true
            })
        }
    }
    impl<T: Eq + Hash, H: BuildHasher> SetLike for IndexSet<T, H> {
        type Item = T;
        fn put(&mut self, item: T) -> bool {
            self.insert(item)
        }
    }
    impl<K, V, H, Q> Removable<Q> for IndexMap<K, V, H>
    where
        H: BuildHasher,
        Q: Hash + Equivalent<K> + ?Sized,
    {
        fn take_out(&mut self, key: &Q) -> bool {
            self.shift_remove(key).is_some()
        }
    }
    impl<T, H: BuildHasher, Q: Hash + Equivalent<T> + ?Sized> Removable<Q> for IndexSet<T, H> {
        fn take_out(&mut self, key: &Q) -> bool {
            self.shift_remove(key)
        }
    }
}
