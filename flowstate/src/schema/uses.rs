//! Capabilities as constants: what they bring, who uses them how, and what is wrong with a list of them.

use super::check::{clash, named, shared_field};
use super::message::Text;
use super::{Head, Held, Id, Lasting, Reach, Reads, StateDef, Target, each, hash, same_text};
use crate::item::Visibility;

/// A capability: what it brings to each block that uses it.
#[derive(Debug)]
#[non_exhaustive]
pub struct CapabilityDef {
    /// The type's name.
    pub name: &'static str,
    /// Where the type is declared.
    pub id: Id,
    /// What it is called in `ctx.cap`.
    pub field: &'static str,
    called: u128,
    /// The states it brings.
    pub holds: &'static [&'static StateDef],
    /// What it reads from the nearest sequencer that holds it.
    pub sequencer: &'static [Reads],
    /// What it reads from named ancestors.
    pub targets: &'static [Target],
    /// The states it uses that outlive the block.
    pub lasting: &'static [(Reach, &'static StateDef)],
    /// The capabilities that it uses itself.
    pub uses: &'static [UseDef],
    /// The fields of its configuration that whoever uses it must give.
    pub required: &'static [&'static str],
    /// The models that a generator asks that names none; empty where they are chosen at run time.
    pub models: Option<&'static [&'static str]>,
    /// Who is shown the texts of a block that uses it and does not say so itself.
    pub visibility: Option<Visibility>,
    /// Whether what a block that uses it streams is left out of what is stored.
    pub transient: bool,
    /// Whether its declaration does not compile, so that nothing is known of it.
    #[doc(hidden)]
    pub broken: bool,
}

impl CapabilityDef {
    /// A capability that brings nothing.
    #[must_use]
    pub const fn new(name: &'static str, id: &'static str, field: &'static str) -> Self {
        Self {
            name,
            id: Id::new(id),
            field,
            called: hash(field),
            holds: &[],
            sequencer: &[],
            targets: &[],
            lasting: &[],
            uses: &[],
            required: &[],
            models: None,
            visibility: None,
            transient: false,
            broken: false,
        }
    }

    /// One whose declaration does not compile.
    #[doc(hidden)]
    #[must_use]
    pub const fn broken(name: &'static str) -> Self {
        Self { broken: true, ..Self::new(name, "", "") }
    }

    /// The same, with what it brings, as the macro writes it.
    #[doc(hidden)]
    #[must_use]
    pub const fn with(
        self,
        holds: &'static [&'static StateDef],
        sequencer: &'static [Reads],
        targets: &'static [Target],
        lasting: &'static [(Reach, &'static StateDef)],
        uses: &'static [UseDef],
        required: &'static [&'static str],
    ) -> Self {
        Self { holds, sequencer, targets, lasting, uses, required, ..self }
    }

    /// The same, and a generator that uses it and names no model asks these; none where they are chosen at run time.
    #[must_use]
    pub const fn models(mut self, models: &'static [&'static str]) -> Self {
        self.models = Some(models);
        self
    }

    /// The same, and the texts of a block that uses it are shown to these.
    #[must_use]
    pub const fn visible(mut self, client: bool, history: bool) -> Self {
        self.visibility = Some(Visibility::new(client, history));
        self
    }

    /// The same, and what a block that uses it streams is not stored.
    #[must_use]
    pub const fn transient(mut self) -> Self {
        self.transient = true;
        self
    }
}

/// One use of a capability, in the option `uses` of a block or of another capability.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct UseDef {
    /// The capability.
    pub capability: &'static CapabilityDef,
    /// How it is configured, as written: `limit = 3`; empty where it is not.
    pub config: &'static str,
    /// The fields and presets that are given.
    pub given: &'static [&'static str],
}

impl UseDef {
    /// A use, as the macro writes it.
    #[must_use]
    pub const fn new(
        capability: &'static CapabilityDef,
        config: &'static str,
        given: &'static [&'static str],
    ) -> Self {
        Self { capability, config, given }
    }
}

/// Whether one of these capabilities, or one that they use, brings a state, as one that is broken may.
pub(super) const fn bring(uses: &[UseDef], state: &StateDef) -> bool {
    each!(one in uses => {
        each!(held in one.capability.holds => {
            if held.id.hash == state.id.hash {
                return true;
            }
        });
        if one.capability.broken || bring(one.capability.uses, state) {
            return true;
        }
    });
    false
}

const MOST: usize = 64;

/// What a block, or a capability, and all capabilities below it bring.
pub(super) struct Brought {
    pub(super) held: [Held; MOST],
    pub(super) len: usize,
    lasting: [Lasting; MOST],
    lasting_len: usize,
    used: [(UseDef, Option<&'static str>); MOST],
    used_len: usize,
}

const NO_STATE: &StateDef = &StateDef::new("", "", "", &[]);
const NO_CAPABILITY: &CapabilityDef = &CapabilityDef::new("", "", "");

impl Brought {
    const fn new() -> Self {
        Self {
            held: [Held { state: NO_STATE, capability: None }; MOST],
            len: 0,
            lasting: [Lasting::new(Reach::Request, NO_STATE, "", None); MOST],
            lasting_len: 0,
            used: [(UseDef::new(NO_CAPABILITY, "", &[]), None); MOST],
            used_len: 0,
        }
    }

    pub(super) const fn by_block(head: &'static Head) -> Self {
        let mut all = Self::new();
        each!(held in head.holds => { all.hold(*held) });
        each!(lasting in head.lasting => { all.last(*lasting) });
        all.all_of(head.uses, head.name, None);
        all
    }

    const fn by_capability(def: &'static CapabilityDef) -> Self {
        let mut all = Self::new();
        all.one(def, def.name);
        all.all_of(def.uses, def.name, None);
        all
    }

    const fn hold(&mut self, held: Held) {
        assert!(self.len < MOST, "one block holds too many states");
        self.held[self.len] = held;
        self.len += 1;
    }

    const fn last(&mut self, lasting: Lasting) {
        assert!(self.lasting_len < MOST, "one block uses too many stored states");
        self.lasting[self.lasting_len] = lasting;
        self.lasting_len += 1;
    }

    const fn one(&mut self, def: &'static CapabilityDef, block: &'static str) {
        let capability = Some(def.name);
        each!(state in def.holds => { self.hold(Held { state, capability }) });
        each!((reach, state) in def.lasting => {
            self.last(Lasting::new(*reach, state, block, capability));
        });
    }

    const fn all_of(
        &mut self,
        uses: &'static [UseDef],
        block: &'static str,
        by: Option<&'static str>,
    ) {
        each!(one in uses => {
            let capability = one.capability;
            let (mut j, mut known) = (0, false);
            while j < self.used_len {
                known |= self.used[j].0.capability.id.hash == capability.id.hash;
                j += 1;
            }
            assert!(self.used_len < MOST, "one block uses too many capabilities");
            self.used[self.used_len] = (*one, by);
            self.used_len += 1;
            if !known {
                self.one(capability, block);
                self.all_of(capability.uses, block, Some(capability.name));
            }
        });
    }
}

/// Refuses a block that holds two states with one field, or uses two such states of one session, user, org or request; and
/// capabilities that do not go together.
#[track_caller]
pub const fn states(head: &'static Head) {
    let brought = Brought::by_block(head);
    if let Some(text) = problem("block", head.name, &brought, head.uses)
        && !told(head.uses)
    {
        panic!("{}", text.as_str());
    }
}

/// As [`states`], of a capability.
#[track_caller]
pub const fn capability(def: &'static CapabilityDef) {
    let brought = Brought::by_capability(def);
    if let Some(text) = problem("capability", def.name, &brought, def.uses)
        && !told(def.uses)
    {
        panic!("{}", text.as_str());
    }
}

/// Whether one of them is refused by itself: its own error says it.
const fn told(uses: &[UseDef]) -> bool {
    each!(UseDef { capability, .. } in uses => {
        let brought = Brought::by_capability(capability);
        if problem("capability", capability.name, &brought, capability.uses).is_some() {
            return true;
        }
    });
    false
}

const fn problem(what: &str, name: &str, all: &Brought, uses: &[UseDef]) -> Option<Text> {
    if let Some(text) = two_schemas(what, name, all) {
        return Some(text);
    }
    if let Some(text) = two_of_a_name(what, name, uses) {
        return Some(text);
    }
    if let Some(text) = two_configs(what, name, all) {
        return Some(text);
    }
    if let Some(text) = two_visibilities(what, name, uses) {
        return Some(text);
    }
    not_given(uses)
}

const fn two_schemas(what: &str, name: &str, all: &Brought) -> Option<Text> {
    let mut i = 0;
    while i < all.len {
        let mut j = 0;
        while j < i {
            let (a, b) = (&all.held[j], &all.held[i]);
            if let Some(field) = shared_field(a.state, b.state) {
                let mut text = Text::new();
                text.add(&["field `", field, "` of ", what, " `", name, "` has two schemas: "]);
                contributor(&mut text, a.state, a.capability, b.state);
                text.add(&[" and "]);
                contributor(&mut text, b.state, b.capability, a.state);
                text.add(&["\nhelp: one field has one state type: use the same type in both, or "]);
                text.add(&["rename one of the fields"]);
                return Some(text);
            }
            j += 1;
        }
        i += 1;
    }
    if let Some((a, b, field)) = clash(&all.lasting, all.lasting_len) {
        let mut text = Text::new();
        text.add(&[a.reach.word(), " field `", field, "` of ", what, " `", name, "` has two "]);
        text.add(&["schemas: "]);
        lasting_contributor(&mut text, a, b);
        text.add(&[" and "]);
        lasting_contributor(&mut text, b, a);
        text.add(&["\nhelp: use the same type for both, or rename one of the fields"]);
        return Some(text);
    }
    None
}

const fn contributor(text: &mut Text, state: &StateDef, by: Option<&str>, other: &StateDef) {
    named(text, state, other);
    match by {
        Some(capability) => text.add(&[" (capability `", capability, "`)"]),
        None => text.add(&[" (its own state)"]),
    }
}

const fn lasting_contributor(text: &mut Text, of: Lasting, other: Lasting) {
    named(text, of.state, other.state);
    if let Some(capability) = of.capability {
        text.add(&[" (capability `", capability, "`)"]);
    }
}

const fn two_of_a_name(what: &str, name: &str, uses: &[UseDef]) -> Option<Text> {
    let (mut i, len) = (0, uses.len());
    while i < len {
        let mut j = 0;
        while j < i {
            let (a, b) = (uses[j].capability, uses[i].capability);
            if a.called == b.called && same_text(a.field, b.field) {
                let mut text = Text::new();
                if a.id.is(b.id) {
                    text.add(&[what, " `", name, "` uses capability `", a.name, "` twice\nhelp: "]);
                    text.add(&["name it once"]);
                    return Some(text);
                }
                text.add(&[what, " `", name, "` uses two capabilities named `", a.field, "`: "]);
                text.add(&["`", path(a.id), "` and `", path(b.id), "`\nhelp: give one of them "]);
                text.add(&["another name, `#[capability(name = \"…\")]`"]);
                return Some(text);
            }
            j += 1;
        }
        i += 1;
    }
    None
}

/// The module path and name, without the place.
const fn path(id: Id) -> &'static str {
    let bytes = id.text().as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b'@' {
        end += 1;
    }
    id.text().split_at(end).0
}

const fn two_configs(what: &str, name: &str, all: &Brought) -> Option<Text> {
    let mut i = 0;
    while i < all.used_len {
        let mut j = 0;
        while j < i {
            let (a, b) = (&all.used[j], &all.used[i]);
            let twice = a.0.capability.id.hash == b.0.capability.id.hash;
            if twice && !same_text(a.0.config, b.0.config) {
                let mut text = Text::new();
                text.add(&["capability `", a.0.capability.name, "` is configured in two ways: "]);
                configured(&mut text, what, name, a.0, a.1);
                text.add(&[", "]);
                configured(&mut text, what, name, b.0, b.1);
                text.add(&[
                    "\nhelp: a block has one of each capability: configure it alike in both",
                ]);
                return Some(text);
            }
            j += 1;
        }
        i += 1;
    }
    None
}

const fn configured(text: &mut Text, what: &str, name: &str, by: UseDef, used: Option<&str>) {
    match used {
        Some(capability) => text.add(&["capability `", capability, "` uses `"]),
        None => text.add(&[what, " `", name, "` uses `"]),
    }
    text.add(&[by.capability.name]);
    if !by.config.is_empty() {
        text.add(&[".with(", by.config, ")"]);
    }
    text.add(&["`"]);
}

const fn two_visibilities(what: &str, name: &str, uses: &[UseDef]) -> Option<Text> {
    let mut first: Option<&CapabilityDef> = None;
    each!(UseDef { capability, .. } in uses => {
        if capability.visibility.is_some() {
            if let Some(first) = first {
                return Some(two_options(what, name, "visibility", first.name, capability.name));
            }
            first = Some(capability);
        }
    });
    None
}

const fn two_options(what: &str, name: &str, option: &str, a: &str, b: &str) -> Text {
    let mut text = Text::new();
    text.add(&["two capabilities of ", what, " `", name, "` say `", option, "`: `", a, "` and `"]);
    text.add(&[b, "`\nhelp: only one of them can say it for all blocks that use it"]);
    text
}

const fn not_given(uses: &[UseDef]) -> Option<Text> {
    each!(UseDef { capability, given, .. } in uses => {
        each!(field in capability.required => {
            let mut there = false;
            each!(known in *given => { there |= same_text(known, field) });
            if !there {
                let name = capability.name;
                let mut text = Text::new();
                text.add(&["capability `", name, "` must be given `", field, "`\nhelp: write `"]);
                text.add(&[name, ".with(", field, " = …)`"]);
                return Some(text);
            }
        });
    });
    None
}

/// Refuses a preset that has the name of a field of the configuration, where those are known.
#[track_caller]
pub const fn preset(fields: &[&str], name: &str) {
    let mut i = 0;
    while i < fields.len() {
        if same_text(fields[i], name) {
            let mut text = Text::new();
            text.add(&["preset `", name, "` has the name of a field of the configuration\nhelp: "]);
            text.add(&["`Capability.with(…)` sets both: name one of them differently"]);
            panic!("{}", text.as_str());
        }
        i += 1;
    }
}
