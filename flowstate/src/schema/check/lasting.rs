//! The states that outlive their blocks, over a whole tree, and those that clash.

use super::MOST;
use super::text::named;
use super::unmet::NO_STATE;
use crate::schema::id::each;
use crate::schema::message::Text;
use crate::schema::uses::UseDef;
use crate::schema::{BlockDef, FlowDef, Head, Kind, Lasting, Reach, StateDef, same_text};

const NO_LASTING: Lasting = Lasting::new(Reach::Request, NO_STATE, "", None);

pub(super) struct LastingList {
    pub(super) items: [Lasting; MOST],
    pub(super) len: usize,
}

pub(super) const fn collect_lasting(head: &'static Head, children: &[&BlockDef]) -> LastingList {
    let mut list = LastingList { items: [NO_LASTING; MOST], len: 0 };
    add_all(&mut list, head.lasting);
    add_used(&mut list, head.name, head.uses);
    add_children(&mut list, children);
    list
}

const fn add_all(list: &mut LastingList, all: &[Lasting]) {
    each!(one in all => { list.add(*one) });
}

const fn add_used(list: &mut LastingList, block: &'static str, uses: &[UseDef]) {
    each!(UseDef { capability, .. } in uses => {
        each!((reach, state) in capability.lasting => {
            list.add(Lasting::new(*reach, state, block, Some(capability.name)));
        });
        add_used(list, block, capability.uses);
    });
}

const fn add_children(list: &mut LastingList, children: &[&BlockDef]) {
    each!(child in children => {
        add_all(list, child.lasting);
        // an adapter is generic, so it lists nothing itself
        if matches!(child.head.kind, Kind::Adapter) {
            add_children(list, child.children);
        }
    });
}

impl LastingList {
    const fn add(&mut self, one: Lasting) {
        let mut i = 0;
        while i < self.len {
            let known = &mut self.items[i];
            let same = known.state.id.hash == one.state.id.hash;
            if same && known.reach as u8 == one.reach as u8 {
                known.writes |= one.writes;
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
    if matches!((head.lasting, head.uses), ([], [])) && none_lasting(children) {
        return 0;
    }
    collect_lasting(head, children).len
}

const fn none_lasting(children: &[&BlockDef]) -> bool {
    each!(child in children => {
        let adapter = matches!(child.head.kind, Kind::Adapter);
        if !matches!(child.lasting, []) || (adapter && !none_lasting(child.children)) {
            return false;
        }
    });
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

pub(in crate::schema) const fn shared_field(a: &StateDef, b: &StateDef) -> Option<&'static str> {
    if a.names & b.names == 0 || a.id.is(b.id) {
        return None;
    }
    // (nobody reaches the fields of a contract)
    if matches!((a.contract, b.contract), (Some(_), _) | (_, Some(_))) {
        return None;
    }
    each!(one in a.fields => {
        each!(other in b.fields => {
            if same_text(one.name, other.name) {
                return Some(one.name);
            }
        });
    });
    None
}

/// Two of the first `len` that have a field of one name.
pub(in crate::schema) const fn clash(
    all: &[Lasting],
    len: usize,
) -> Option<(Lasting, Lasting, &'static str)> {
    let mut i = 0;
    while i < len {
        let mut j = 0;
        while j < i {
            let (a, b) = (&all[j], &all[i]);
            if a.reach as u8 == b.reach as u8
                && let Some(field) = shared_field(a.state, b.state)
            {
                return Some((*a, *b, field));
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
                && !matches!(a.reach, Reach::Flow)
            {
                return Some((a, b));
            }
            j += 1;
        }
        i += 1;
    }
    None
}

/// Refuses a flow whose blocks read another configuration than it has, give one field of a session, user, org or request two
/// schemas, or two states one key.
#[track_caller]
pub const fn flow(def: &FlowDef) {
    if let Some(text) = config_problem(def.lasting, Some(def)) {
        panic!("{}", text.as_str());
    }
    if let Some(text) = lasting_problem("flow", def.name, def.lasting)
        && !told(def)
    {
        panic!("{}", text.as_str());
    }
}

/// Whether a block of the flow is refused for such a thing by itself: its own error says it.
const fn told(def: &FlowDef) -> bool {
    each!(entry in def.actions => { if entry.block.told { return true; } });
    each!(entry in def.internal => { if entry.block.told { return true; } });
    each!(entry in def.tasks => { if entry.block.told { return true; } });
    each!(hook in def.hooks => { if hook.told { return true; } });
    false
}

/// Whether a block by itself has two schemas of one stored field.
pub(in crate::schema) const fn clashes(head: &'static Head) -> bool {
    if matches!((head.lasting, head.uses), ([] | [_], [])) {
        return false;
    }
    let own = collect_lasting(head, &[]);
    clash(&own.items, own.len).is_some()
}

/// Refuses that a flow shows a state which it does not keep.
#[track_caller]
pub const fn client(def: &FlowDef, reach: Reach, state: &StateDef) {
    let mut i = 0;
    while i < def.lasting.len() {
        let known = &def.lasting[i];
        if known.reach as u8 == reach as u8 && known.state.id.is(state.id) {
            return;
        }
        i += 1;
    }
    let mut text = Text::new();
    text.add(&[
        "`",
        def.name,
        "` shows `",
        state.name,
        "` of the ",
        reach.word(),
        ", but none of ",
    ]);
    text.add(&["its blocks keeps it there\nhelp: let a block declare it, `", reach.word(), " = "]);
    text.add(&[
        state.name,
        "`, or the flow itself, `#[flow(",
        reach.word(),
        " = ",
        state.name,
        ")]`",
    ]);
    panic!("{}", text.as_str());
}

/// What is wrong where a block reads the configuration of its flow: of this one, or of none.
pub(super) const fn config_problem(all: &[Lasting], flow: Option<&FlowDef>) -> Option<Text> {
    let mut i = 0;
    while i < all.len() {
        let one = &all[i];
        i += 1;
        if !matches!(one.reach, Reach::Flow) {
            continue;
        }
        let mut text = Text::new();
        text.add(&["`", one.block, "` reads the configuration `", one.state.name, "` of its "]);
        let Some(flow) = flow else {
            text.add(&[
                "flow, and is run by itself\nhelp: run it as an action of a flow that has it, ",
            ]);
            text.add(&["`#[flow(config = ", one.state.name, ")]`"]);
            return Some(text);
        };
        match flow.config {
            Some(config) if config.id.is(one.state.id) => continue,
            Some(config) => {
                text.add(&["flow, but `", flow.name, "` is configured by "]);
                named(&mut text, config, one.state);
                text.add(&["\nhelp: let both name one type"]);
            }
            None => {
                text.add(&["flow, but `", flow.name, "` has none\nhelp: declare it, `#[flow("]);
                text.add(&["config = ", one.state.name, ")]`"]);
            }
        }
        return Some(text);
    }
    None
}

pub(super) const fn lasting_problem(what: &str, name: &str, all: &[Lasting]) -> Option<Text> {
    if let Some((a, b, field)) = clash(all, all.len()) {
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
        return Some(key_problem(what, name, &a, &b));
    }
    None
}

const fn key_problem(what: &str, name: &str, a: &Lasting, b: &Lasting) -> Text {
    let mut text = Text::new();
    text.add(&["two ", a.reach.word(), " states of ", what, " `", name, "` are stored under "]);
    text.add(&["the key `", a.state.key, "`: "]);
    named(&mut text, a.state, b.state);
    text.add(&[" (block `", a.block, "`) and "]);
    named(&mut text, b.state, a.state);
    text.add(&[" (block `", b.block, "`)\nhelp: give one of them a key of its own, "]);
    text.add(&["`#[state(key = \"…\")]`"]);
    text
}

/// Why two flows cannot be kept by one app: a state of one is stored where a different state of the other is.
#[must_use]
pub fn flows_clash(one: &FlowDef, other: &FlowDef) -> Option<String> {
    let all: Vec<_> = one.lasting.iter().chain(other.lasting).copied().collect();
    let kept: Vec<_> =
        all.into_iter().filter(|one| !matches!(one.reach, Reach::Request | Reach::Flow)).collect();
    let (a, b) = key_clash(&kept)?;
    let flows = [one.name, "` and `", other.name].concat();
    Some(key_problem("the flows", &flows, &a, &b).as_str().to_owned())
}
