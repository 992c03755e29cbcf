//! A model that answers as it is told.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::{Delta, Deltas, FinishReason, Model, ModelError, ModelRequest, Usage};
use crate::sync::StaticMutex as Mutex;

/// A model for tests: it gives the replies that it was made with, one a call, and remembers what it was asked.
///
/// Clones are the same model. Asked more often than it has replies, it fails.
///
/// ```
/// use flowstate::model::{Reply, ScriptedModel};
/// use flowstate::prelude::*;
///
/// #[block(generator, model = "intent/chat")]
/// async fn greeter(name: &str) -> Result<Prompt> {
///     Ok(Prompt::system("Greet the user.").user(name))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let model = ScriptedModel::new([Reply::text("Hello, Ada.")]);
/// let app = App::builder().model(model.clone()).build()?;
/// assert_eq!(app.run(greeter, "Ada".to_string()).await?, "Hello, Ada.");
/// assert_eq!(model.requests()[0].system(), "Greet the user.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ScriptedModel(Arc<Script>);

#[derive(Debug)]
struct Script {
    name: String,
    searches: AtomicBool,
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<ModelRequest>>,
}

impl ScriptedModel {
    /// One that gives these replies, in order.
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::named("test/scripted", replies)
    }

    /// The same with a name, `provider/model`.
    pub fn named(name: impl Into<String>, replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect());
        let (name, searches) = (name.into(), AtomicBool::new(false));
        Self(Arc::new(Script { name, searches, replies, requests: Mutex::default() }))
    }

    /// The same, for generators with `search(…)`: what it finds are the replies' [`Delta::Source`]s.
    #[must_use]
    pub fn with_search(self) -> Self {
        self.0.searches.store(true, Ordering::Relaxed);
        self
    }

    /// What it was asked so far.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.0.requests.lock().clone()
    }

    /// How many replies it has left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.0.replies.lock().len()
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn searches(&self) -> bool {
        self.0.searches.load(Ordering::Relaxed)
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a> {
        let asked = {
            let mut all = self.0.requests.lock();
            all.push(request.clone());
            all.len()
        };
        let next = self.0.replies.lock().pop_front();
        let reply = next.unwrap_or_else(|| {
            let given = asked - 1;
            let text = format!("the script has no reply for call {asked}: it had {given}");
            Reply::error(ModelError::new(&self.0.name, text))
        });
        Box::pin(futures_util::stream::iter(reply.0))
    }
}

/// One answer of a [`ScriptedModel`].
#[derive(Debug, Clone)]
pub struct Reply(Vec<Result<Delta, ModelError>>);

impl Reply {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::stream([Delta::Text(text.into()), Delta::Finish(FinishReason::Stop)])
    }

    /// One call of a tool.
    pub fn tool(name: impl Into<String>, arguments: Value) -> Self {
        Self::tools([(name.into(), arguments)])
    }

    /// Several calls, which run beside each other. Their ids are `call_1`, `call_2`, ….
    pub fn tools<N: Into<String>>(calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let call = |(index, (name, arguments)): (usize, (N, Value))| Delta::ToolCall {
            index,
            id: format!("call_{}", index + 1),
            name: name.into(),
            arguments: arguments.to_string(),
        };
        let calls = calls.into_iter().enumerate().map(call);
        Self::stream(calls.chain([Delta::Finish(FinishReason::ToolCalls)]))
    }

    /// A failure.
    #[must_use]
    pub fn error(error: ModelError) -> Self {
        Self(vec![Err(error)])
    }

    /// Pieces as they are.
    pub fn stream(deltas: impl IntoIterator<Item = Delta>) -> Self {
        Self(deltas.into_iter().map(Ok).collect())
    }

    /// The same, and then a failure.
    #[must_use]
    pub fn then_error(mut self, error: ModelError) -> Self {
        self.0.push(Err(error));
        self
    }

    /// The same, after these pieces: `Reply::tool(…).after([Delta::Text("Let me look.".into())])`.
    #[must_use]
    pub fn after(mut self, deltas: impl IntoIterator<Item = Delta>) -> Self {
        self.0.splice(0..0, deltas.into_iter().map(Ok));
        self
    }

    /// The same, and what it cost.
    #[must_use]
    pub fn usage(mut self, input_tokens: u64, output_tokens: u64) -> Self {
        self.0.push(Ok(Delta::Usage(Usage::new(input_tokens, output_tokens))));
        self
    }
}
