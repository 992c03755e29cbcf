//! An action by its name, with JSON as input and output.

use std::sync::Arc;

use serde_json::Value;

use super::perform::{act, perform, ready, what, wrong};
use super::running::Ending;
use super::{RequestBuilder, Run};
use crate::error::{Error, Result, code};
use crate::schema::{ActionDef, EntryType};
use crate::scope::{Entry, Instance, Job, Request, Stream};
use crate::sync::spawn;

impl RequestBuilder {
    /// Runs an action of a flow that are given by name, with JSON as its input and output: what comes from outside.
    ///
    /// # Errors
    /// The block's own; `unknown_flow` and `unknown_action`, with those that there are; `validation_error`, a
    /// [`ValidationError`](crate::error::ValidationError) with the field, where the JSON is not the block's input; and those of [`call`](Self::call) but
    /// `app_invalid`. The block has not run then. It has where its output cannot be made JSON: that is a `validation_error` too,
    /// and the request has failed.
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
            let found = found?;
            let stream = Stream::unheard(found.1.block.waits, self.who.session.is_some());
            let (request, mut job) = self.job(found, input, stream)?;
            perform(&mut *job, &request).await?;
            Ok(job.json())
        }
    }

    /// Starts an action that is given by name, on a task of its own, and listens to it.
    ///
    /// # Errors
    /// Those of [`call_named`](Self::call_named) before the block runs; what fails later is what [`Run::output`] gives.
    pub async fn start_named(self, flow: &str, action: &str, input: Value) -> Result<Run<Value>> {
        let found = self.entry(flow, action)?;
        let stream = Stream::new(found.1.block.waits, self.who.session.is_some());
        let (request, mut job) = self.job(found, input, Some(stream.clone()))?;
        let begun = ready(&mut *job, &request).await?;
        let (own, live, ending) = (request.clone(), request.running(), Ending(stream.clone()));
        let task = spawn(request.inside(async move {
            let _live = live;
            let done = act(&mut *job, &own, begun).await.map(|()| job.json());
            ending.of(&done);
            done
        }));
        Ok(Run::new(stream, request, task))
    }

    /// A request of an action, and its call.
    fn job(
        self,
        (instance, def, entry): Named,
        input: Value,
        stream: Option<Arc<Stream>>,
    ) -> Result<(Arc<Request>, Box<dyn Job>)> {
        let request = Request::new(self.who, self.app.0, stream);
        request.call(&instance, def);
        let job = entry.job(input, &|| what("input", &request));
        job.map_err(|error| wrong(error, &request)).map(|job| (request, job))
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
