use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::marker::PhantomData;

use flowstate::state::same;
use proptest::prelude::*;
use serde::Serialize;
use serde::ser::{Error as _, SerializeMap, Serializer};

/// Bytes, which serde would otherwise write as a sequence.
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bytes(self.0)
    }
}

/// A map written exactly as listed, duplicates and all.
#[derive(Clone)]
struct Listed<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Listed<K, V> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(k, v)| (k, v)))
    }
}

/// Any of several shapes, written without a word on which.
#[derive(Serialize)]
#[serde(untagged)]
enum Shape<'a> {
    Bool(bool),
    U8(u8),
    U32(u32),
    I32(i32),
    I128(i128),
    U128(u128),
    F32(f32),
    F64(f64),
    Char(char),
    Str(&'a str),
    Bytes(Bytes<'a>),
    Unit(()),
    UnitStruct(UnitStruct),
    Option(Option<()>),
    Seq(Vec<u8>),
    Tuple((u8, u8)),
    Pair(Pair),
    Map(BTreeMap<u8, u8>),
    Struct(Point),
    Unlike(Unlike),
    Kind(Kind),
    Wrapper(Wrapper),
}

#[derive(Serialize)]
struct UnitStruct;

#[derive(Serialize)]
struct Pair(u8, u8);

#[derive(Serialize)]
struct Wrapper(f64);

#[derive(Serialize)]
struct Point {
    x: u8,
    y: u8,
}

#[derive(Serialize)]
struct Unlike {
    x: u8,
    z: u8,
}

#[derive(Serialize)]
enum Kind {
    Unit,
    Other,
    Newtype(f64),
    OtherNewtype(f64),
    Tuple(u8, f64),
    Struct { a: f64 },
}

#[test]
fn nan_is_the_same_as_nan_whatever_its_payload() {
    assert!(same(&f64::NAN, &f64::NAN));
    assert!(same(&f64::NAN, &-f64::NAN));
    assert!(same(&f64::NAN, &f64::from_bits(0x7ff0_0000_0000_0001)));
    assert!(same(&f32::NAN, &f32::from_bits(0xffc0_1234)));
    assert!(!same(&f64::NAN, &f64::INFINITY));
    assert!(!same(&f32::NAN, &0.0));
}

#[test]
fn zero_is_not_the_same_as_minus_zero() {
    assert!(same(&0.0, &0.0));
    assert!(same(&-0.0, &-0.0));
    assert!(!same(&0.0_f64, &-0.0));
    assert!(!same(&0.0_f32, &-0.0));
}

#[test]
fn floats_are_told_apart_at_any_depth() {
    let nest = |f: f64, g: f32| {
        let map = HashMap::from([("k", Some((f, vec![Kind::Struct { a: f }])))]);
        vec![(map, Kind::Tuple(1, f), [g])]
    };
    let payload = (f64::from_bits(0xfff8_0000_0000_0007), -f32::NAN);
    assert!(same(&nest(f64::NAN, f32::NAN), &nest(payload.0, payload.1)));
    assert!(!same(&nest(0.0, 0.0), &nest(-0.0, 0.0)));
    assert!(!same(&nest(0.0, 0.0), &nest(0.0, -0.0)));
}

#[test]
fn map_entries_have_no_order() {
    let forward: HashMap<_, _> = (0..100).map(|i| (i.to_string(), i)).collect();
    let backward: HashMap<_, _> = (0..100).rev().map(|i| (i.to_string(), i)).collect();
    assert!(same(&forward, &backward));

    let mut changed = backward.clone();
    changed.insert("7".into(), 0);
    assert!(!same(&forward, &changed));

    let mut shorter = backward;
    shorter.remove("7");
    assert!(!same(&forward, &shorter));
}

#[test]
fn map_entries_have_no_order_inside_other_maps() {
    let inner = |pairs: [(u8, u8); 2]| Listed(pairs.to_vec());
    let a = Listed(vec![(1, inner([(1, 1), (2, 2)])), (2, inner([(3, 3), (4, 4)]))]);
    let b = Listed(vec![(2, inner([(4, 4), (3, 3)])), (1, inner([(2, 2), (1, 1)]))]);
    let swapped = Listed(vec![(2, inner([(1, 1), (2, 2)])), (1, inner([(3, 3), (4, 4)]))]);
    assert!(same(&a, &b));
    assert!(!same(&a, &swapped));
}

#[test]
fn map_keys_may_be_any_value() {
    let key = |f: f64| (Some(f), Listed(vec![(vec![f], 'a'), (vec![], 'b')]));
    let turned = |f: f64| (Some(f), Listed(vec![(vec![], 'b'), (vec![f], 'a')]));
    let a = Listed(vec![(key(f64::NAN), 1), (key(0.0), 2)]);
    let b = Listed(vec![(turned(0.0), 2), (turned(-f64::NAN), 1)]);
    let c = Listed(vec![(turned(-0.0), 2), (turned(f64::NAN), 1)]);
    assert!(same(&a, &b));
    assert!(!same(&a, &c));
    assert!(!same(&Listed(vec![(1, 2)]), &Listed(vec![(2, 1)])));
}

#[test]
fn duplicate_map_entries_are_counted() {
    let map = |entries: &[(u8, u8)]| Listed(entries.to_vec());
    assert!(same(&map(&[(1, 1), (1, 2)]), &map(&[(1, 2), (1, 1)])));
    assert!(!same(&map(&[(1, 1), (1, 1)]), &map(&[(1, 1)])));
    assert!(!same(&map(&[(1, 1), (1, 1), (1, 2)]), &map(&[(1, 1), (1, 2), (1, 2)])));
}

#[test]
fn sequences_compare_by_order_and_length() {
    assert!(same(&[1, 2][..], &[1, 2][..]));
    assert!(!same(&[1, 2][..], &[2, 1][..]));
    assert!(!same(&[1, 2][..], &[1, 2, 2][..]));
    assert!(!same(&(1, 2), &(2, 1)));
    assert!(!same(&Pair(1, 2), &Pair(2, 1)));
}

#[test]
fn the_edges_between_neighbours_count() {
    assert!(!same(&("ab", "c"), &("a", "bc")));
    for byte in 0..32 {
        let c = char::from(byte);
        assert!(!same(&(format!("a{c}b"), "c".into()), &("a".into(), format!("b{c}c"))));
    }
    let (empty, full) = (Tree::Seq(vec![]), Tree::Seq(vec![Tree::Unit]));
    assert!(!same(&Tree::Seq(vec![empty, Tree::Unit]), &Tree::Seq(vec![full])));
    assert!(!same(&vec![vec![1], vec![]], &vec![vec![], vec![1]]));
    assert!(!same(&vec![vec![1], vec![2]], &vec![vec![1, 2], vec![]]));
    assert!(!same(&vec![vec![1_u8, 2]], &vec![vec![1], vec![2]]));
    assert!(!same(&(Bytes(&[0]), Bytes(&[])), &(Bytes(&[]), Bytes(&[0]))));
}

#[test]
fn structs_compare_field_by_field() {
    assert!(same(&Point { x: 1, y: 2 }, &Point { x: 1, y: 2 }));
    assert!(!same(&Point { x: 1, y: 2 }, &Point { x: 2, y: 1 }));
    assert!(!same(&Shape::Struct(Point { x: 1, y: 2 }), &Shape::Unlike(Unlike { x: 1, z: 2 }),));
}

#[test]
fn skipped_fields_do_not_count() {
    #[derive(Serialize)]
    struct Cached {
        value: u8,
        #[serde(skip)]
        _cache: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        left: Option<u8>,
        #[serde(skip_serializing_if = "Option::is_none")]
        right: Option<u8>,
    }
    let cached = |value, cache, left, right| Cached { value, _cache: cache, left, right };
    assert!(same(&cached(1, 2, None, None), &cached(1, 3, None, None)));
    assert!(!same(&cached(1, 2, None, None), &cached(2, 2, None, None)));
    assert!(!same(&cached(1, 2, Some(1), None), &cached(1, 2, None, None)));
    assert!(!same(&cached(1, 2, Some(1), None), &cached(1, 2, None, Some(1))));
}

#[test]
fn flattened_structs_compare_as_maps() {
    #[derive(Serialize)]
    struct Outer {
        name: &'static str,
        #[serde(flatten)]
        rest: Listed<&'static str, f64>,
    }
    let outer = |rest: [(&'static str, f64); 2]| Outer { name: "n", rest: Listed(rest.into()) };
    let a = outer([("a", f64::NAN), ("b", 0.0)]);
    assert!(same(&a, &outer([("b", 0.0), ("a", f64::NAN)])));
    assert!(!same(&a, &outer([("b", -0.0), ("a", f64::NAN)])));
}

#[test]
fn enums_compare_by_variant_and_payload() {
    assert!(same(&Kind::Unit, &Kind::Unit));
    assert!(!same(&Kind::Unit, &Kind::Other));
    assert!(same(&Kind::Newtype(f64::NAN), &Kind::Newtype(f64::NAN)));
    assert!(!same(&Kind::Newtype(1.0), &Kind::OtherNewtype(1.0)));
    assert!(!same(&Kind::Newtype(0.0), &Kind::Newtype(-0.0)));
    assert!(!same(&Kind::Tuple(1, 2.0), &Kind::Tuple(2, 2.0)));
    assert!(same(&Kind::Struct { a: 1.0 }, &Kind::Struct { a: 1.0 }));
    assert!(!same(&Kind::Struct { a: 1.0 }, &Kind::Struct { a: 2.0 }));
}

#[test]
fn none_is_only_none() {
    assert!(same(&None::<u8>, &None));
    assert!(!same(&None, &Some(0)));
    assert!(!same(&None, &Some(())));
    assert!(!same(&Some(None), &None::<Option<u8>>));
    assert!(!same(&Some(Some(())), &Some(None)));
    assert!(!same(&Shape::Option(None), &Shape::Unit(())));
    assert!(!same(&Shape::Option(Some(())), &Shape::Unit(())));
}

#[test]
fn scalars_of_every_width() {
    assert!(same(&i128::MIN, &i128::MIN));
    assert!(!same(&i128::MIN, &i128::MAX));
    assert!(!same(&u128::MAX, &(u128::MAX - 1)));
    assert!(!same(&1_i8, &-1));
    assert!(!same(&u64::MAX, &(u64::MAX - 1)));
    assert!(same(&'é', &'é'));
    assert!(!same(&'e', &'é'));
    assert!(!same(&true, &false));
    assert!(same(&Bytes(b"ab"), &Bytes(b"ab")));
    assert!(!same(&Bytes(b"ab"), &Bytes(b"ba")));
    assert!(same("unsized", "unsized"));
}

#[test]
fn newtypes_compare_by_what_they_hold() {
    assert!(same(&Wrapper(f64::NAN), &Wrapper(f64::NAN)));
    assert!(!same(&Wrapper(0.0), &Wrapper(-0.0)));
    assert!(same(&Shape::Wrapper(Wrapper(1.0)), &Shape::F64(1.0)));
    assert!(same(&PhantomData::<u8>, &PhantomData));
}

#[test]
fn values_of_different_shapes_are_never_the_same() {
    let shapes = [
        Shape::Bool(true),
        Shape::U8(1),
        Shape::U32(1),
        Shape::I32(1),
        Shape::I128(1),
        Shape::U128(1),
        Shape::F32(1.0),
        Shape::F64(1.0),
        Shape::F32(f32::NAN),
        Shape::F64(f64::NAN),
        Shape::Char('1'),
        Shape::Str("1"),
        Shape::Bytes(Bytes(b"1")),
        Shape::Unit(()),
        Shape::UnitStruct(UnitStruct),
        Shape::Option(None),
        Shape::Option(Some(())),
        Shape::Seq(vec![]),
        Shape::Seq(vec![1, 1]),
        Shape::Tuple((1, 1)),
        Shape::Pair(Pair(1, 1)),
        Shape::Map(BTreeMap::new()),
        Shape::Map(BTreeMap::from([(1, 1)])),
        Shape::Struct(Point { x: 1, y: 1 }),
        Shape::Unlike(Unlike { x: 1, z: 1 }),
        Shape::Kind(Kind::Unit),
        Shape::Kind(Kind::Newtype(1.0)),
        Shape::Kind(Kind::Tuple(1, 1.0)),
        Shape::Kind(Kind::Struct { a: 1.0 }),
    ];
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            assert_eq!(same(a, b), i == j, "shapes {i} and {j}");
        }
    }
}

/// Fails to serialise when told to.
#[derive(Clone)]
struct Fails(bool);

impl Serialize for Fails {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.0 {
            return Err(S::Error::custom("no"));
        }
        s.serialize_unit()
    }
}

#[test]
fn what_fails_to_serialise_is_never_the_same() {
    let (fails, works) = (Fails(true), Fails(false));
    assert!(same(&works, &works));
    assert!(!same(&fails, &fails));
    assert!(!same(&fails, &works));
    assert!(!same(&works, &fails));
    assert!(!same(&vec![Some(fails.clone())], &vec![Some(fails.clone())]));
    let key = Listed(vec![(fails.clone(), 1)]);
    let value = Listed(vec![(1, fails)]);
    assert!(!same(&key, &key));
    assert!(!same(&value, &value));
}

#[test]
fn a_failing_display_does_not_panic() {
    struct Shown;
    impl fmt::Display for Shown {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            Err(fmt::Error)
        }
    }
    impl Serialize for Shown {
        fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            s.collect_str(self)
        }
    }
    assert!(!same(&Shown, &Shown));
}

#[test]
fn a_malformed_map_is_never_the_same() {
    struct Malformed(&'static str);
    impl Serialize for Malformed {
        fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            let mut map = s.serialize_map(None)?;
            for call in self.0.chars() {
                match call {
                    'k' => map.serialize_key(&1)?,
                    _ => map.serialize_value(&1)?,
                }
            }
            map.end()
        }
    }
    assert!(same(&Malformed("kvkv"), &Malformed("kvkv")));
    for calls in ["v", "k", "kk", "kvv", "kkvv", "kvk"] {
        assert!(!same(&Malformed(calls), &Malformed(calls)), "{calls}");
    }
}

#[test]
fn deep_values_are_compared() {
    #[derive(Serialize)]
    struct Deep(Option<Box<Deep>>, u32);
    let deep = |leaf| (0..1000).fold(Deep(None, leaf), |inner, i| Deep(Some(Box::new(inner)), i));
    assert!(same(&deep(1), &deep(1)));
    assert!(!same(&deep(1), &deep(2)));
}

/// A value of any shape.
#[derive(Clone, Debug, Serialize)]
enum Tree {
    Unit,
    Bool(bool),
    Int(i64),
    Wide(u128),
    Single(f32),
    Double(f64),
    Char(char),
    Text(String),
    Maybe(Option<Box<Tree>>),
    Seq(Vec<Tree>),
    Pair(Box<Tree>, Box<Tree>),
    Node { left: Box<Tree>, right: Box<Tree> },
    Map(HashMap<String, Tree>),
    Keyed(HashMap<(i8, Option<char>), Tree>),
}

fn single() -> impl Strategy<Value = f32> {
    prop_oneof![any::<u32>().prop_map(f32::from_bits), Just(f32::NAN), Just(0.0), Just(-0.0)]
}

fn double() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>().prop_map(f64::from_bits), Just(f64::NAN), Just(0.0), Just(-0.0)]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Unit),
        any::<bool>().prop_map(Tree::Bool),
        any::<i64>().prop_map(Tree::Int),
        any::<u128>().prop_map(Tree::Wide),
        single().prop_map(Tree::Single),
        double().prop_map(Tree::Double),
        any::<char>().prop_map(Tree::Char),
        ".{0,4}".prop_map(Tree::Text),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let key = (any::<i8>(), any::<Option<char>>());
        prop_oneof![
            proptest::option::of(boxed.clone()).prop_map(Tree::Maybe),
            prop::collection::vec(inner.clone(), 0..6).prop_map(Tree::Seq),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Tree::Pair(a, b)),
            (boxed.clone(), boxed).prop_map(|(left, right)| Tree::Node { left, right }),
            prop::collection::hash_map("[a-c]{0,2}", inner.clone(), 0..6).prop_map(Tree::Map),
            prop::collection::hash_map(key, inner, 0..6).prop_map(Tree::Keyed),
        ]
    })
}

impl Tree {
    /// The same value, every map in it built again, back to front and with a new hash seed.
    fn rebuilt(&self) -> Self {
        let boxed = |t: &Tree| Box::new(t.rebuilt());
        match self {
            Tree::Single(f) if f.is_nan() => Tree::Single(-f),
            Tree::Double(f) if f.is_nan() => Tree::Double(-f),
            Tree::Maybe(t) => Tree::Maybe(t.as_deref().map(boxed)),
            Tree::Seq(ts) => Tree::Seq(ts.iter().map(Tree::rebuilt).collect()),
            Tree::Pair(a, b) => Tree::Pair(boxed(a), boxed(b)),
            Tree::Node { left, right } => Tree::Node { left: boxed(left), right: boxed(right) },
            Tree::Map(map) => Tree::Map(turned(map)),
            Tree::Keyed(map) => Tree::Keyed(turned(map)),
            leaf => leaf.clone(),
        }
    }

    fn children(&mut self) -> Vec<&mut Tree> {
        match self {
            Tree::Maybe(t) => t.as_deref_mut().into_iter().collect(),
            Tree::Seq(ts) => ts.iter_mut().collect(),
            Tree::Pair(a, b) | Tree::Node { left: a, right: b } => vec![a, b],
            Tree::Map(map) => map.values_mut().collect(),
            Tree::Keyed(map) => map.values_mut().collect(),
            _ => vec![],
        }
    }

    /// Changes one leaf, an empty container being one too.
    fn change_one(&mut self, pick: prop::sample::Index) {
        let mut children = self.children();
        if children.is_empty() {
            drop(children);
            self.change();
        } else {
            let at = pick.index(children.len());
            children[at].change_one(pick);
        }
    }

    /// A leaf as little unlike this one as can be.
    fn change(&mut self) {
        *self = match self {
            Tree::Bool(b) => Tree::Bool(!*b),
            Tree::Int(i) => Tree::Int(*i ^ 1),
            Tree::Wide(i) => Tree::Wide(*i ^ (1 << 127)),
            Tree::Single(f) if f.is_nan() => Tree::Single(f32::INFINITY),
            Tree::Single(f) => Tree::Single(-*f),
            Tree::Double(f) if f.is_nan() => Tree::Double(f64::INFINITY),
            Tree::Double(f) => Tree::Double(-*f),
            Tree::Char(c) => Tree::Char(if *c == 'a' { 'b' } else { 'a' }),
            Tree::Text(s) => Tree::Text(format!("{s}\0")),
            Tree::Unit => Tree::Maybe(None),
            _ => Tree::Unit,
        };
    }
}

fn turned<K: Clone + Eq + std::hash::Hash>(map: &HashMap<K, Tree>) -> HashMap<K, Tree> {
    let mut entries: Vec<_> = map.iter().map(|(k, t)| (k.clone(), t.rebuilt())).collect();
    entries.reverse();
    entries.into_iter().collect()
}

proptest! {
    #[test]
    fn a_value_is_the_same_as_its_clone(t in tree()) {
        prop_assert!(same(&t, &t.clone()));
        prop_assert!(same(&t, &t.rebuilt()));
        prop_assert!(same(&t.rebuilt(), &t));
    }

    #[test]
    fn one_changed_leaf_makes_it_not_the_same(t in tree(), pick: prop::sample::Index) {
        let mut changed = t.rebuilt();
        changed.change_one(pick);
        prop_assert!(!same(&t, &changed));
        prop_assert!(!same(&changed, &t));
    }

    #[test]
    fn different_floats_are_the_same_only_by_value(a in double(), b in double()) {
        let expected = a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        prop_assert_eq!(same(&a, &b), expected);
        prop_assert_eq!(same(&vec![Some(a)], &vec![Some(b)]), expected);
    }
}
