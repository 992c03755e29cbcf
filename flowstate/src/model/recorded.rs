//! A model whose answers are kept in a file, and given again from there.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};

use super::{Delta, Deltas, Model, ModelError, ModelRequest};
use crate::error::{Error, Result};
use crate::sync::StaticMutex as Mutex;

/// A model whose answers are kept in a file: [`record`](Self::record) writes them, [`replay`](Self::replay) gives them again,
/// without the model.
///
/// The file has a line of JSON for each answer, with what was asked. An answer is given for the very request that it was
/// given for; of several for one request, in their order.
///
/// ```
/// use flowstate::model::{RecordedModel, Reply, ScriptedModel};
/// use flowstate::prelude::*;
///
/// #[block(generator, model = "intent/chat")]
/// async fn greeter(name: &str) -> Result<Prompt> {
///     Ok(Prompt::system("Greet the user.").user(name))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let file = std::env::temp_dir().join(format!("greeter-{}.jsonl", std::process::id()));
/// let model = ScriptedModel::new([Reply::text("Hello, Ada.")]);
/// let app = App::builder().model(RecordedModel::record(&file, model)?).build()?;
/// app.run(greeter, "Ada".to_string()).await?;
///
/// let app = App::builder().model(RecordedModel::replay(&file)?).build()?;
/// assert_eq!(app.run(greeter, "Ada".to_string()).await?, "Hello, Ada.");
/// # std::fs::remove_file(&file)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RecordedModel(Arc<Recorded>);

struct Recorded {
    name: String,
    file: PathBuf,
    /// Where answers come from that are not in the file.
    model: Option<Box<dyn Model>>,
    answers: Mutex<VecDeque<Record>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    model: String,
    request: ModelRequest,
    answer: Vec<Delta>,
}

impl std::fmt::Debug for RecordedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Recorded { name, file, model, .. } = &*self.0;
        let records = model.is_some();
        f.debug_struct("RecordedModel")
            .field("name", name)
            .field("file", file)
            .field("records", &records)
            .finish()
    }
}

impl RecordedModel {
    /// Asks a model, and adds its whole answers to the file.
    ///
    /// # Errors
    /// `block_failed` where the file cannot be written.
    pub fn record(file: impl AsRef<Path>, model: impl Model) -> Result<Self> {
        let file = file.as_ref().to_owned();
        append(&file, "")?;
        let (name, model) = (model.name().to_owned(), Some(Box::new(model) as Box<dyn Model>));
        Ok(Self(Arc::new(Recorded { name, file, model, answers: Mutex::default() })))
    }

    /// Gives the answers in the file. A request that is not in it is a failure.
    ///
    /// # Errors
    /// `block_failed` where the file cannot be read, or a line is no answer.
    pub fn replay(file: impl AsRef<Path>) -> Result<Self> {
        let file = file.as_ref().to_owned();
        let mut answers: VecDeque<Record> = VecDeque::new();
        for (number, line) in (1..).zip(fs::read_to_string(&file)?.lines()) {
            let record = serde_json::from_str(line)
                .map_err(|error| Error::msg(format!("{}:{number}: {error}", file.display())))?;
            answers.push_back(record);
        }
        let name = answers.front().map_or_else(|| "recorded".to_owned(), |one| one.model.clone());
        Ok(Self(Arc::new(Recorded { name, file, model: None, answers: Mutex::new(answers) })))
    }
}

fn append(file: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    // in one write, so that lines of several requests do not mix
    fs::OpenOptions::new().create(true).append(true).open(file)?.write_all(text.as_bytes())
}

impl Recorded {
    /// The next answer to this very request.
    fn answer(&self, request: &ModelRequest) -> Result<Vec<Delta>, ModelError> {
        let mut answers = self.answers.lock();
        let at = answers.iter().position(|record| record.request == *request);
        at.and_then(|at| answers.remove(at)).map(|record| record.answer).ok_or_else(|| {
            let text = format!("`{}` has no answer (left) to this request", self.file.display());
            ModelError::new(&self.name, text)
        })
    }

    fn keep(&self, request: &ModelRequest, answer: Vec<Delta>) -> Result<(), ModelError> {
        let record = Record { model: self.name.clone(), request: request.clone(), answer };
        let line = serde_json::to_string(&record).map_err(std::io::Error::from);
        let kept = line.and_then(|line| append(&self.file, &format!("{line}\n")));
        kept.map_err(|error| ModelError::new(&self.name, format!("not recorded: {error}")))
    }
}

impl Model for RecordedModel {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn searches(&self) -> bool {
        // what was recorded has been searched for
        self.0.model.as_ref().is_none_or(|model| model.searches())
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest) -> Deltas<'a> {
        let Some(model) = &self.0.model else {
            return super::deltas(async { self.0.answer(request) });
        };
        let mut whole = Some(Vec::new());
        let end = futures_util::stream::once(async { None });
        let all = model.stream(request).map(Some).chain(end).filter_map(move |piece| {
            std::future::ready(match piece {
                Some(Ok(piece)) => {
                    whole.iter_mut().for_each(|whole: &mut Vec<_>| whole.push(piece.clone()));
                    Some(Ok(piece))
                }
                // what breaks off is no answer
                Some(Err(error)) => {
                    whole = None;
                    Some(Err(error))
                }
                None => whole.take().and_then(|whole| self.0.keep(request, whole).err()).map(Err),
            })
        });
        Box::pin(all)
    }
}
