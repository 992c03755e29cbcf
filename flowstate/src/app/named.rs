//! An action by its name, with JSON as input and output.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use super::running::Ending;
use super::{Flow, Plan, RequestBuilder, Run, perform};
use crate::block::{Block, from_json, to_json};
use crate::error::{Error, Result, ValidationError, code};
use crate::schema::{ActionDef, EntryType};
use crate::scope::{Answer, Entry, Instance, Later, Link, Request, Stream};
use crate::sync::spawn;

impl RequestBuilder {
    /// Runs an action of a flow that are given by name, with JSON as its input and output: what comes from outside.
    ///
    /// # Errors
    /// The block's own; `unknown_flow` and `unknown_action`, with those that there are; `validation_error`, a
    /// [`ValidationError`] with the field, where the JSON is not the block's input; and those of [`call`](Self::call) but
    /// `app_invalid`. The block has not run then.
    ///
    /// ```
    /// use flowstate::prelude::*;
    /// use flowstate::error::ValidationError;
    /// use serde_json::json;
    ///
    /// #[block(handler)]
    /// async fn sum(input: Vec<u32>) -> Result<u32> {
    ///     Ok(input.iter().sum())
    /// }
    ///
    /// flow! {
    ///     #[flow(kind = "math")]
    ///     pub struct Math {
    ///         pub sum: sum,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let app = App::builder().flow(Math).build()?;
    /// let call = |input| app.request().call_named("math", "sum", input);
    /// assert_eq!(call(json!([1, 2])).await?, 3);
    ///
    /// let error = call(json!([1, "two"])).await.unwrap_err();
    /// assert_eq!(error.code(), "validation_error");
    /// assert_eq!(error.downcast_ref::<ValidationError>().unwrap().path(), "[1]");
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_named(
        self,
        flow: &str,
        action: &str,
        input: Value,
    ) -> impl Future<Output = Result<Value>> + Send + 'static + use<> {
        let found = self.entry(flow, action);
        async move {
            let (instance, def, entry) = found?;
            let stream = Stream::unheard(def.block.waits, self.who.session.is_some());
            let request = Request::new(self.who, self.app.0, stream);
            request.call(&instance, def);
            entry.prepare(request, input).await?.await
        }
    }

    /// Starts an action that is given by name, on a task of its own, and listens to it.
    ///
    /// # Errors
    /// Those of [`call_named`](Self::call_named) before the block runs; what fails later is what [`Run::output`] gives.
    pub async fn start_named(self, flow: &str, action: &str, input: Value) -> Result<Run<Value>> {
        let (instance, def, entry) = self.entry(flow, action)?;
        let stream = Stream::new(def.block.waits, self.who.session.is_some());
        let request = Request::new(self.who, self.app.0, Some(stream.clone()));
        request.call(&instance, def);
        let answer = entry.prepare(request.clone(), input).await?;
        let (live, ending) = (request.running(), Ending(stream.clone()));
        let task = spawn(async move {
            let _live = live;
            let done = answer.await;
            ending.of(&done);
            done
        });
        Ok(Run::new(stream, request, task))
    }

    fn entry(&self, flow: &str, action: &str) -> Result<Named> {
        let flows = &self.app.0.flows;
        let Some(found) = flows.iter().find(|known| known.id == flow) else {
            let known = list(flows.iter().map(|known| &*known.id));
            let text = format!("the app has no flow `{flow}`; it has {known}");
            return Err(Error::with_code(code::UNKNOWN_FLOW, text));
        };
        let def = found.entries.flow.entry(EntryType::Action, action);
        match def.zip(found.entries.find(action)) {
            Some((def, entry)) => Ok((found.clone(), def, entry)),
            None => {
                let known = list(found.entries.flow.actions.iter().map(|known| known.name));
                let text = format!("the flow `{flow}` has no action `{action}`; it has {known}");
                Err(Error::with_code(code::UNKNOWN_ACTION, text))
            }
        }
    }
}

/// A flow of the app, and an action of it.
type Named = (Arc<Instance>, &'static ActionDef, &'static dyn Entry);

pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl<F: Flow, B: Block + Default> Entry for Plan<F, B> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn any(&self) -> &dyn Any {
        self
    }

    fn prepare(&'static self, request: Arc<Request>, input: Value) -> Later<'static, Answer> {
        Box::pin(async move {
            let of = move |what: &'static str| {
                let (flow, name) = (F::DEF.kind, self.name);
                move || format!("the {what} of `{flow}.{name}` (block `{}`)", B::HEAD.name)
            };
            let wrong = |request: &Arc<Request>, error: ValidationError| {
                Link::root(request).name(B::HEAD, error.into())
            };
            let input = from_json(input, of("input")).map_err(|error| wrong(&request, error))?;
            let begun = perform::ready(self, &input, &request).await?;
            let answer: Answer = Box::pin(async move {
                let output = perform::act(self, input, &request, begun).await?;
                to_json(&output, of("output")).map_err(|error| wrong(&request, error))
            });
            Ok(answer)
        })
    }
}
