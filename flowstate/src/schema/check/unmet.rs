//! What a tree reaches for outside of itself: its own needs and its children's, less what it holds.

use super::MOST;
use crate::schema::id::each;
use crate::schema::uses::UseDef;
use crate::schema::{BlockDef, Head, Id, Kind, Place, Reads, StateDef, Target, Unmet, same_text};

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
            let known = &self.items[i];
            let state = known.reads.state.id.hash == need.reads.state.id.hash;
            if state && known.found == need.found && same_need(known, &need) {
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
    let need = Unmet { block: head.name, id: head.id, ..NONE };
    collect_own(&mut list, head, head.sequencer, head.targets, need);
    collect_uses(&mut list, head, head.uses);
    each!(child in children => { collect_child(&mut list, head, child) });
    list
}

/// What a block, or a capability of it, reaches for itself.
const fn collect_own(
    list: &mut List,
    head: &'static Head,
    sequencer: &'static [Reads],
    targets: &'static [Target],
    need: Unmet,
) {
    each!(reads in sequencer => {
        let own = matches!(head.kind, Kind::Sequencer) && head.has(reads.state);
        if !own && !reads.optional {
            list.add(Unmet { place: Place::Sequencer, reads: *reads, ..need });
        }
    });
    each!(target in targets => {
        list.add(Unmet { place: Place::Target(target.name), reads: target.reads, ..need });
    });
}

const fn collect_uses(list: &mut List, head: &'static Head, uses: &[UseDef]) {
    each!(UseDef { capability: of, .. } in uses => {
        let need = Unmet { block: head.name, id: head.id, capability: Some(of.name), ..NONE };
        collect_own(list, head, of.sequencer, of.targets, need);
        collect_uses(list, head, of.uses);
    });
}

const fn collect_child(list: &mut List, head: &Head, child: &BlockDef) {
    each!(need in child.unmet => {
        if let Some(need) = still_unmet(head, *need) {
            list.add(need);
        }
    });
    // an adapter is generic, so it lists nothing itself
    if matches!(child.head.kind, Kind::Adapter) {
        each!(inner in child.children => { collect_child(list, head, inner) });
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
    let reaches = !matches!((head.sequencer, head.targets), ([], [])) || some_reach(head.uses);
    if !reaches && all_met(children) {
        return 0;
    }
    collect(head, children).len
}

/// Whether one of these capabilities reaches for something around the block.
const fn some_reach(uses: &[UseDef]) -> bool {
    each!(UseDef { capability: of, .. } in uses => {
        if !matches!((of.sequencer, of.targets), ([], [])) || some_reach(of.uses) {
            return true;
        }
    });
    false
}

const fn all_met(children: &[&BlockDef]) -> bool {
    each!(child in children => {
        let adapter = matches!(child.head.kind, Kind::Adapter);
        if !matches!(child.unmet, []) || (adapter && !all_met(child.children)) {
            return false;
        }
    });
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
