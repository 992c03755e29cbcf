//! Blocks as tools: what a model is told of them, and its calls.

use std::fmt;
use std::pin::Pin;
use std::sync::OnceLock;

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::output::Object;
use super::prompt::Prompt;
use super::repair::repair;
use crate::block::{Block, IntoBlock, dispatch, from_json, to_json};
use crate::error::{Error, Result, ValidationError, code};
use crate::port::ToolDef;
use crate::schema::{BlockDef, CapabilityTool, Id};
use crate::scope::{At, Link};

#[derive(Debug)]
/// What a call gave: for the items, and for the model.
pub struct Called {
    pub(super) output: Value,
    pub(super) text: String,
    /// Whether the tool did not have to run.
    pub(super) cached: bool,
}

pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Result<Called>> + Send + 'a>>;

/// A tool of a generator, with its types erased.
#[doc(hidden)]
pub trait DeclaredTool: Send + Sync {
    /// Its name, as it stands in the list.
    fn key(&self) -> &'static str;
    /// The capability that brings it.
    fn of(&self) -> Option<&CapabilityTool> {
        None
    }
    /// The name and the description that a model is told, and the schema of the arguments.
    fn def(&self) -> ToolDef;
    /// The block and all that it runs.
    fn tree(&self) -> &'static BlockDef;
    /// Runs it.
    fn call<'s>(&'s self, link: &'s Link<'s>, arguments: &'s str) -> Running<'s>;
}

impl fmt::Debug for dyn DeclaredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tool({})", self.key())
    }
}

/// A block as a tool: its name in the list, and whether that was given to it there.
#[doc(hidden)]
#[must_use]
pub fn tool<B: IntoBlock>(block: B, key: &'static str, given: bool) -> Box<dyn DeclaredTool> {
    Box::new(Declared { block: block.into_block(), key, given, arguments: OnceLock::new() })
}

struct Declared<B> {
    block: B,
    key: &'static str,
    given: bool,
    /// The schema of its arguments, once it was asked for.
    arguments: OnceLock<Object>,
}

impl<B: Block> Declared<B> {
    fn arguments(&self) -> &Object {
        self.arguments.get_or_init(|| Object::of::<B::Input>("input"))
    }

    fn name(&self) -> &'static str {
        let own = self.block.tool().name.unwrap_or(B::HEAD.name);
        if self.given { self.key } else { own }
    }
}

impl<B: Block> Declared<B> {
    async fn run(&self, input: B::Input, link: &Link<'_>) -> Result<Called> {
        self.called(&dispatch(&self.block, input, At::new(link)).await?, false)
    }

    fn called(&self, output: &B::Output, cached: bool) -> Result<Called> {
        let shown = self.block.shown(output);
        let output = to_json(output, &|| format!("the output of `{}`", self.name()))?;
        let text = shown.unwrap_or_else(|| match &output {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        Ok(Called { output, text, cached })
    }
}

impl<B: Block> DeclaredTool for Declared<B> {
    fn key(&self) -> &'static str {
        self.key
    }

    fn def(&self) -> ToolDef {
        let description = self.block.tool().description.unwrap_or(B::HEAD.description);
        ToolDef::new(self.name(), description, self.arguments().schema.clone())
    }

    fn tree(&self) -> &'static BlockDef {
        B::DEF
    }

    fn call<'s>(&'s self, link: &'s Link<'s>, arguments: &'s str) -> Running<'s> {
        Box::pin(async move {
            let name = self.name();
            let of = |what: &'static str| move || format!("the {what} of `{name}`");
            let json = self.arguments().unwrap(parsed(arguments, of("input"))?);
            let input = from_json(json, &of("input"))?;
            let caching = self.block.caching();
            let key = caching.and_then(|how| Some(((how.key)(&input)?, how.session, how.ttl)));
            let Some((key, session, ttl)) = key else {
                return self.run(input, link).await;
            };
            let mut call = link.cached_call(B::HEAD, session, key).await;
            // what another version of the program kept may be no output of this one
            if let Some(output) = call.kept(|json| B::Output::deserialize(json).ok()).await {
                return self.called(&output, true);
            }
            let called = self.run(input, link).await?;
            call.keep(called.output.clone(), ttl).await;
            Ok(called)
        })
    }
}

/// The arguments as JSON. None at all is an empty object; what is broken is mended where that can be done. Not what was cut
/// off: half an argument is another one.
fn parsed(text: &str, of: impl FnOnce() -> String) -> Result<Value, ValidationError> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_str(text).or_else(|error| {
        let fits = |json: &Value| json.is_object() || json.is_array();
        let whole = text.trim_end().ends_with(['}', ']']);
        let mended = if whole { repair(text) } else { None };
        mended
            .filter(fits)
            .ok_or_else(|| ValidationError::new(of(), String::new(), format!("no JSON: {error}")))
    })
}

/// The tools of one run, each as the model is told of it.
#[derive(Debug)]
pub(super) struct Toolset<'a> {
    tools: &'a [Box<dyn DeclaredTool>],
    defs: Vec<ToolDef>,
    /// Which of them the model is told of.
    active: Vec<bool>,
}

impl<'a> Toolset<'a> {
    pub(super) fn new(tools: &'a [Box<dyn DeclaredTool>]) -> Result<Self> {
        let mut defs: Vec<ToolDef> = Vec::with_capacity(tools.len());
        let mut names: Vec<String> = Vec::with_capacity(tools.len());
        for tool in tools {
            let mut def = tool.def();
            if names.contains(&def.name) {
                return Err(two_of_a_name(&tools[..=names.len()], &names, &def.name));
            }
            let plain = sane(&def.name);
            let taken = |name: &str| defs.iter().any(|other| other.name == name);
            let alias = if taken(&plain) {
                let numbered = (2..).map(|n| format!("{plain}_{n}"));
                numbered.into_iter().find(|name| !taken(name)).unwrap_or_default()
            } else {
                plain
            };
            names.push(std::mem::replace(&mut def.name, alias));
            defs.push(def);
        }
        Ok(Self { tools, active: vec![true; defs.len()], defs })
    }

    /// Lets the model know of what the prompt chooses, of all where it does not, but of no more than the capabilities offer. What
    /// is for control, the prompt cannot leave out.
    pub(super) fn choose<T>(&mut self, prompt: &Prompt<T>) -> Result<()> {
        let chosen = prompt.tools.as_deref();
        let is = |tool: &dyn DeclaredTool, (of, key): Chosen| tool.key() == key && is_of(tool, of);
        for one in chosen.unwrap_or_default() {
            if !self.tools.iter().any(|tool| is(&**tool, *one)) {
                return Err(not_there(*one));
            }
        }
        for (active, tool) in self.active.iter_mut().zip(self.tools) {
            let of = tool.of();
            let named = || chosen.is_none_or(|all| all.iter().any(|one| is(&**tool, *one)));
            let offered = |of: &CapabilityTool| {
                let mut said = prompt.offered.iter().filter(|(id, _)| id.is(of.capability.id));
                said.all(|(_, keys)| keys.contains(&of.key))
            };
            *active = of.is_none_or(offered) && (of.is_some_and(|of| of.control) || named());
        }
        Ok(())
    }

    /// What the model is told.
    pub(super) fn told(&self) -> Vec<ToolDef> {
        let active = self.defs.iter().zip(&self.active).filter(|(_, active)| **active);
        active.map(|(def, _)| def.clone()).collect()
    }

    /// The tool that a model means.
    pub(super) fn find(&self, name: &str) -> Option<&'a dyn DeclaredTool> {
        let at = self.defs.iter().position(|def| def.name == name)?;
        self.active[at].then(|| &*self.tools[at])
    }
}

/// A tool that a prompt names: the capability that brings it, and its name in the list.
pub(super) type Chosen = (Option<Id>, &'static str);

fn is_of(tool: &dyn DeclaredTool, capability: Option<Id>) -> bool {
    match (tool.of(), capability) {
        (None, None) => true,
        (Some(of), Some(id)) => of.capability.id.is(id),
        _ => false,
    }
}

#[cold]
fn not_there((of, key): Chosen) -> Error {
    let text = match of {
        None => format!("the prompt names the tool `{key}` of another block"),
        Some(_) => format!(
            "the prompt names the tool `{key}` of a capability, which the generator does not use, or whose tools it \
             replaces by its own"
        ),
    };
    Error::with_code(code::TOOLS_INVALID, text)
}

/// The last of these has the name of an earlier one.
#[cold]
fn two_of_a_name(tools: &[Box<dyn DeclaredTool>], names: &[String], name: &str) -> Error {
    let first = names.iter().position(|known| known == name).and_then(|at| tools.get(at));
    let of = |tool: Option<&Box<dyn DeclaredTool>>| match tool.and_then(|tool| tool.of()) {
        Some(of) => format!("of capability `{}`", of.capability.name),
        None => "of the block itself".to_owned(),
    };
    let mut text = format!("there are two tools of the name `{name}`");
    if tools.iter().any(|tool| tool.of().is_some()) {
        text = format!("{text}: one {}, one {}", of(first), of(tools.last()));
    }
    Error::with_code(code::TOOLS_INVALID, text)
}

/// A name that every provider takes.
fn sane(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars().map(|c| if fits(c) { c } else { '_' }).collect()
}
