//! The tools that capabilities bring to generators, and the models: as constants, and what is wrong with them.

use super::check::child_problem;
use super::message::Text;
use super::{BlockDef, CapabilityDef, Head, UseDef, same_text};

/// A tool that a capability brings to each generator that uses it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CapabilityTool {
    /// The capability.
    pub capability: &'static CapabilityDef,
    /// Its name in the list of the capability.
    pub key: &'static str,
    /// What a model calls it; empty where only run time knows.
    pub name: &'static str,
    /// Whether a generator has it, whatever tools it lists itself.
    pub control: bool,
    /// The block.
    pub block: &'static BlockDef,
    /// Whether it is the block as it is, neither adapted nor configured.
    plain: bool,
}

impl CapabilityTool {
    /// A tool, as the macro writes it: `name` is that in the list, where the list gives it one.
    #[must_use]
    pub const fn new(
        capability: &'static CapabilityDef,
        key: &'static str,
        own_name: Option<&'static str>,
        block: &'static BlockDef,
    ) -> Self {
        let name = match own_name {
            Some(name) => name,
            None => block.head.name,
        };
        Self { capability, key, name, control: false, block, plain: false }
    }

    /// The same, which a generator has, whatever tools it lists itself.
    #[must_use]
    pub const fn control(self) -> Self {
        Self { control: true, ..self }
    }

    /// The same, which is the block as it is.
    #[must_use]
    pub const fn plain(self) -> Self {
        Self { plain: true, ..self }
    }
}

/// A tool that a generator lists itself: its name, empty where only run time knows, and the block where it is one as it is.
#[doc(hidden)]
pub type OwnTool = (&'static str, Option<&'static Head>);

/// The tools of a list of capabilities, in the order of the list; those of what each of them uses come first.
#[doc(hidden)]
#[derive(Debug)]
pub struct ToolList {
    pub tools: &'static [CapabilityTool],
    pub uses: Option<&'static ToolList>,
    pub rest: Option<&'static ToolList>,
}

const MOST: usize = 256;

struct Found {
    tools: [Option<CapabilityTool>; MOST],
    len: usize,
}

/// What one generator has of them: each once, and where it lists tools itself, only those that are for control.
const fn found(own: &[OwnTool], list: Option<&ToolList>, lists: bool) -> Found {
    let mut all = Found { tools: [None; MOST], len: 0 };
    all.add(own, list, lists);
    all
}

impl Found {
    const fn add(&mut self, own: &[OwnTool], list: Option<&ToolList>, lists: bool) {
        let Some(list) = list else { return };
        self.add(own, list.uses, lists);
        let mut i = 0;
        while i < list.tools.len() {
            let tool = list.tools[i];
            if (tool.control || !lists) && !self.has(own, tool) {
                assert!(self.len < MOST, "one generator has too many tools");
                self.tools[self.len] = Some(tool);
                self.len += 1;
            }
            i += 1;
        }
        self.add(own, list.rest, lists);
    }

    const fn has(&self, own: &[OwnTool], tool: CapabilityTool) -> bool {
        let mut i = 0;
        while i < own.len() {
            if let (name, Some(head)) = own[i]
                && tool.plain
                && head.id.is(tool.block.head.id)
                && same_text(name, tool.name)
            {
                return true;
            }
            i += 1;
        }
        let mut i = 0;
        while i < self.len {
            if let Some(known) = self.tools[i] {
                let same_block = known.plain
                    && tool.plain
                    && known.block.head.id.is(tool.block.head.id)
                    && same_text(known.name, tool.name);
                let same_tool =
                    known.capability.id.is(tool.capability.id) && same_text(known.key, tool.key);
                if same_block || same_tool {
                    return true;
                }
            }
            i += 1;
        }
        false
    }
}

/// How many [`brought`] gives.
#[doc(hidden)]
#[must_use]
pub const fn brought_len(own: &[OwnTool], list: Option<&ToolList>, lists: bool) -> usize {
    found(own, list, lists).len
}

/// The tools that a generator has of its capabilities; `lists` says whether it lists tools itself.
#[doc(hidden)]
#[must_use]
pub const fn brought<const N: usize>(
    own: &[OwnTool],
    list: Option<&ToolList>,
    lists: bool,
) -> [Option<CapabilityTool>; N] {
    let (all, mut out, mut i) = (found(own, list, lists), [None; N], 0);
    while i < N {
        out[i] = all.tools[i];
        i += 1;
    }
    out
}

/// The children of a generator: its own, then these.
#[doc(hidden)]
#[must_use]
pub const fn with_brought<const N: usize>(
    own: &[&'static BlockDef],
    brought: &[Option<CapabilityTool>],
) -> [&'static BlockDef; N] {
    const NONE: &BlockDef = &BlockDef::leaf(&Head::new("", super::Kind::Broken));
    let (mut out, mut i) = ([NONE; N], 0);
    while i < N {
        if i < own.len() {
            out[i] = own[i];
        } else if let Some(tool) = brought[i - own.len()] {
            out[i] = tool.block;
        }
        i += 1;
    }
    out
}

/// Refuses a tool of a capability that does not go with its generator, or with another tool of it.
#[track_caller]
pub const fn brought_tools(def: &BlockDef, own: &[OwnTool]) {
    if let Some(text) = problem(def, own) {
        panic!("{}", text.as_str());
    }
}

const fn problem(def: &BlockDef, own: &[OwnTool]) -> Option<Text> {
    let mut i = 0;
    while i < def.brought.len() {
        if let Some(tool) = def.brought[i] {
            let mut j = 0;
            while j < own.len() {
                if !tool.name.is_empty() && same_text(own[j].0, tool.name) {
                    return Some(two_of_a_name(def, None, tool));
                }
                j += 1;
            }
            let mut j = 0;
            while j < i {
                if let Some(other) = def.brought[j]
                    && !tool.name.is_empty()
                    && same_text(other.name, tool.name)
                {
                    return Some(two_of_a_name(def, Some(other), tool));
                }
                j += 1;
            }
            if let Some(mut text) = child_problem(def, tool.block) {
                text.add(&["\nnote: `", tool.block.head.name, "` is a tool of capability `"]);
                text.add(&[tool.capability.name, "`"]);
                return Some(text);
            }
        }
        i += 1;
    }
    None
}

const fn two_of_a_name(
    def: &BlockDef,
    other: Option<CapabilityTool>,
    tool: CapabilityTool,
) -> Text {
    let (name, mut text) = (def.head.name, Text::new());
    text.add(&["generator `", name, "` has two tools named `", tool.name, "`: "]);
    let (mut control, by) = (tool.control, tool.capability.name);
    match other {
        None => text.add(&["its own, and that of capability `", by, "`\nhelp: "]),
        Some(other) => {
            control = control && other.control;
            let first = other.capability.name;
            text.add(&["those of capabilities `", first, "` and `", by, "`\nhelp: "]);
        }
    }
    match (other, control) {
        (None, _) => text.add(&["name its own otherwise, `tools = [other = …]`"]),
        (_, true) => text.add(&["name one of them otherwise where the capability lists it"]),
        (_, false) => text.add(&["say which of them it has, `tools = […]`: it then has no others"]),
    }
    text
}

/// Refuses a tool of a capability that has the name of an earlier one of it.
#[track_caller]
pub const fn capability_tool(all: &[CapabilityTool], key: &str) {
    let mut at = 0;
    while at < all.len() && !same_text(all[at].key, key) {
        at += 1;
    }
    let mut i = 0;
    while i < at && at < all.len() {
        if !all[i].name.is_empty() && same_text(all[i].name, all[at].name) {
            let mut text = Text::new();
            text.add(&["capability `", all[i].capability.name, "` has two tools named `"]);
            text.add(&[all[i].name, "`\nhelp: name one of them in the list, `other = …`"]);
            panic!("{}", text.as_str());
        }
        i += 1;
    }
}

/// How many [`models`] gives.
#[doc(hidden)]
#[must_use]
pub const fn models_len(own: &[&str], uses: &[UseDef]) -> usize {
    let given = match model_of(uses) {
        Some(CapabilityDef { models: Some(models), .. }) => models.len(),
        _ => 0,
    };
    own.len() + given
}

/// The names of the models of a generator that names none to ask: those that its capabilities bring, and its own for else.
#[doc(hidden)]
#[must_use]
pub const fn models<const N: usize>(own: &[&'static str], uses: &[UseDef]) -> [&'static str; N] {
    let (mut out, mut i) = ([""; N], 0);
    while i < N {
        out[i] = match model_of(uses) {
            _ if i < own.len() => own[i],
            Some(CapabilityDef { models: Some(models), .. }) => models[i - own.len()],
            _ => "",
        };
        i += 1;
    }
    out
}

const fn model_of(uses: &[UseDef]) -> Option<&'static CapabilityDef> {
    let mut i = 0;
    while i < uses.len() {
        let capability = uses[i].capability;
        if capability.models.is_some() {
            return Some(capability);
        }
        if let Some(found) = model_of(capability.uses) {
            return Some(found);
        }
        i += 1;
    }
    None
}

/// Another capability than `first` that brings a model.
const fn other_model(
    uses: &[UseDef],
    first: &'static CapabilityDef,
) -> Option<&'static CapabilityDef> {
    let mut i = 0;
    while i < uses.len() {
        let capability = uses[i].capability;
        if capability.models.is_some() && !capability.id.is(first.id) {
            return Some(capability);
        }
        if let Some(found) = other_model(capability.uses, first) {
            return Some(found);
        }
        i += 1;
    }
    None
}

/// Refuses a generator that names no model, where none of its capabilities brings one, or several do.
#[track_caller]
pub const fn one_model(head: &Head) {
    let mut text = Text::new();
    match model_of(head.uses) {
        None if broken(head.uses) => return,
        None => {
            text.add(&["generator `", head.name, "` asks no model, and its capabilities bring "]);
            text.add(&["none\nhelp: say which it asks, `model = \"intent/chat\"`"]);
        }
        Some(first) => {
            let Some(other) = other_model(head.uses, first) else { return };
            text.add(&["two capabilities of generator `", head.name, "` bring a model: `"]);
            text.add(&[first.name, "` and `", other.name, "`\nhelp: say which it asks, "]);
            text.add(&["`model = \"intent/chat\"`"]);
        }
    }
    panic!("{}", text.as_str());
}

const fn broken(uses: &[UseDef]) -> bool {
    let mut i = 0;
    while i < uses.len() {
        if uses[i].capability.broken || broken(uses[i].capability.uses) {
            return true;
        }
        i += 1;
    }
    false
}
