//! One run of a generator: the model is asked, its tools run, and it is asked again.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::join_all;

use super::ask::{Answer, Listener, ask};
use super::output::{self, Object};
use super::prompt::{Progress, Prompt};
use super::tools::{DeclaredTool, Toolset};
use crate::error::{Error, Result, UpdateRejected, ValidationError, code};
use crate::item::{ItemKind, ModelUsage, ToolOutput};
use crate::port::{Message, Model, ModelRequest, ToolCall, ToolResult, Usage};
use crate::schema::{BlockDef, Kind};
use crate::scope::{Base, Calls, Link, Place, Scope, TextStream, can_search, no_model};
use crate::state::Data;

/// What becomes of an answer that does not fit.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Repair {
    /// It is an error.
    Off,
    /// It is mended where that can be done, and else the model of this name is asked to.
    With(&'static str),
    /// The same with `intent/utility`, where the app has it.
    Auto,
}

/// How many rejected updates of contracts a model is told of in one run, to correct them; one more ends it.
const CORRECTIONS: u32 = 3;

/// One run of a generator.
#[doc(hidden)]
pub struct Generation<'a, T> {
    base: Base<'a>,
    scope: &'a Arc<Scope>,
    models: &'static [&'static str],
    repair: Repair,
    tools: Option<Toolset<'a>>,
    declared: &'a [Box<dyn DeclaredTool>],
    /// What was said, from the history on.
    talk: Vec<Message>,
    /// How much of it the prompt had.
    asked: usize,
    steps: u32,
    calls: u32,
    /// What the contracts that it reads show before the next step.
    views: Vec<String>,
    rejected: AtomicU32,
    saying: Saying<'a>,
    cost: Cost<'a>,
    of: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for Generation<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Generation({}, step {})", self.base.path(), self.steps)
    }
}

impl<'a, T: Data> Generation<'a, T> {
    #[must_use]
    pub fn new(
        base: Base<'a>,
        scope: &'a Arc<Scope>,
        models: &'static [&'static str],
        repair: Repair,
        declared: &'a [Box<dyn DeclaredTool>],
    ) -> Self {
        let shown = base.head().visibility.is_some();
        let message = shown && output::is_text::<T>();
        Self {
            base,
            scope,
            models,
            repair,
            declared,
            tools: None,
            talk: Vec::new(),
            asked: 0,
            steps: 0,
            calls: 0,
            views: Vec::new(),
            rejected: AtomicU32::new(0),
            saying: Saying {
                base,
                shown,
                message,
                text: String::new(),
                begun: false,
                open: None,
                thinking: None,
            },
            cost: Cost { base, model: String::new(), answers: 0, usage: Usage::default() },
            of: PhantomData,
        }
    }

    /// What the contracts that it reads show, for the next step.
    pub fn see(&mut self, views: Vec<String>) {
        self.views = views;
    }

    /// Asks the model once, and runs the tools that it calls. `None` where it is to be asked again.
    ///
    /// # Errors
    /// The model's; `unknown_model`; `validation_error` where the answer does not fit; `no_output`; `tools_invalid`; a tool's
    /// suspension. Any other failure of a tool is the model's to know.
    pub async fn step(&mut self, mut prompt: Prompt<T>) -> Result<Option<T>> {
        if self.steps == 0 {
            self.talk = prompt.talk(&*self.base.current_request().services().tokens);
            self.asked = self.talk.len();
        }
        let models = self.models(&prompt.models)?;
        let tools = match &mut self.tools {
            Some(tools) => tools,
            none => none.insert(Toolset::new(self.declared)?),
        };
        tools.choose(&prompt)?;
        let structured = (!output::is_text::<T>()).then(|| Object::of::<T>("output"));
        let mut messages = prompt.prefix(std::mem::take(&mut self.views));
        let before = messages.len();
        messages.append(&mut self.talk);
        let mut request = ModelRequest {
            messages,
            tools: tools.told(),
            options: std::mem::take(&mut prompt.options),
            response_schema: structured.as_ref().map(|object| object.schema.clone()),
            search: self.base.head().search,
        };
        let of = self.base.current_request();
        of.within_budget()?;
        self.saying.next_step();
        let answer = ask(of, &models, &request, &mut self.saying).await?;
        self.saying.end_step();
        self.talk = request.messages.split_off(before);
        self.cost.add(&answer);
        let Answer { text, calls, opaque, .. } = answer;
        if calls.is_empty() {
            self.steps += 1;
            return self.finish(structured, text).await.map(Some);
        }
        let calls = self.with_ids(calls);
        let results = self.run_tools(&calls).await?;
        self.talk.push(Message::Assistant { text: text.clone(), tool_calls: calls, opaque });
        self.talk.extend(results.into_iter().map(Message::Tool));
        self.steps += 1;
        let progress =
            Progress { steps: self.steps, said: &self.talk[self.asked..], usage: self.cost.usage };
        let stops = prompt.stop_when.as_ref().is_some_and(|stop| stop(&progress));
        if !stops && self.steps < prompt.max_steps {
            return Ok(None);
        }
        let said = if structured.is_some() { &text } else { &self.saying.text };
        if said.trim().is_empty() {
            let (block, steps) = (self.base.block(), self.steps);
            let text = format!("the model of `{block}` has said nothing after {steps} step(s)");
            return Err(Error::with_code(code::NO_OUTPUT, text));
        }
        self.finish(structured, text).await.map(Some)
    }

    /// The models to ask, in order, each once.
    fn models(&self, chosen: &[String]) -> Result<Vec<Arc<dyn Model>>> {
        let chosen = chosen.iter().map(String::as_str);
        let own = self.models.iter().copied().filter(|_| chosen.len() == 0);
        let mut all: Vec<Arc<dyn Model>> = Vec::new();
        for name in chosen.clone().chain(own) {
            let registry = &self.base.current_request().services().models;
            let found = registry.find(name);
            if found.is_empty() {
                return Err(no_model(&self.base.path(), name, registry));
            }
            if self.base.head().search.is_some() {
                can_search(&self.base.path(), &found)?;
            }
            for model in found {
                if !all.iter().any(|known| Arc::ptr_eq(known, model)) {
                    all.push(model.clone());
                }
            }
        }
        Ok(all)
    }

    /// Not every provider gives its calls an id.
    fn with_ids(&self, mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
        for (n, call) in (self.calls + 1..).zip(&mut calls) {
            if call.id.is_empty() {
                call.id = format!("call_{n}");
            }
        }
        calls
    }

    /// Runs the calls of one step beside each other, and returns when all have ended.
    async fn run_tools(&mut self, calls: &[ToolCall]) -> Result<Vec<ToolResult>> {
        let first = self.calls;
        self.calls += u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let this = &*self;
        let order = this.order(first, calls);
        let each = (first..).zip(calls).map(|(op, call)| {
            let running = order.as_ref().map(|order| order.call(op));
            async move {
                let _running = running;
                this.run_tool(op, call).await
            }
        });
        // of several that stop the request, the first of the list does
        join_all(each).await.into_iter().collect()
    }

    /// Of several calls that may change contracts, each waits with that for those before it.
    fn order(&self, first: u32, calls: &[ToolCall]) -> Option<Arc<Calls>> {
        let tools = self.tools.as_ref()?;
        let tree = |call: &ToolCall| tools.find(&call.name).map(DeclaredTool::tree);
        let of = |(op, call)| Some((op, tree(call)?)).filter(|(_, tree)| may_change(tree));
        let running: Vec<_> = (first..).zip(calls).filter_map(of).collect();
        let order = (running.len() > 1).then(|| Calls::new(running))?;
        self.scope.order(order.clone());
        Some(order)
    }

    /// Commits what a tool feeds, once it has returned.
    async fn feed(&self, link: &Link<'_>) -> Result<()> {
        for fed in self.scope.fed(link.place()) {
            fed.commit(self.base.at_child(link), self.base.run()).await?;
        }
        Ok(())
    }

    async fn run_tool(&self, op: u32, call: &ToolCall) -> Result<ToolResult> {
        let Some(tool) = self.tools.as_ref().and_then(|tools| tools.find(&call.name)) else {
            let told = self.tools.as_ref().map(Toolset::told).unwrap_or_default();
            let known: Vec<_> = told.iter().map(|def| format!("`{}`", def.name)).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let text = format!("there is no tool `{}`; there is {known}", call.name);
            return Ok(ToolResult::of(call, text, true));
        };
        let item =
            self.base.tool(|| ToolOutput::new(&call.id, self.steps, tool.key(), &call.arguments));
        let link = Link::under(self.scope, Place { op, ..Place::default() });
        let mut ran = false;
        let mut called = tool.call(&link, &call.arguments).await;
        if called.is_ok() {
            ran = true;
            called = self.feed(&link).await.and(called);
        }
        match called {
            Ok(called) => {
                item.done(Ok(&called.output), called.cached);
                Ok(ToolResult::of(call, called.text, false))
            }
            Err(error) => {
                let rejected = error.is::<UpdateRejected>();
                let mut text = error.to_string();
                if ran {
                    text += "\n(the tool has run, and what it did stays done; only this update is not stored)";
                } else if rejected {
                    text += "\n(the tool stopped at this; what it had done before stays done)";
                }
                item.done(Err(&text), false);
                let spent =
                    rejected && self.rejected.fetch_add(1, Ordering::Relaxed) >= CORRECTIONS;
                if error.is_final() || spent {
                    Err(error)
                } else {
                    Ok(ToolResult::of(call, text, true))
                }
            }
        }
    }

    async fn finish(&mut self, structured: Option<Object>, text: String) -> Result<T> {
        self.saying.finish();
        let Some(object) = structured else {
            let text = output::text(&mut self.saying.text);
            return Ok(text.unwrap_or_else(|| unreachable!("text is what was asked for")));
        };
        let block = self.base.block();
        let repairs = !matches!(self.repair, Repair::Off);
        let error = match output::read(&object, &text, block, repairs) {
            Ok(output) => return Ok(output),
            Err(error) => error,
        };
        let cut = text.char_indices().nth(2000).map_or(text.len(), |(at, _)| at);
        tracing::warn!(block, %error, text = &text[..cut], "an answer does not fit");
        let coerced = self.coerced(&object, &text, &error).await;
        coerced.ok_or_else(|| error.into())
    }

    /// The answer as another model mends it.
    async fn coerced(&mut self, object: &Object, text: &str, error: &ValidationError) -> Option<T> {
        let name = match self.repair {
            Repair::Off => return None,
            Repair::With(name) => name,
            Repair::Auto => "intent/utility",
        };
        let found = self.base.current_request().services().models.find(name);
        let models: Vec<_> = found.into_iter().cloned().collect();
        if models.is_empty() {
            return None;
        }
        let system = "You are given a JSON Schema, a text that should fit it, and why it does not. Answer with the text as \
                      JSON that fits the schema, and with nothing else. Change no more than that takes.";
        let user = format!(
            "JSON Schema:\n{}\n\nWhy it does not fit:\n{error}\n\nText:\n{text}",
            object.schema
        );
        let request = ModelRequest::new(vec![Message::system(system), Message::user(user)]);
        match ask(self.base.current_request(), &models, &request, &mut Silent).await {
            Ok(answer) => {
                // another model, so a count of its own
                let mut cost =
                    Cost { model: String::new(), answers: 0, usage: Usage::default(), ..self.cost };
                cost.add(&answer);
                output::read(object, &answer.text, self.base.block(), true).ok()
            }
            Err(error) => {
                tracing::warn!(block = self.base.block(), %error, "nothing mends the answer");
                None
            }
        }
    }
}

/// What the model says, as items and as one text.
struct Saying<'a> {
    base: Base<'a>,
    /// Whether thoughts become items.
    shown: bool,
    /// Whether texts do.
    message: bool,
    /// All texts so far.
    text: String,
    /// Whether this step has said something.
    begun: bool,
    open: Option<TextStream>,
    thinking: Option<TextStream>,
}

impl Saying<'_> {
    fn next_step(&mut self) {
        self.begun = false;
    }

    fn end_step(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.finish();
        }
    }

    fn finish(&mut self) {
        if let Some(open) = self.open.take() {
            open.finish();
        }
    }

    fn say(&mut self, text: &str) {
        self.text.push_str(text);
        if self.message {
            self.open.get_or_insert_with(|| self.base.message_stream()).push(text);
        }
    }
}

impl Listener for Saying<'_> {
    fn text(&mut self, text: &str) {
        self.end_step();
        // texts of two steps are two paragraphs
        if !std::mem::replace(&mut self.begun, true) && !self.text.is_empty() {
            self.say("\n\n");
        }
        self.say(text);
    }

    fn reasoning(&mut self, text: &str) {
        if self.shown {
            self.thinking.get_or_insert_with(|| self.base.reasoning_stream()).push(text);
        }
    }

    fn source(&mut self, url: &str, title: Option<String>) {
        if self.shown {
            self.base.titled_source(url, title);
        }
    }
}

/// Nobody is shown what is said.
struct Silent;

impl Listener for Silent {
    fn text(&mut self, _: &str) {}
    fn reasoning(&mut self, _: &str) {}
    fn source(&mut self, _: &str, _: Option<String>) {}
}

/// What a model has cost; said once, however the run ends.
struct Cost<'a> {
    base: Base<'a>,
    model: String,
    answers: u32,
    usage: Usage,
}

impl Cost<'_> {
    fn add(&mut self, answer: &Answer) {
        self.model.clone_from(&answer.model);
        self.answers += 1;
        self.usage = self.usage.and(answer.usage);
    }
}

impl Drop for Cost<'_> {
    fn drop(&mut self) {
        let (model, answers) = (std::mem::take(&mut self.model), self.answers);
        if answers == 0 {
            return;
        }
        let Usage { input_tokens, output_tokens, cached_tokens, .. } = self.usage;
        self.base.emit(|| {
            ItemKind::ModelUsage(ModelUsage {
                model,
                answers,
                input_tokens,
                output_tokens,
                cached_tokens,
            })
        });
    }
}

/// Whether a tool, or a block in its tree, may change a contract.
fn may_change(tree: &BlockDef) -> bool {
    tree.lasting.iter().any(|lasting| lasting.writes)
        || !tree.head.feeds.is_empty()
        || (tree.head.kind == Kind::Adapter && tree.children.iter().any(|child| may_change(child)))
}
