//! Identities and texts that can be compared in a constant.
//!
//! What runs in a constant runs for each block of a user, step by step in the compiler. There a `len()` costs as much as ten
//! additions and a `split_at` as a hundred (CONTRIBUTING.md has the figures): so loops go by [`each`], and an id is its hash.

/// Goes over a slice in a constant: `each!(state in head.holds => { … })`.
macro_rules! each {
    ($item:pat in $slice:expr => $body:block) => {
        let mut rest = $slice;
        while let [$item, more @ ..] = rest {
            rest = more;
            $body
        }
    };
}
pub(super) use each;

/// An identity that can be compared in a constant: module path, name and place of a declaration.
#[derive(Debug, Clone, Copy)]
pub struct Id {
    text: &'static str,
    /// Of 128 bits, so that nobody has to look at the text.
    pub(super) hash: u128,
}

impl Id {
    /// The identity that `text` spells.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self { text, hash: hash(text) }
    }

    /// Whether both are the same declaration.
    #[must_use]
    pub const fn is(self, other: Self) -> bool {
        self.hash == other.hash
    }

    /// The text it was made of: the declaration's module path and name, then its place.
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.text
    }
}

/// As FNV-1a of 128 bits, over words of eight bytes. (By the golden ratio, as its own prime has so few bits that two near words
/// could make up for each other.)
pub(super) const fn hash(text: &str) -> u128 {
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    let mut rest = text.as_bytes();
    while let [a, b, c, d, e, f, g, h, more @ ..] = rest {
        let low = *a as u64 | (*b as u64) << 8 | (*c as u64) << 16 | (*d as u64) << 24;
        let high = *e as u64 | (*f as u64) << 8 | (*g as u64) << 16 | (*h as u64) << 24;
        hash = (hash ^ (low | high << 32) as u128).wrapping_mul(FACTOR);
        rest = more;
    }
    while let [a, more @ ..] = rest {
        hash = (hash ^ *a as u128).wrapping_mul(FACTOR);
        rest = more;
    }
    (hash ^ text.len() as u128).wrapping_mul(FACTOR)
}

/// Whether two texts are equal, in a constant.
#[must_use]
pub const fn same_text(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let ([x, xs @ ..], [y, ys @ ..]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (xs, ys);
    }
    matches!((a, b), ([], []))
}
