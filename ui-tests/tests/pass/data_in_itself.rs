//! Data may hold itself, also where an alias hides how.

use flowstate::prelude::*;

type Kids = Vec<Tree>;

#[data]
pub struct Tree {
    pub name: Name,
    pub more: Kids,
    pub kids: Option<Kids>,
}

#[data]
pub struct Name(String);

#[data]
pub enum Shape {
    Many(Vec<Shape>, Option<Box<Other>>),
    Named { name: Name, other: Option<Box<Other>> },
}

#[data]
pub struct Other {
    pub shape: Option<Shape>,
    pub kids: Kids,
}

#[state]
pub struct Bag {
    pub bags: Vec<Bag>,
    pub kids: Kids,
    pub other: Option<Other>,
    pub shared: std::sync::Arc<str>,
    #[serde(skip)]
    pub names: (Box<str>, std::collections::HashMap<String, Name>),
}

fn main() {
    let bag = Bag::default();
    let Bag { bags, kids, other, .. } = bag;
    assert_eq!((bags.len(), kids.len(), other.is_none()), (0, 0, true));
}
