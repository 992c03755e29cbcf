//! What several messages say alike: who holds what, who reads what, and the way from one block to another.

use super::unmet::same_need;
use crate::schema::message::Text;
use crate::schema::uses::Brought;
use crate::schema::{BlockDef, Head, Kind, StateDef, Unmet, same_text};

const DEEPEST: usize = 48;

/// Says where the two types are declared, where the owner holds another state of that name.
pub(super) const fn look_alike(
    text: &mut Text,
    owner: &'static Head,
    reader: &str,
    state: &StateDef,
) -> bool {
    let all = Brought::by_block(owner);
    let mut i = 0;
    while i < all.len {
        let held = all.held[i].state;
        if same_text(held.name, state.name) {
            text.add(&["\nnote: `", owner.name, "` holds "]);
            named(text, held, state);
            text.add(&[", but `", reader, "` reads "]);
            named(text, state, held);
            text.add(&["\nhelp: name the same type in both: two types are two states, even if they look alike"]);
            return true;
        }
        i += 1;
    }
    false
}

pub(super) const fn holdings(text: &mut Text, head: &'static Head) {
    let all = Brought::by_block(head);
    if all.len == 0 {
        text.add(&["holds nothing"]);
        return;
    }
    text.add(&["holds "]);
    let mut i = 0;
    while i < all.len {
        let sep = if i == 0 { "`" } else { ", `" };
        text.add(&[sep, all.held[i].state.name, "`"]);
        i += 1;
    }
}

/// Who reads what, up to the name of the state.
pub(super) const fn reader(text: &mut Text, need: &Unmet) {
    text.add(&["`", need.block, "`"]);
    if let Some(capability) = need.capability {
        text.add(&[" (capability `", capability, "`)"]);
    }
    text.add(&[" reads `", need.reads.state.name]);
}

/// Writes `outer > inner > block`, from the given names down to the block that reaches for something.
pub(super) const fn trail(text: &mut Text, outer: &[&str], from: &BlockDef, need: &Unmet) {
    let mut i = 0;
    while i < outer.len() {
        text.add(&["`", outer[i], " > "]);
        i += 1;
    }
    if outer.is_empty() {
        text.add(&["`"]);
    }
    let (mut at, mut depth) = (from, 0);
    while depth < DEEPEST {
        let adapter = matches!(at.head.kind, Kind::Adapter);
        if !adapter {
            text.add(&[at.head.name]);
        }
        // an adapter has the name of the block inside of it, which is not written yet
        if !adapter && at.head.id.is(need.id) {
            break;
        }
        let mut i = 0;
        while i < at.children.len() && !reaches(at.children[i], need) {
            i += 1;
        }
        if i == at.children.len() {
            break;
        }
        at = at.children[i];
        if !adapter {
            text.add(&[" > "]);
        }
        depth += 1;
    }
    text.add(&["`"]);
}

const fn reaches(def: &BlockDef, need: &Unmet) -> bool {
    let mut i = 0;
    while i < def.unmet.len() {
        if def.unmet[i].id.is(need.id) && same_need(&def.unmet[i], need) {
            return true;
        }
        i += 1;
    }
    let mut c = 0;
    while matches!(def.head.kind, Kind::Adapter) && c < def.children.len() {
        if reaches(def.children[c], need) {
            return true;
        }
        c += 1;
    }
    false
}

/// The tree from the root to the block, a line a level, with what each holds.
pub(super) const fn levels(text: &mut Text, from: &BlockDef, need: &Unmet) {
    let (mut at, mut depth) = (from, 0);
    while depth < DEEPEST {
        if at.head.id.is(need.id) {
            text.blanks(2 + 3 * depth);
            text.add(&["└─ ", at.head.name, "  (reads `", need.reads.state.name, "`)\n"]);
            return;
        }
        let mut i = 0;
        while i < at.children.len() && !reaches(at.children[i], need) {
            i += 1;
        }
        if i == at.children.len() {
            return;
        }
        if !matches!(at.head.kind, Kind::Adapter) {
            text.blanks(2 + 3 * depth);
            text.add(&[if depth == 0 { "" } else { "└─ " }, at.head.name, "  ("]);
            text.add(&[at.head.kind.word(), ", "]);
            holdings(text, at.head);
            text.add(&[")\n"]);
            depth += 1;
        }
        at = at.children[i];
    }
}

/// The state's name; with its module where the other one has the same name.
pub(in crate::schema) const fn named(text: &mut Text, state: &StateDef, other: &StateDef) {
    if same_text(state.name, other.name) {
        let id = state.id.text().as_bytes();
        let mut end = 0;
        while end < id.len() && id[end] != b'@' {
            end += 1;
        }
        let (path, _) = state.id.text().split_at(end);
        text.add(&["`", path, "`"]);
    } else {
        text.add(&["`", state.name, "`"]);
    }
}
