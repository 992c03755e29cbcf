//! One block under another: what it reads from its parent, or from an ancestor of a name.

use super::contract::{fed_in_vain, in_vain};
use super::text::{holdings, look_alike, reader, trail};
use crate::schema::id::each;
use crate::schema::message::Text;
use crate::schema::{BlockDef, Head, Kind, Place, StateDef, Unmet, same_text};

/// Refuses the `nth` child of `owner` where it lacks what it reads from its parent or from a target of that name.
#[track_caller]
pub const fn child(owner: &BlockDef, nth: usize) {
    if let Some(text) = child_problem(owner, owner.children[nth]) {
        panic!("{}", text.as_str());
    }
}

pub(in crate::schema) const fn child_problem(owner: &BlockDef, child: &BlockDef) -> Option<Text> {
    if matches!(owner.head.kind, Kind::Broken) || matches!(child.head.kind, Kind::Broken) {
        return None;
    }
    if matches!(child.head.kind, Kind::Adapter) {
        each!(inner in child.children => {
            if let Some(text) = child_problem(owner, inner) {
                return Some(text);
            }
        });
        return None;
    }
    if leads_back(child, owner.head)
        && let Some(text) = target_on_the_way_back(owner, owner)
    {
        return Some(text);
    }
    if let Some(contract) = fed_in_vain(owner.head, child) {
        return Some(in_vain(owner.head, child.head, contract));
    }
    each!(reads in child.head.parent => {
        if !reads.optional && !owner.head.has(reads.state) {
            return Some(no_parent_state(owner.head, child.head, reads.state));
        }
    });
    each!(need in child.unmet => {
        if let Place::Target(name) = need.place
            && same_text(name, owner.head.name)
        {
            if need.found {
                return Some(two_targets(owner, child, need, name));
            }
            if !need.reads.optional && !owner.head.has(need.reads.state) {
                return Some(target_without(owner, child, need, name));
            }
        }
    });
    None
}

/// Refuses a tool whose name is that of an earlier one of the generator.
#[track_caller]
pub const fn tool(owner: &str, earlier: &[&str], name: &str) {
    let mut i = 0;
    while i < earlier.len() {
        if same_text(earlier[i], name) {
            let mut text = Text::new();
            text.add(&["generator `", owner, "` has two tools named `", name]);
            text.add(&["`\nhelp: name one of them in the list, `tools = [other = …]`"]);
            panic!("{}", text.as_str());
        }
        i += 1;
    }
}

const fn no_parent_state(owner: &'static Head, child: &Head, state: &StateDef) -> Text {
    let mut text = Text::new();
    text.add(&["`", child.name, "` reads `", state.name, "` from its parent, but its parent `"]);
    text.add(&[
        owner.name,
        "` holds no such state\n  ",
        owner.name,
        "  (",
        owner.kind.word(),
        ", ",
    ]);
    holdings(&mut text, owner);
    text.add(&[")\n  └─ ", child.name, "  (reads `", state.name, "` from its parent)"]);
    if look_alike(&mut text, owner, child.name, state) {
        return text;
    }
    text.add(&["\nhelp: give `", owner.name, "` the state, `#[block(", owner.kind.word()]);
    text.add(&[", state = ", state.name, ")]`, or let `", child.name, "` do without, `parent = "]);
    text.add(&["Option<", state.name, ">`"]);
    text
}

const fn two_targets(owner: &BlockDef, child: &BlockDef, need: &Unmet, name: &str) -> Text {
    let mut text = Text::new();
    reader(&mut text, need);
    text.add(&["` from its ancestor `", name]);
    text.add(&["`, but two blocks around it have that name: "]);
    trail(&mut text, &[owner.head.name], child, need);
    text.add(&["\nhelp: name one of them differently, `#[block(…, name = \"…\")]`"]);
    text
}

const fn target_without(owner: &BlockDef, child: &BlockDef, need: &Unmet, name: &str) -> Text {
    let mut text = Text::new();
    reader(&mut text, need);
    text.add(&["` from its ancestor `", name]);
    text.add(&["`, but `", name, "` holds no such state: "]);
    trail(&mut text, &[owner.head.name], child, need);
    if look_alike(&mut text, owner.head, need.block, need.reads.state) {
        return text;
    }
    text.add(&["\nhelp: give `", name, "` the state, `#[block(", owner.head.kind.word()]);
    text.add(&[", state = ", need.reads.state.name, ")]`"]);
    text
}

/// A block between `owner` and a way back to it that has the name of a target which `owner`'s tree looks for outside:
/// the second time round it would be found instead.
const fn target_on_the_way_back(owner: &BlockDef, at: &BlockDef) -> Option<Text> {
    let mut c = 0;
    while c < at.children.len() {
        let child = at.children[c];
        if leads_back(child, owner.head) && !matches!(child.head.kind, Kind::Again) {
            let mut i = 0;
            while i < owner.unmet.len() {
                if let Place::Target(name) = owner.unmet[i].place
                    && same_text(name, child.head.name)
                    && !matches!(child.head.kind, Kind::Adapter)
                {
                    let mut text = Text::new();
                    let need = &owner.unmet[i];
                    reader(&mut text, need);
                    text.add(&[
                        "` from its ancestor `",
                        name,
                        "`, but a block of that name runs `",
                    ]);
                    text.add(&[
                        owner.head.name,
                        "` again: two around it have that name\nhelp: name ",
                    ]);
                    text.add(&["one of them differently, `#[block(…, name = \"…\")]`"]);
                    return Some(text);
                }
                i += 1;
            }
            if let Some(text) = target_on_the_way_back(owner, child) {
                return Some(text);
            }
        }
        c += 1;
    }
    None
}

/// Whether a block is `head` run again, or has it in its tree.
const fn leads_back(def: &BlockDef, head: &Head) -> bool {
    if matches!(def.head.kind, Kind::Again) {
        return def.head.id.is(head.id);
    }
    each!(need in def.unmet => {
        if matches!(need.place, Place::Inside) && need.id.is(head.id) {
            return true;
        }
    });
    if matches!(def.head.kind, Kind::Adapter) {
        each!(inner in def.children => {
            if leads_back(inner, head) {
                return true;
            }
        });
    }
    false
}
