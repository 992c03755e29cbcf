//! What a generator's function returns: what the model is asked.

use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;

use super::format::{self, TaggedContext};
use super::tools::Chosen;
use crate::error::Result;
use crate::port::{Message, Options, Role, TokenCounter, Usage};
use crate::schema::Id;

/// What a model is asked, and how. `Prompt` asks for text; `Prompt<T>` for a `T`, which the generator then returns.
///
/// The generator's function makes one before each step of the model. The system texts, the options and the tools are those of
/// the newest; the history and the user's words are those of the first, and what the model and its tools have said stays.
///
/// ```
/// use flowstate::model::{Message, Reply, ScriptedModel};
/// use flowstate::prelude::*;
///
/// #[block(generator, model = "intent/chat")]
/// async fn helper(question: &str) -> Result<Prompt> {
///     Ok(Prompt::system("Answer in one sentence.")
///         .context("Today is Monday.")
///         .history([Message::user("Hello."), Message::assistant("Hello!")])
///         .user(question)
///         .temperature(0.2)
///         .max_tokens(200))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let model = ScriptedModel::new([Reply::text("It is Monday.")]);
/// let app = App::builder().model(model.clone()).build()?;
/// app.run(helper, "What day is it?".to_string()).await?;
/// let texts: Vec<_> = model.requests()[0].messages().iter().map(|m| m.text().to_owned()).collect();
/// assert_eq!(
///     texts,
///     ["Answer in one sentence.", "Today is Monday.", "Hello.", "Hello!", "What day is it?"]
/// );
/// # Ok(())
/// # }
/// ```
#[must_use = "a generator's function returns it"]
pub struct Prompt<T = String> {
    system: String,
    tags: TaggedContext,
    context: Vec<Message>,
    history: Vec<Message>,
    turns: Option<usize>,
    tokens: Option<usize>,
    user: Vec<Message>,
    pub(super) options: Options,
    pub(super) max_steps: u32,
    pub(super) stop_when: Option<StopWhen>,
    pub(super) models: Vec<String>,
    pub(super) tools: Option<Vec<Chosen>>,
    /// Of the tools of these capabilities only these.
    pub(super) offered: Vec<(Id, Vec<&'static str>)>,
    of: PhantomData<fn() -> T>,
}

pub(super) type StopWhen = Box<dyn Fn(&Progress<'_>) -> bool + Send + Sync>;

impl<T> Default for Prompt<T> {
    fn default() -> Self {
        Self {
            system: String::new(),
            tags: TaggedContext::new(),
            context: Vec::new(),
            history: Vec::new(),
            turns: None,
            tokens: None,
            user: Vec::new(),
            options: Options::default(),
            max_steps: 8,
            stop_when: None,
            models: Vec::new(),
            tools: None,
            offered: Vec::new(),
            of: PhantomData,
        }
    }
}

impl<T> fmt::Debug for Prompt<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, context, history, user, options, max_steps, .. } = self;
        f.debug_struct("Prompt")
            .field("system", system)
            .field("context", context)
            .field("history", history)
            .field("user", user)
            .field("options", options)
            .field("max_steps", max_steps)
            .finish_non_exhaustive()
    }
}

impl<T> Prompt<T> {
    /// What the program tells the model, first of all.
    pub fn system(text: impl Into<String>) -> Self {
        Self { system: text.into(), ..Self::default() }
    }

    /// More that the program tells it, in a message of its own after the first; empty texts count for nothing.
    pub fn context(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.context.push(Message::system(text));
        }
        self
    }

    /// The same as tags, after the first system text and in its message: each key is a tag, each text a line in it. Several
    /// are put together.
    ///
    /// # Errors
    /// As [`render_tagged_context`](super::format::render_tagged_context): a key that is no tag's name, or is a text in one
    /// place and tags in another.
    pub fn tagged(mut self, context: impl Serialize) -> Result<Self> {
        self.tags.add(context)?;
        Ok(self)
    }

    /// What was said before, after the context.
    pub fn history(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.history.extend(messages);
        self
    }

    /// Of the history only so many turns, the last ones. A turn is what the user says, and all that the model and its tools say
    /// until the user speaks again.
    ///
    /// `Prompt::system("Answer.").history(said).history_turns(8).user(question)`
    pub fn history_turns(mut self, most: usize) -> Self {
        self.turns = Some(most);
        self
    }

    /// Of the history only as many turns as have so many tokens, the last ones; each whole, and the last one even where it
    /// has more. The app's [`TokenCounter`](crate::model::TokenCounter) counts their texts and the calls of tools.
    pub fn history_tokens(mut self, most: usize) -> Self {
        self.tokens = Some(most);
        self
    }

    /// What the user says now. Where the history ends with the same words, they are there once.
    pub fn user(mut self, text: impl Into<String>) -> Self {
        self.user.push(Message::user(text));
        self
    }

    /// How freely it chooses its words: 0 for the likeliest ones, mostly up to 2.
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.options.temperature = Some(temperature);
        self
    }

    /// How many tokens one answer has at most.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.options.max_tokens = Some(tokens);
        self
    }

    /// A text at which an answer stops.
    pub fn stop(mut self, text: impl Into<String>) -> Self {
        self.options.stop.push(text.into());
        self
    }

    /// How often the model is asked at most, 8 times where nothing is said; 0 counts as 1. After the last answer its tools
    /// still run, and what was said so far is the output.
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.max_steps = steps.max(1);
        self
    }

    /// After a step with tools: whether the model is not asked again. What was said so far is the output.
    pub fn stop_when(
        mut self,
        stop: impl Fn(&Progress<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.stop_when = Some(Box::new(stop));
        self
    }

    /// This model in place of the block's; called again, the next one where this fails.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.models.push(name.into());
        self
    }

    /// Of the block's tools only these: `[Tool::Search, Tool::Cite]`; called again, these too. Those of a capability have an enum
    /// of their own: `[SkillBookTool::Activate]`. What a capability has for control is always there.
    pub fn tools<K: DeclaredIn>(mut self, tools: impl IntoIterator<Item = K>) -> Self {
        let tools = tools.into_iter().map(|tool| (K::CAPABILITY, tool.name()));
        self.tools.get_or_insert_default().extend(tools);
        self
    }

    /// None of the block's tools, but for what a capability has for control.
    pub fn without_tools(mut self) -> Self {
        self.tools = Some(Vec::new());
        self
    }

    /// The same, with what capabilities say: their tags come first.
    pub(super) fn brought(
        mut self,
        mut tags: TaggedContext,
        models: Vec<String>,
        offered: Vec<(Id, Vec<&'static str>)>,
    ) -> Result<Self> {
        tags.merge(std::mem::take(&mut self.tags))?;
        let models = if self.models.is_empty() { models } else { self.models };
        Ok(Self { tags, models, offered, ..self })
    }

    /// What stands before all that was said: the system texts.
    pub(super) fn prefix(&mut self, views: Vec<String>) -> Vec<Message> {
        let own = [std::mem::take(&mut self.system), self.tags.render()];
        let system = format::join(own.into_iter().chain(views).collect::<Vec<_>>());
        let system = (!system.is_empty()).then(|| Message::system(system));
        system.into_iter().chain(std::mem::take(&mut self.context)).collect()
    }

    /// What was said before the model was asked.
    pub(super) fn talk(&mut self, counter: &dyn TokenCounter) -> Vec<Message> {
        let (mut talk, mut user) =
            (std::mem::take(&mut self.history), std::mem::take(&mut self.user));
        let kept = last_turns(&talk, self.turns, self.tokens, counter).len();
        talk.drain(..talk.len() - kept);
        if talk.last().is_some() && talk.last() == user.first() {
            user.remove(0);
        }
        talk.append(&mut user);
        talk
    }
}

/// The last turns, as many as there may be.
pub(crate) fn last_turns<'a>(
    said: &'a [Message],
    turns: Option<usize>,
    tokens: Option<usize>,
    counter: &dyn TokenCounter,
) -> &'a [Message] {
    if turns.is_none() && tokens.is_none() {
        return said;
    }
    let is_user = |at: usize| said[at].role() == Role::User;
    let begins = |at: &usize| *at == 0 || (is_user(*at) && !is_user(*at - 1));
    let (mut from, mut spent) = (said.len(), 0);
    for (n, begin) in (0..said.len()).rev().filter(begins).enumerate() {
        if turns.is_some_and(|most| n >= most) {
            break;
        }
        if let Some(most) = tokens {
            spent += said[begin..from].iter().map(|one| tokens_of(one, counter)).sum::<usize>();
            if spent > most && n > 0 {
                break;
            }
        }
        from = begin;
    }
    &said[from..]
}

pub(super) fn tokens_of(message: &Message, counter: &dyn TokenCounter) -> usize {
    let calls = match message {
        Message::Assistant { tool_calls, .. } => &tool_calls[..],
        _ => &[],
    };
    let calls = calls.iter().flat_map(|call| [&call.name, &call.arguments]);
    counter.count(message.text()) + calls.map(|text| counter.count(text)).sum::<usize>()
}

/// One of the tools that a generator declares: in its function `Tool::Search`, elsewhere `AgentTool::Search` of `agent`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool of a generator",
    label = "not one of its tools",
    note = "in the generator's function each tool of its list is a `Tool::Name`: `.tools([Tool::Search, Tool::Cite])`"
)]
pub trait DeclaredIn: Copy {
    /// The capability that brings it.
    #[doc(hidden)]
    const CAPABILITY: Option<Id> = None;
    /// Its name, as it stands in `tools = […]`.
    fn name(self) -> &'static str;
}

/// How far a generator is, for [`stop_when`](Prompt::stop_when).
#[derive(Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// How often the model was asked.
    pub steps: u32,
    /// What was said since the prompt's own messages.
    pub said: &'a [Message],
    /// What it has cost so far.
    pub usage: Usage,
}

impl Progress<'_> {
    /// Whether a tool was called that the model knows by this name, and did not fail.
    #[must_use]
    pub fn called(&self, tool: &str) -> bool {
        self.said.iter().any(|message| {
            matches!(message, Message::Tool(result) if result.name == tool && !result.failed)
        })
    }
}
