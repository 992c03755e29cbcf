//! Contracts: what a block is shown, what it writes, and who writes beside it.

use crate::schema::contract::any;
use crate::schema::message::Text;
use crate::schema::{BlockDef, Head, Id, Kind, StateDef, same_text};

/// Refuses a view without a budget, one by a reader that the contract does not have, and one that a block is shown twice.
#[track_caller]
pub const fn view(head: &Head, index: usize) {
    let view = head.reads[index];
    assert!(!matches!(view.budget, Some(0)), "a reader's budget is at least 1 token");
    let readers = match view.contract.contract {
        Some(contract) => contract.readers,
        None => return,
    };
    let (mut known, mut i) = (false, 0);
    while i < readers.len() {
        known |= same_text(readers[i], view.reader);
        i += 1;
    }
    let mut text = Text::new();
    if !known {
        text.add(&["`", view.contract.name, "` has no reader `", view.reader, "`"]);
        text.add(&[if readers.is_empty() { ": it has none" } else { "; it has " }]);
        let mut i = 0;
        while i < readers.len() {
            text.add(&[if i == 0 { "`" } else { ", `" }, readers[i], "`"]);
            i += 1;
        }
        text.add(&["\nhelp: a reader is a function of its `#[contract]` with `#[reader]`"]);
        panic!("{}", text.as_str());
    }
    let mut i = 0;
    while i < index {
        let other = head.reads[i];
        if other.contract.id.is(view.contract.id) && same_text(other.reader, view.reader) {
            text.add(&["`", view.contract.name, "::", view.reader, "` stands here twice"]);
            panic!("{}", text.as_str());
        }
        i += 1;
    }
}

/// Refuses a contract that a block writes twice, under two names.
#[track_caller]
pub const fn writes(head: &Head, index: usize) {
    let (mut i, contract) = (0, head.writes[index]);
    while i < index {
        if head.writes[i].id.is(contract.id) {
            let mut text = Text::new();
            text.add(&["`", contract.name, "` stands here twice"]);
            panic!("{}", text.as_str());
        }
        i += 1;
    }
}

/// Whether a tool, or a block in its tree, changes a contract.
pub(crate) const fn changes(def: &BlockDef, contract: Id) -> bool {
    let (mut feeds, mut c) = (any(def.head.feeds, contract), 0);
    while matches!(def.head.kind, Kind::Adapter) && c < def.children.len() {
        feeds |= changes(def.children[c], contract);
        c += 1;
    }
    feeds || written(def, contract)
}

/// Whether a block, or one in its tree, writes a contract.
const fn written(def: &BlockDef, contract: Id) -> bool {
    let mut i = 0;
    while i < def.lasting.len() {
        if def.lasting[i].writes && def.lasting[i].state.id.is(contract) {
            return true;
        }
        i += 1;
    }
    // an adapter is generic, so it lists nothing itself
    let mut c = 0;
    while matches!(def.head.kind, Kind::Adapter) && c < def.children.len() {
        if written(def.children[c], contract) {
            return true;
        }
        c += 1;
    }
    false
}

/// What a tool feeds that its generator does not write.
pub(super) const fn fed_in_vain(
    owner: &'static Head,
    child: &BlockDef,
) -> Option<&'static StateDef> {
    let mut i = 0;
    while matches!(owner.kind, Kind::Generator) && i < child.head.feeds.len() {
        if !owner.writes(child.head.feeds[i].id) {
            return Some(child.head.feeds[i]);
        }
        i += 1;
    }
    None
}

pub(super) const fn in_vain(owner: &Head, child: &Head, contract: &StateDef) -> Text {
    let mut text = Text::new();
    text.add(&["tool `", child.name, "` feeds `", contract.name, "`, which generator `"]);
    text.add(&[owner.name, "` does not write\nhelp: declare it there, `#[block(generator, "]);
    text.add(&["writes = [", contract.name, "])]`"]);
    text
}

/// Refuses a branch that changes a contract which an earlier branch of the same step changes: they run beside each other.
#[track_caller]
pub const fn beside(owner: &BlockDef, earlier: &[usize], index: usize) {
    let mut i = 0;
    while i < earlier.len() {
        let (one, other) = (owner.children[earlier[i]], owner.children[index]);
        if let Some(contract) = both(one, other) {
            let (a, b) = (one.head.name, other.head.name);
            let mut text = Text::new();
            text.add(&["`", a, "` and `", b, "` run beside each other in `", owner.head.name]);
            text.add(&["`, and both write `", contract.name, "`: which of them is the later is "]);
            text.add(&["left to chance\nhelp: run them one after the other, or let them return "]);
            text.add(&["what they found and one block write it"]);
            panic!("{}", text.as_str());
        }
        i += 1;
    }
}

const fn both(one: &BlockDef, other: &BlockDef) -> Option<&'static StateDef> {
    let mut i = 0;
    while i < one.lasting.len() {
        let lasting = one.lasting[i];
        if lasting.writes && written(other, lasting.state.id) {
            return Some(lasting.state);
        }
        i += 1;
    }
    let mut c = 0;
    while matches!(one.head.kind, Kind::Adapter) && c < one.children.len() {
        if let Some(found) = both(one.children[c], other) {
            return Some(found);
        }
        c += 1;
    }
    None
}
