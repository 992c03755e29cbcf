//! There is nothing to offer.
use flowstate::prelude::*;

#[capability(offered = Self::offered)]
struct Reporting;

#[capability]
impl Reporting {
    fn offered(_: &Ctx) -> Vec<u8> {
        Vec::new()
    }
}

fn main() {}
