//! The checks over the tree of definitions. The macros call them in constants, so `cargo check` runs them; the same
//! functions say at run time what only run time knows.

use super::message::Text;
use super::uses::{Brought, UseDef};
pub use super::uses::{capability, preset, states};
use super::{
    ActionDef, BlockDef, FlowDef, Head, Id, Kind, Lasting, Place, Reach, Reads, StateDef, Unmet,
    same_text,
};

/// How many different states one tree may reach for, and how many it may use that outlive it.
pub const MOST: usize = 256;
const DEEPEST: usize = 48;

/// Refuses `child` under `owner` where it lacks what it reads from its parent or from a target of that name.
#[track_caller]
pub const fn child(owner: &BlockDef, child: &BlockDef) {
    if let Some(text) = child_problem(owner, child) {
        panic!("{}", text.as_str());
    }
}

const fn child_problem(owner: &BlockDef, child: &BlockDef) -> Option<Text> {
    if matches!(owner.head.kind, Kind::Broken) || matches!(child.head.kind, Kind::Broken) {
        return None;
    }
    if matches!(child.head.kind, Kind::Adapter) {
        let mut i = 0;
        while i < child.children.len() {
            if let Some(text) = child_problem(owner, child.children[i]) {
                return Some(text);
            }
            i += 1;
        }
        return None;
    }
    if leads_back(child, owner.head)
        && let Some(text) = target_on_the_way_back(owner, owner)
    {
        return Some(text);
    }
    let mut i = 0;
    while i < child.head.parent.len() {
        let reads = child.head.parent[i];
        if !reads.optional && !owner.head.has(reads.state) {
            return Some(no_parent_state(owner.head, child.head, reads.state));
        }
        i += 1;
    }
    let mut i = 0;
    while i < child.unmet.len() {
        let need = &child.unmet[i];
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
        i += 1;
    }
    None
}

/// Refuses a tool whose name is that of an earlier one of the generator.
#[track_caller]
pub const fn tool(owner: &str, earlier: &[&str], name: &str) {
    let mut i = 0;
    while i < earlier.len() {
        if same_text(earlier[i], name) {
            let mut text = Text::new();
            text.add(&[
                "generator `",
                owner,
                "` has two tools named `",
                name,
                "`\nhelp: name one ",
            ]);
            text.add(&["of them in the list, `tools = [other = …]`"]);
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

/// Says where the two types are declared, where the owner holds another state of that name.
const fn look_alike(text: &mut Text, owner: &'static Head, reader: &str, state: &StateDef) -> bool {
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

const fn holdings(text: &mut Text, head: &'static Head) {
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
const fn reader(text: &mut Text, need: &Unmet) {
    text.add(&["`", need.block, "`"]);
    if let Some(capability) = need.capability {
        text.add(&[" (capability `", capability, "`)"]);
    }
    text.add(&[" reads `", need.reads.state.name]);
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
    let mut i = 0;
    while i < def.unmet.len() {
        if matches!(def.unmet[i].place, Place::Inside) && def.unmet[i].id.is(head.id) {
            return true;
        }
        i += 1;
    }
    let mut c = 0;
    while matches!(def.head.kind, Kind::Adapter) && c < def.children.len() {
        if leads_back(def.children[c], head) {
            return true;
        }
        c += 1;
    }
    false
}

/// Writes `outer > inner > block`, from the given names down to the block that reaches for something.
const fn trail(text: &mut Text, outer: &[&str], from: &BlockDef, need: &Unmet) {
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

const fn same_need(a: &Unmet, b: &Unmet) -> bool {
    let place = match (a.place, b.place) {
        (Place::Sequencer, Place::Sequencer) => true,
        (Place::Target(x), Place::Target(y)) => same_text(x, y),
        (Place::Inside, Place::Inside) => a.id.is(b.id),
        _ => false,
    };
    place && a.reads.state.id.is(b.reads.state.id) && a.reads.optional == b.reads.optional
}

const NO_STATE: &StateDef = &StateDef::new("", "", "", &[]);
const NONE: Unmet = Unmet {
    place: Place::Inside,
    reads: Reads { state: NO_STATE, optional: true },
    block: "",
    id: Id::new(""),
    capability: None,
    found: false,
};

/// What a block that is run `again` reaches for: itself, further out.
#[must_use]
pub const fn unmet_inside(head: &Head) -> Unmet {
    Unmet { block: head.name, id: head.id, ..NONE }
}

struct List {
    items: [Unmet; MOST],
    len: usize,
}

impl List {
    const fn add(&mut self, need: Unmet) {
        let mut i = 0;
        while i < self.len {
            if same_need(&self.items[i], &need) && self.items[i].found == need.found {
                return;
            }
            i += 1;
        }
        assert!(self.len < MOST, "one block reaches for too many different states around it");
        self.items[self.len] = need;
        self.len += 1;
    }
}

/// What a block and its children reach for outside of it.
const fn collect(head: &'static Head, children: &[&BlockDef]) -> List {
    let mut list = List { items: [NONE; MOST], len: 0 };
    let mut i = 0;
    while i < head.sequencer.len() {
        let reads = head.sequencer[i];
        let own = matches!(head.kind, Kind::Sequencer) && head.has(reads.state);
        if !own && !reads.optional {
            let place = Place::Sequencer;
            list.add(Unmet { place, reads, block: head.name, id: head.id, ..NONE });
        }
        i += 1;
    }
    let mut i = 0;
    while i < head.targets.len() {
        let place = Place::Target(head.targets[i].name);
        let reads = head.targets[i].reads;
        list.add(Unmet { place, reads, block: head.name, id: head.id, ..NONE });
        i += 1;
    }
    collect_uses(&mut list, head, head.uses);
    let mut c = 0;
    while c < children.len() {
        collect_child(&mut list, head, children[c]);
        c += 1;
    }
    list
}

const fn collect_uses(list: &mut List, head: &'static Head, uses: &[UseDef]) {
    let mut u = 0;
    while u < uses.len() {
        let of = uses[u].capability;
        let need = Unmet { block: head.name, id: head.id, capability: Some(of.name), ..NONE };
        let mut i = 0;
        while i < of.sequencer.len() {
            let reads = of.sequencer[i];
            let own = matches!(head.kind, Kind::Sequencer) && head.has(reads.state);
            if !own && !reads.optional {
                list.add(Unmet { place: Place::Sequencer, reads, ..need });
            }
            i += 1;
        }
        let mut i = 0;
        while i < of.targets.len() {
            let place = Place::Target(of.targets[i].name);
            list.add(Unmet { place, reads: of.targets[i].reads, ..need });
            i += 1;
        }
        collect_uses(list, head, of.uses);
        u += 1;
    }
}

const fn collect_child(list: &mut List, head: &Head, child: &BlockDef) {
    let mut i = 0;
    while i < child.unmet.len() {
        if let Some(need) = still_unmet(head, child.unmet[i]) {
            list.add(need);
        }
        i += 1;
    }
    // an adapter is generic, so it lists nothing itself
    let mut c = 0;
    while matches!(child.head.kind, Kind::Adapter) && c < child.children.len() {
        collect_child(list, head, child.children[c]);
        c += 1;
    }
}

const fn still_unmet(head: &Head, need: Unmet) -> Option<Unmet> {
    match need.place {
        Place::Sequencer => {
            let met = matches!(head.kind, Kind::Sequencer) && head.has(need.reads.state);
            if met { None } else { Some(need) }
        }
        Place::Target(name) => {
            if !same_text(name, head.name) {
                return Some(need);
            }
            // two of the name, or one without the state: said where the child is declared
            if need.found || (!need.reads.optional && !head.has(need.reads.state)) {
                return None;
            }
            Some(Unmet { found: true, ..need })
        }
        Place::Inside => {
            if head.id.is(need.id) {
                None
            } else {
                Some(need)
            }
        }
    }
}

/// How many [`unmet`] gives.
#[must_use]
pub const fn unmet_len(head: &'static Head, children: &[&BlockDef]) -> usize {
    let reaches = !head.sequencer.is_empty() || !head.targets.is_empty() || !head.uses.is_empty();
    if !reaches && all_met(children) {
        return 0;
    }
    collect(head, children).len
}

const fn all_met(children: &[&BlockDef]) -> bool {
    let mut i = 0;
    while i < children.len() {
        let adapter = matches!(children[i].head.kind, Kind::Adapter);
        if !children[i].unmet.is_empty() || (adapter && !all_met(children[i].children)) {
            return false;
        }
        i += 1;
    }
    true
}

/// What a block and its children reach for outside of it.
#[must_use]
pub const fn unmet<const N: usize>(head: &'static Head, children: &[&BlockDef]) -> [Unmet; N] {
    let mut out = [NONE; N];
    if N > 0 {
        let list = collect(head, children);
        let mut i = 0;
        while i < N {
            out[i] = list.items[i];
            i += 1;
        }
    }
    out
}

const NO_LASTING: Lasting =
    Lasting { reach: Reach::Request, state: NO_STATE, block: "", capability: None };

struct LastingList {
    items: [Lasting; MOST],
    len: usize,
}

const fn collect_lasting(head: &'static Head, children: &[&BlockDef]) -> LastingList {
    let mut list = LastingList { items: [NO_LASTING; MOST], len: 0 };
    add_all(&mut list, head.lasting);
    add_used(&mut list, head.name, head.uses);
    add_children(&mut list, children);
    list
}

const fn add_all(list: &mut LastingList, all: &[Lasting]) {
    let mut i = 0;
    while i < all.len() {
        list.add(all[i]);
        i += 1;
    }
}

const fn add_used(list: &mut LastingList, block: &'static str, uses: &[UseDef]) {
    let mut u = 0;
    while u < uses.len() {
        let of = uses[u].capability;
        let mut i = 0;
        while i < of.lasting.len() {
            let (reach, state) = of.lasting[i];
            list.add(Lasting { reach, state, block, capability: Some(of.name) });
            i += 1;
        }
        add_used(list, block, of.uses);
        u += 1;
    }
}

const fn add_children(list: &mut LastingList, children: &[&BlockDef]) {
    let mut c = 0;
    while c < children.len() {
        add_all(list, children[c].lasting);
        // an adapter is generic, so it lists nothing itself
        if matches!(children[c].head.kind, Kind::Adapter) {
            add_children(list, children[c].children);
        }
        c += 1;
    }
}

impl LastingList {
    const fn add(&mut self, one: Lasting) {
        let mut i = 0;
        while i < self.len {
            let known = &self.items[i];
            if known.reach as u8 == one.reach as u8 && known.state.id.is(one.state.id) {
                return;
            }
            i += 1;
        }
        assert!(self.len < MOST, "one block uses too many different stored states");
        self.items[self.len] = one;
        self.len += 1;
    }
}

/// The head of what is no block: it brings nothing.
pub const NOBODY: &Head = &Head::new("", Kind::Handler);

/// How many [`lasting`] gives.
#[must_use]
pub const fn lasting_len(head: &'static Head, children: &[&BlockDef]) -> usize {
    if head.lasting.is_empty() && head.uses.is_empty() && none_lasting(children) {
        return 0;
    }
    collect_lasting(head, children).len
}

const fn none_lasting(children: &[&BlockDef]) -> bool {
    let mut i = 0;
    while i < children.len() {
        let adapter = matches!(children[i].head.kind, Kind::Adapter);
        if !children[i].lasting.is_empty() || (adapter && !none_lasting(children[i].children)) {
            return false;
        }
        i += 1;
    }
    true
}

/// The states that outlive their blocks, of a block and its children, each once.
#[must_use]
pub const fn lasting<const N: usize>(head: &'static Head, children: &[&BlockDef]) -> [Lasting; N] {
    let mut out = [NO_LASTING; N];
    if N > 0 {
        let list = collect_lasting(head, children);
        let mut i = 0;
        while i < N {
            out[i] = list.items[i];
            i += 1;
        }
    }
    out
}

/// The state's name; with its module where the other one has the same name.
pub(super) const fn named(text: &mut Text, state: &StateDef, other: &StateDef) {
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

pub(super) const fn shared_field(a: &StateDef, b: &StateDef) -> Option<&'static str> {
    if a.id.is(b.id) {
        return None;
    }
    let mut i = 0;
    while i < a.fields.len() {
        let mut j = 0;
        while j < b.fields.len() {
            if same_text(a.fields[i].name, b.fields[j].name) {
                return Some(a.fields[i].name);
            }
            j += 1;
        }
        i += 1;
    }
    None
}

pub(super) const fn clash(all: &[Lasting]) -> Option<(Lasting, Lasting, &'static str)> {
    let mut i = 0;
    while i < all.len() {
        let mut j = 0;
        while j < i {
            let (a, b) = (all[j], all[i]);
            if a.reach as u8 == b.reach as u8
                && let Some(field) = shared_field(a.state, b.state)
            {
                return Some((a, b, field));
            }
            j += 1;
        }
        i += 1;
    }
    None
}

const fn key_clash(all: &[Lasting]) -> Option<(Lasting, Lasting)> {
    let mut i = 0;
    while i < all.len() {
        let mut j = 0;
        while j < i {
            let (a, b) = (all[j], all[i]);
            if a.reach as u8 == b.reach as u8
                && !a.state.id.is(b.state.id)
                && same_text(a.state.key, b.state.key)
            {
                return Some((a, b));
            }
            j += 1;
        }
        i += 1;
    }
    None
}

/// Refuses a flow whose blocks give one field of a session, user, org or request two schemas, or two states one key.
#[track_caller]
pub const fn flow(def: &FlowDef) {
    if let Some(text) = lasting_problem("flow", def.name, def.lasting) {
        panic!("{}", text.as_str());
    }
}

const fn lasting_problem(what: &str, name: &str, all: &[Lasting]) -> Option<Text> {
    if let Some((a, b, field)) = clash(all) {
        let mut text = Text::new();
        text.add(&[a.reach.word(), " field `", field, "` of ", what, " `", name, "` has two "]);
        text.add(&["schemas: "]);
        named(&mut text, a.state, b.state);
        text.add(&[" (block `", a.block, "`) and "]);
        named(&mut text, b.state, a.state);
        text.add(&[" (block `", b.block, "`)\nhelp: let both blocks name one state type, or "]);
        text.add(&["rename one of the fields"]);
        return Some(text);
    }
    if let Some((a, b)) = key_clash(all) {
        let mut text = Text::new();
        text.add(&["two ", a.reach.word(), " states of ", what, " `", name, "` are stored under "]);
        text.add(&["the key `", a.state.key, "`: "]);
        named(&mut text, a.state, b.state);
        text.add(&[" (block `", a.block, "`) and "]);
        named(&mut text, b.state, a.state);
        text.add(&[" (block `", b.block, "`)\nhelp: give one of them a key of its own, "]);
        text.add(&["`#[state(key = \"…\")]`"]);
        return Some(text);
    }
    None
}

/// Refuses the action of this name where its block's tree reaches for something that no block around it has.
#[track_caller]
pub const fn action(def: &FlowDef, name: &str) {
    let mut index = 0;
    while !same_text(def.actions[index].name, name) {
        index += 1;
    }
    let action = def.actions[index].block;
    if let Some(text) = root_problem(action, "an action's block", def.actions, index) {
        panic!("{}", text.as_str());
    }
}

/// Whether a block can be run as a root.
#[must_use]
pub const fn is_root(def: &BlockDef) -> bool {
    root_problem(def, "", &[], 0).is_none() && root_lasting_problem(def).is_none()
}

const fn root_lasting_problem(def: &BlockDef) -> Option<Text> {
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
            text.add(&[state, ")]`, or let `", block, "` do without, `sequencer = Option<"]);
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

/// The tree from the root to the block, a line a level, with what each holds.
const fn levels(text: &mut Text, from: &BlockDef, need: &Unmet) {
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
