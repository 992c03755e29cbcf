//! A flow: named entries to blocks.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Shows;
use crate::block::{Block, Takes, dispatch, from_json, to_json};
use crate::error::{Error, Result, code};
use crate::item::Failure;
use crate::schema::FlowDef;
use crate::scope::{At, Entries, Entry, Hook, Instance, Later, Link, Request, Who};
use crate::state::FlowConfig;

/// Named entries to blocks, made by `flow!`.
///
/// ```
/// use flowstate::prelude::*;
///
/// #[block(handler)]
/// async fn shout(input: String) -> Result<String> {
///     Ok(input.to_uppercase())
/// }
///
/// flow! {
///     /// Says it louder.
///     #[flow(kind = "loud")]
///     pub struct Loud {
///         /// Upper case.
///         pub shout: shout,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let app = App::builder().flow(Loud).build()?;
/// let answer = app.request().session("s1").call(Loud::shout, "hey".to_string()).await?;
/// assert_eq!(answer, "HEY");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flow",
    label = "not declared with `flow!`"
)]
pub trait Flow: Send + Sync + Sized + 'static {
    /// The type of its configuration, `#[flow(config = T)]`.
    type Config: FlowConfig;

    /// Its kind and entries.
    const DEF: &'static FlowDef = Self::ENTRIES.flow;
    /// As written by the macro.
    #[doc(hidden)]
    const ENTRIES: &'static Entries;

    /// What it shows of its states to clients.
    #[doc(hidden)]
    const CLIENT: &'static [&'static dyn Shows] = &[];

    /// The flow as a graph, in the language of [Mermaid](https://mermaid.js.org): an entry leads to its block, and a block to
    /// those that it runs.
    #[must_use]
    fn graph() -> String {
        Self::DEF.graph()
    }

    /// The flow with this configuration, for [`AppBuilder::flow`](super::AppBuilder::flow).
    ///
    /// ```
    /// use flowstate::prelude::*;
    ///
    /// #[data]
    /// pub struct Tone {
    ///     pub mark: String,
    /// }
    ///
    /// #[block(handler, config = Tone)]
    /// async fn say(input: String, ctx: Ctx) -> Result<String> {
    ///     Ok(format!("{input}{}", ctx.flow.config.mark))
    /// }
    ///
    /// flow! {
    ///     #[flow(config = Tone)]
    ///     pub struct Chat {
    ///         pub say: say,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let app = App::builder().flow(Chat.with(Tone { mark: "!".into() })).build()?;
    /// assert_eq!(app.request().call(Chat::say, "hey".into()).await?, "hey!");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    fn with(self, config: Self::Config) -> Configured<Self> {
        Configured { id: None, config: Ok(Arc::new(config)) }
    }

    /// The flow with a configuration that is given as JSON; [`AppBuilder::build`](super::AppBuilder::build) says what does not fit.
    #[must_use]
    fn with_json(self, config: Value) -> Configured<Self> {
        Configured { id: None, config: Err(config) }
    }

    /// One of several of the flow, which has `cardinality = collection`.
    #[must_use]
    fn named(self, id: impl Into<String>) -> Configured<Self> {
        Configured { id: Some(id.into()), config: Err(json!({})) }
    }
}

/// A flow with a configuration, or an id.
pub struct Configured<F: Flow> {
    id: Option<String>,
    config: std::result::Result<Arc<F::Config>, Value>,
}

impl<F: Flow> Configured<F> {
    /// The same, with this configuration.
    #[must_use]
    pub fn with(self, config: F::Config) -> Self {
        Self { config: Ok(Arc::new(config)), ..self }
    }

    /// The same, with a configuration that is given as JSON.
    #[must_use]
    pub fn with_json(self, config: Value) -> Self {
        Self { config: Err(config), ..self }
    }

    /// The same, as one of several, by its id.
    #[must_use]
    pub fn named(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }
}

impl<F: Flow> fmt::Debug for Configured<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Configured").field("flow", &F::DEF.kind).field("id", &self.id).finish()
    }
}

/// What an app takes as a flow: the flow itself, or one with a configuration.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flow",
    label = "not declared with `flow!`"
)]
pub trait IntoFlow {
    #[doc(hidden)]
    fn made(self) -> Made;
}

/// A flow as an app keeps it, or why it cannot.
#[doc(hidden)]
#[derive(Debug)]
pub struct Made(pub(super) Result<Instance>);

#[diagnostic::do_not_recommend]
impl<F: Flow> IntoFlow for F {
    fn made(self) -> Made {
        self.with_json(json!({})).made()
    }
}

impl<F: Flow> IntoFlow for Configured<F> {
    fn made(self) -> Made {
        Made(instance(self))
    }
}

fn instance<F: Flow>(flow: Configured<F>) -> Result<Instance> {
    let (name, kind) = (F::DEF.name, F::DEF.kind);
    let wrong = |text: String| Err(Error::with_code(code::APP_INVALID, text));
    let id = match (flow.id, F::DEF.collection) {
        (Some(id), true) if id.is_empty() => {
            return wrong(format!("one of the flow `{name}` has an empty id"));
        }
        (Some(id), true) => id,
        (Some(id), false) => {
            return wrong(format!(
                "the flow `{name}` is given the id `{id}`, and there is only one of it: declare it with \
                 `#[flow(cardinality = collection)]`"
            ));
        }
        (None, true) => {
            return wrong(format!(
                "the flow `{name}` is a collection: give each of it an id, `.flow({name}.named(\"…\"))`"
            ));
        }
        (None, false) => kind.to_owned(),
    };
    let config = match flow.config {
        Ok(config) => config,
        Err(_) if F::DEF.config.is_none() => {
            return Ok(Instance::new(F::ENTRIES, id, Arc::new(())));
        }
        Err(json) => Arc::new(configuration::<F>(&id, json)?),
    };
    Ok(Instance::new(F::ENTRIES, id, config))
}

/// A configuration that is given as JSON.
fn configuration<F: Flow>(id: &str, json: Value) -> Result<F::Config> {
    let of = || format!("the configuration of the flow `{id}`");
    let wrong = |error: &dyn fmt::Display| Error::with_code(code::APP_INVALID, error.to_string());
    let config: F::Config = from_json(json.clone(), &of).map_err(|error| wrong(&error))?;
    let known = to_json(&config, &of).map_err(|error| wrong(&error))?;
    match unknown(&json, &known) {
        Some(key) => Err(wrong(&format!("{}: there is no `{key}`", of()))),
        None => Ok(config),
    }
}

/// The first key that is not known.
fn unknown(json: &Value, known: &Value) -> Option<String> {
    let (json, known) = json.as_object().zip(known.as_object())?;
    json.iter().find_map(|(key, value)| match known.get(key) {
        None => Some(key.clone()),
        Some(known) => unknown(value, known).map(|inner| format!("{key}.{inner}")),
    })
}

/// Gives the line of a call.
type Key<B> = fn(&<B as Block>::Input, &Who) -> Option<String>;

/// What an entry does besides running its block.
#[doc(hidden)]
pub struct Plan<F, B: Block> {
    pub(super) name: &'static str,
    pub(super) key: Option<Key<B>>,
    pub(super) user_message: Option<fn(&B::Input) -> String>,
    pub(super) on_completed: Option<Hook<B::Output>>,
    pub(super) on_errored: Option<Hook<Failure>>,
    of: PhantomData<fn() -> F>,
}

#[doc(hidden)]
impl<F, B: Block> Plan<F, B> {
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            key: None,
            user_message: None,
            on_completed: None,
            on_errored: None,
            of: PhantomData,
        }
    }

    #[must_use]
    pub const fn key(mut self, key: Key<B>) -> Self {
        self.key = Some(key);
        self
    }

    #[must_use]
    pub const fn user_message(mut self, message: fn(&B::Input) -> String) -> Self {
        self.user_message = Some(message);
        self
    }

    #[must_use]
    pub const fn on_completed(mut self, hook: Hook<B::Output>) -> Self {
        self.on_completed = Some(hook);
        self
    }

    #[must_use]
    pub const fn on_errored(mut self, hook: Hook<Failure>) -> Self {
        self.on_errored = Some(hook);
        self
    }
}

impl<F, B: Block> fmt::Debug for Plan<F, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plan({})", self.name)
    }
}

/// A block as a hook: it runs as the root of its request, and what it returns is nobody's.
#[doc(hidden)]
#[must_use]
pub const fn hook<H: Named + HookOf<I>, I: Send + 'static>() -> Hook<I> {
    fn run<H: Block<Input = I> + Default, I: Send + 'static>(
        input: I,
        request: &Arc<Request>,
    ) -> Later<'_, ()> {
        Box::pin(async move {
            let (block, link) = (H::default(), Link::root(request));
            dispatch(&block, input, At::new(&link)).await.map(drop)
        })
    }
    run::<H, I>
}

/// A block that runs as a hook, by which one that does not fit is explained.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `{I}`",
    label = "this hook is given `{I}`",
    note = "its input is what the hook is given: `on_completed` of an action what the action returns, `on_errored` a `Failure`, the other hooks of a flow a `Called`"
)]
pub trait HookOf<I>: Takes<I> {}

#[diagnostic::do_not_recommend]
impl<I, B: Takes<I>> HookOf<I> for B {}

/// What a user said.
#[doc(hidden)]
pub fn said(text: impl IsText) -> String {
    text.into()
}

/// What is a text.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a user said",
    label = "gives `{Self}`, and `user_message` is a text",
    note = "the function returns a `String` or a `&str`"
)]
pub trait IsText: Into<String> {}

impl IsText for String {}
impl IsText for &str {}
impl IsText for &String {}

/// A block that its name alone makes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made by its name alone",
    label = "an entry names its block, and nothing else",
    note = "a block with `#[config]` becomes an entry behind a sequencer of its own: `fn named(input: …) -> … {{ input.step({Self}(…)) }}`",
    note = "a block that is written by hand derives `Default`"
)]
pub trait Named: Block + Default {}

#[diagnostic::do_not_recommend]
impl<B: Block + Default> Named for B {}

/// An entry, with its types erased.
#[doc(hidden)]
#[must_use]
pub const fn entry<F: Flow, B: Named>(plan: &'static Plan<F, B>) -> &'static dyn Entry {
    plan
}
