//! A block that nothing is around: an action of a flow, or what is run by itself.

use super::lasting::{NOBODY, collect_lasting, config_problem, lasting_problem};
use super::text::{levels, reader, trail};
use super::unmet::same_need;
use crate::schema::message::Text;
use crate::schema::{ActionDef, BlockDef, EntryType, FlowDef, Kind, Place, Unmet, same_text};

/// Refuses the entry of this name where its block's tree reaches for something that no block around it has.
#[track_caller]
pub const fn entry(def: &FlowDef, ty: EntryType, name: &str) {
    let (entries, index) = (def.of(ty), place(def, ty, name));
    let what = match ty {
        EntryType::Action => "an action's block",
        EntryType::Internal => "an internal entry's block",
        EntryType::Task => "a task entry's block",
    };
    if let Some(text) = root_problem(entries[index].block, what, entries, index) {
        panic!("{}", text.as_str());
    }
}

/// Refuses the entry of this name where its request may use no token at all.
#[track_caller]
pub const fn token_budget(def: &FlowDef, ty: EntryType, name: &str) {
    let budget = def.of(ty)[place(def, ty, name)].token_budget;
    assert!(
        !matches!(budget, Some(0)),
        "a token budget is at least 1 token\nhelp: without `token_budget` there is no limit"
    );
}

/// Where among the entries of its sort one stands.
const fn place(def: &FlowDef, ty: EntryType, name: &str) -> usize {
    let mut index = 0;
    while !same_text(def.of(ty)[index].name, name) {
        index += 1;
    }
    index
}

/// Refuses the block of a hook for the same.
#[track_caller]
pub const fn hook(def: &BlockDef, what: &str) {
    if let Some(text) = root_problem(def, what, &[], 0) {
        panic!("{}", text.as_str());
    }
}

/// Whether a block can be run as a root.
#[must_use]
pub const fn is_root(def: &BlockDef) -> bool {
    root_problem(def, "", &[], 0).is_none() && root_lasting_problem(def).is_none()
}

const fn root_lasting_problem(def: &BlockDef) -> Option<Text> {
    if let Some(text) = config_problem(def.lasting, None) {
        return Some(text);
    }
    if matches!(def.head.kind, Kind::Adapter) {
        let list = collect_lasting(NOBODY, &[def]);
        return lasting_problem("block", def.head.name, list.items.split_at(list.len).0);
    }
    lasting_problem("block", def.head.name, def.lasting)
}

/// Why a block cannot be run as a root, if it cannot.
#[must_use]
pub fn why_not_root(def: &BlockDef) -> Option<String> {
    let text = root_problem(def, "a block that is run by itself", &[], 0);
    let text = text.or_else(|| root_lasting_problem(def));
    text.map(|text| text.as_str().to_owned())
}

const fn root_problem(
    def: &BlockDef,
    what: &str,
    earlier: &[ActionDef],
    index: usize,
) -> Option<Text> {
    if matches!(def.head.kind, Kind::Broken) {
        return None;
    }
    if matches!(def.head.kind, Kind::Adapter) {
        let mut i = 0;
        while i < def.children.len() {
            if let Some(text) = root_problem(def.children[i], what, earlier, index) {
                return Some(text);
            }
            i += 1;
        }
        return None;
    }
    let mut i = 0;
    while i < def.head.parent.len() {
        let reads = def.head.parent[i];
        if !reads.optional {
            let mut text = Text::new();
            let (name, state) = (def.head.name, reads.state.name);
            text.add(&["`", name, "` reads `", state, "` from its parent, but ", what, " has no "]);
            text.add(&["parent\nhelp: run it as a step of a sequencer that holds `", state]);
            text.add(&["`, or let it do without, `parent = Option<", state, ">`"]);
            return Some(text);
        }
        i += 1;
    }
    let mut i = 0;
    while i < def.unmet.len() {
        let need = &def.unmet[i];
        if reported(need) && !said_before(earlier, index, need) {
            return Some(unmet_problem(def, need));
        }
        i += 1;
    }
    None
}

const fn reported(need: &Unmet) -> bool {
    matches!(need.place, Place::Inside) || (!need.reads.optional && !need.found)
}

/// One missing state is said at the first action that lacks it.
const fn said_before(actions: &[ActionDef], index: usize, need: &Unmet) -> bool {
    let mut i = 0;
    while i < index {
        let def = actions[i].block;
        let mut j = 0;
        while j < def.unmet.len() {
            let other = &def.unmet[j];
            if !other.found && other.id.is(need.id) && same_need(other, need) {
                return true;
            }
            j += 1;
        }
        i += 1;
    }
    false
}

const fn unmet_problem(def: &BlockDef, need: &Unmet) -> Text {
    let mut text = Text::new();
    let (block, state) = (need.block, need.reads.state.name);
    match need.place {
        Place::Sequencer => {
            reader(&mut text, need);
            text.add(&["` from its sequencer, but no sequencer "]);
            text.add(&["around it holds such state: "]);
            trail(&mut text, &[], def, need);
            text.add(&["\n"]);
            levels(&mut text, def, need);
            text.add(&["help: give a sequencer around it the state, `#[block(sequencer, state = "]);
            let reader = if let Some(capability) = need.capability { capability } else { block };
            text.add(&[state, ")]`, or let `", reader, "` do without, `sequencer = Option<"]);
            text.add(&[state, ">`"]);
        }
        Place::Target(name) => {
            reader(&mut text, need);
            text.add(&["` from its ancestor `", name, "`, but "]);
            text.add(&["nothing around it has that name: "]);
            trail(&mut text, &[], def, need);
            text.add(&["\n"]);
            levels(&mut text, def, need);
            text.add(&["help: run it inside a block named `", name, "` that holds `", state, "`"]);
        }
        Place::Inside => {
            text.add(&["`", block, "` is run `again` outside of itself: "]);
            trail(&mut text, &[], def, need);
            text.add(&["\nhelp: `again` leads back to a block that is running further out; here "]);
            text.add(&["name the block itself"]);
        }
    }
    text
}
