//! What capabilities bring to a generator: tools, context, a model.

use std::fmt;
use std::future::{Ready, ready};
use std::pin::Pin;

use serde::Serialize;

use super::prompt::{DeclaredIn, Prompt};
use super::tags::TaggedContext;
use super::tools::{DeclaredTool, Running};
use crate::block::BlockResult;
use crate::capability::{Capability, Given, Use, Uses};
use crate::error::Result;
use crate::port::ToolDef;
use crate::schema::{BlockDef, CapabilityTool, Id, ToolList};
use crate::scope::Link;

/// What one capability brings, as `#[capability]` writes it.
#[doc(hidden)]
pub trait Brings: Capability {
    /// Its tools.
    const TOOLS: &'static [CapabilityTool] = &[];
    /// The tool of this name in its list.
    fn tool(_key: &str, _config: &'static Self::Config) -> Option<Box<dyn DeclaredTool>> {
        None
    }
    /// Asks its functions what they say in this step; `None` where it has none.
    fn asked<'a>(
        _given: Given<'a>,
        _config: &'static Self::Config,
        _step: &'a mut Step,
    ) -> Option<Asking<'a>> {
        None
    }
}

/// What is asked while it is awaited.
#[doc(hidden)]
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

type Of<U> = <U as Use>::Capability;

/// What a list of capabilities brings, and what they use themselves.
#[doc(hidden)]
pub trait AllBring: Uses {
    const TOOLS: Option<&'static ToolList>;
    /// The tool of one of them.
    fn tool(of: &CapabilityTool) -> Option<Box<dyn DeclaredTool>>;
    fn asked<'a>(given: Given<'a>, step: &'a mut Step) -> Asking<'a>;
}

impl AllBring for () {
    const TOOLS: Option<&'static ToolList> = None;

    fn tool(_: &CapabilityTool) -> Option<Box<dyn DeclaredTool>> {
        None
    }
    fn asked<'a>(_: Given<'a>, _: &'a mut Step) -> Asking<'a> {
        Box::pin(ready(Ok(())))
    }
}

impl<U: Use, R: AllBring> AllBring for (U, R)
where
    Of<U>: Brings,
    <Of<U> as Capability>::Uses: AllBring,
{
    const TOOLS: Option<&'static ToolList> = Some(&ToolList {
        tools: <Of<U> as Brings>::TOOLS,
        uses: <<Of<U> as Capability>::Uses as AllBring>::TOOLS,
        rest: R::TOOLS,
    });

    fn tool(of: &CapabilityTool) -> Option<Box<dyn DeclaredTool>> {
        if Of::<U>::DEF.id.is(of.capability.id) {
            return <Of<U> as Brings>::tool(of.key, U::config());
        }
        <<Of<U> as Capability>::Uses as AllBring>::tool(of).or_else(|| R::tool(of))
    }

    fn asked<'a>(given: Given<'a>, step: &'a mut Step) -> Asking<'a> {
        Box::pin(async move {
            <<Of<U> as Capability>::Uses as AllBring>::asked(given, step).await?;
            if step.begin(Of::<U>::DEF.id)
                && let Some(asking) = <Of<U> as Brings>::asked(given, U::config(), step)
            {
                asking.await?;
            }
            R::asked(given, step).await
        })
    }
}

/// Adds the tools that the capabilities of a generator bring to it.
#[doc(hidden)]
pub fn bring_tools<U: AllBring>(def: &BlockDef, tools: &mut Vec<Box<dyn DeclaredTool>>) {
    for brought in def.brought.iter().flatten() {
        let tool = U::tool(brought).map(|tool| Brought { tool, of: *brought });
        tools.extend(tool.map(|tool| Box::new(tool) as Box<dyn DeclaredTool>));
    }
}

/// The prompt of one step, with what the capabilities say; `asks` is whether the generator names a model itself.
#[doc(hidden)]
pub fn bring<U: AllBring, T>(
    given: Given<'_>,
    prompt: Prompt<T>,
    asks: bool,
) -> impl Future<Output = Result<Prompt<T>>> + Send {
    async move {
        let mut step = Step::default();
        U::asked(given, &mut step).await?;
        let Step { tags, mut models, offered, .. } = step;
        if asks {
            models.clear();
        }
        prompt.brought(tags, models, offered)
    }
}

/// What the capabilities of a generator say in one step.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Step {
    /// Those that were asked.
    asked: Vec<Id>,
    tags: TaggedContext,
    models: Vec<String>,
    offered: Vec<(Id, Vec<&'static str>)>,
}

impl Step {
    /// Whether a capability was not asked yet.
    fn begin(&mut self, id: Id) -> bool {
        let first = !self.asked.iter().any(|known| known.is(id));
        self.asked.push(id);
        first
    }

    /// Adds to a tag of the context.
    ///
    /// # Errors
    /// As [`TaggedContext::add`].
    pub fn tag(&mut self, tag: &'static str, value: impl Serialize) -> Result<()> {
        self.tags.add(std::collections::BTreeMap::from([(tag, value)]))
    }

    /// Names the model, where the generator does not.
    ///
    /// # Errors
    /// None.
    pub fn model(&mut self, name: impl NamesModel) -> Result<()> {
        self.models.push(name.name());
        Ok(())
    }

    /// Of the tools of a capability only these.
    ///
    /// # Errors
    /// None.
    pub fn offer<K: DeclaredIn>(&mut self, id: Id, tools: impl Offers<K>) -> Result<()> {
        self.offered.push((id, tools.all().map(DeclaredIn::name).collect()));
        Ok(())
    }
}

/// The name of a model.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a model is named by a text, not by `{Self}`",
    label = "returns `{Self}`",
    note = "a capability's `model` returns a `String`, or a `Result` of one"
)]
pub trait NamesModel {
    fn name(self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: Into<String>> NamesModel for T {
    fn name(self) -> String {
        self.into()
    }
}

/// Some of the tools `K`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`offered` returns some of the tools of its capability, and not `{Self}`",
    label = "returns `{Self}`",
    note = "it is a list of them: `Vec<{K}>`"
)]
pub trait Offers<K> {
    fn all(self) -> impl Iterator<Item = K>;
}

#[diagnostic::do_not_recommend]
impl<K, I: IntoIterator<Item = K>> Offers<K> for I {
    fn all(self) -> impl Iterator<Item = K> {
        self.into_iter()
    }
}

/// What a function has returned: itself or a future, failing or not.
#[doc(hidden)]
#[derive(Debug)]
pub struct Said<T>(pub T);

impl<F: Future> Said<F> {
    pub fn settled(self) -> F {
        self.0
    }
}

impl<R: BlockResult> Said<R> {
    /// # Errors
    /// The function's.
    pub fn value(self) -> Result<R::Ok> {
        self.0.into_result()
    }
}

/// The same of what is neither.
#[doc(hidden)]
pub trait SaidOtherwise<T>: Sized {
    fn settled(self) -> Ready<T>;
    /// # Errors
    /// None.
    fn value(self) -> Result<T>;
}

impl<T> SaidOtherwise<T> for Said<T> {
    fn settled(self) -> Ready<T> {
        ready(self.0)
    }
    fn value(self) -> Result<T> {
        Ok(self.0)
    }
}

/// A tool of a capability.
struct Brought {
    tool: Box<dyn DeclaredTool>,
    of: CapabilityTool,
}

impl fmt::Debug for Brought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tool.fmt(f)
    }
}

impl DeclaredTool for Brought {
    fn key(&self) -> &'static str {
        self.tool.key()
    }
    fn of(&self) -> Option<&CapabilityTool> {
        Some(&self.of)
    }
    fn def(&self) -> ToolDef {
        self.tool.def()
    }
    fn tree(&self) -> &'static BlockDef {
        self.tool.tree()
    }
    fn call<'s>(&'s self, link: &'s Link<'s>, arguments: &'s str) -> Running<'s> {
        self.tool.call(link, arguments)
    }
}
