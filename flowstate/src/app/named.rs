//! An action by its name, with JSON as input and output.

use std::sync::Arc;

use serde_json::Value;

use super::{Action, Flow, RequestBuilder, root, turn, whole};
use crate::block::{Block, from_json, to_json};
use crate::error::{Error, Result, ValidationError, code};
use crate::scope::{Answer, Entry, Link, Request};

impl RequestBuilder {
    /// Runs an action of a flow that are given by name, with JSON as its input and output: what comes from outside.
    ///
    /// # Errors
    /// The block's own; `unknown_flow` and `unknown_action`, with those that there are; `validation_error`, a
    /// [`ValidationError`] with the field, where the JSON is not the block's input. The block has not run then.
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
        let entry = self.entry(flow, action);
        async move { entry?.call(Request::new(self.who, self.app.0, None), input).await }
    }

    fn entry(&self, flow: &str, action: &str) -> Result<&'static dyn Entry> {
        let flows = &self.app.0.flows;
        let Some(found) = flows.iter().find(|known| known.flow.kind == flow) else {
            let known = list(flows.iter().map(|known| known.flow.kind));
            let text = format!("the app has no flow `{flow}`; it has {known}");
            return Err(Error::with_code(code::UNKNOWN_FLOW, text));
        };
        let mut actions = found.flow.actions.iter().zip(found.actions);
        let Some((_, entry)) = actions.find(|(known, _)| known.name == action) else {
            let known = list(found.flow.actions.iter().map(|known| known.name));
            let text = format!("the flow `{flow}` has no action `{action}`; it has {known}");
            return Err(Error::with_code(code::UNKNOWN_ACTION, text));
        };
        Ok(*entry)
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl<F: Flow, B: Block + Default> Entry for Action<F, B> {
    fn call(&self, request: Arc<Request>, input: Value) -> Answer {
        let (name, policy) = (self.name(), self.policy());
        Box::pin(async move {
            root::<B>(&request)?;
            let of = |what: &'static str| {
                move || format!("the {what} of `{}.{name}` (block `{}`)", F::DEF.kind, B::HEAD.name)
            };
            let wrong = |error: ValidationError| Link::root(&request).name(B::HEAD, error.into());
            let input = from_json(input, of("input")).map_err(wrong)?;
            let _turn = turn(policy, &request).await?;
            let output = whole(&B::default(), input, &request).await?;
            to_json(&output, of("output")).map_err(wrong)
        })
    }
}
