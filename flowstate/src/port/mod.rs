//! The traits that the outside implements, and the plain data that goes through them.

mod cache;
mod data;
mod memory;
mod models;
mod store;
mod tokens;

use std::pin::Pin;

use futures_util::Stream;

pub use cache::{CacheKey, MemoryToolCache, ToolCache};
pub use data::{
    Delta, FinishReason, Message, ModelRequest, Options, Role, ToolCall, ToolDef, ToolResult, Usage,
};
pub use memory::MemoryStore;
pub(crate) use models::Models;
pub use store::{Answer, Key, Record, Store, Swap};
pub use tokens::{EstimatedTokens, TokenCounter};

use crate::error::ModelError;

/// What a model answers, as it comes.
pub type Deltas<'a> = Pin<Box<dyn Stream<Item = Result<Delta, ModelError>> + Send + 'a>>;

/// A language model: one call, answered piece by piece.
///
/// A generator asks it once for each of its steps and runs the tools itself. A failure before the first piece may be tried
/// again, and then the next model of the list is asked; one that comes later ends the generator.
///
/// ```
/// use flowstate::model::{Delta, Deltas, Model, ModelRequest, deltas};
/// use flowstate::prelude::*;
///
/// /// Says what it was told.
/// struct Parrot;
///
/// impl Model for Parrot {
///     fn name(&self) -> &str {
///         "zoo/parrot"
///     }
///
///     fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a> {
///         deltas(async { Ok([Delta::Text(request.last_user().to_uppercase())]) })
///     }
/// }
///
/// #[block(generator, model = "zoo/parrot")]
/// async fn repeat(text: &str) -> Result<Prompt> {
///     Ok(Prompt::system("Repeat it.").user(text))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let app = App::builder().model_as("zoo/parrot", Parrot).build()?;
/// assert_eq!(app.run(repeat, "polly".to_string()).await?, "POLLY");
/// # Ok(())
/// # }
/// ```
pub trait Model: Send + Sync + 'static {
    /// What it is called: `provider/model`.
    fn name(&self) -> &str;

    /// Whether its provider can search the web: [`ModelRequest::search`]. What it finds is a [`Delta::Source`].
    fn searches(&self) -> bool {
        false
    }

    /// Answers one request. An error ends the stream.
    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a>;
}

/// The pieces of an answer that comes at once.
pub fn deltas<'a, F, I>(answer: F) -> Deltas<'a>
where
    F: Future<Output = Result<I, ModelError>> + Send + 'a,
    I: IntoIterator<Item = Delta, IntoIter: Send + 'a> + Send + 'a,
{
    use futures_util::stream::{iter, once};
    use futures_util::{StreamExt as _, TryStreamExt as _};
    Box::pin(once(answer).map_ok(|all| iter(all).map(Ok)).try_flatten())
}
