//! What a tree reaches for outside of itself: its own needs and its children's, less what it holds.

use super::MOST;
use crate::schema::uses::UseDef;
use crate::schema::{BlockDef, Head, Id, Kind, Place, Reads, StateDef, Unmet, same_text};

pub(super) const fn same_need(a: &Unmet, b: &Unmet) -> bool {
    let place = match (a.place, b.place) {
        (Place::Sequencer, Place::Sequencer) => true,
        (Place::Target(x), Place::Target(y)) => same_text(x, y),
        (Place::Inside, Place::Inside) => a.id.is(b.id),
        _ => false,
    };
    place && a.reads.state.id.is(b.reads.state.id) && a.reads.optional == b.reads.optional
}

pub(super) const NO_STATE: &StateDef = &StateDef::new("", "", "", &[]);

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
