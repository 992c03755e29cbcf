//! How an answer is read as it comes.

use std::collections::VecDeque;

use futures_util::TryStreamExt as _;
use futures_util::stream::{once, try_unfold};

use super::Server;
use crate::error::ModelError;
use crate::port::{Delta, Deltas};

/// How many bytes one answer has at most, which is far more than a model writes.
const LONGEST: usize = 64 << 20;

/// What came of an answer, and how it ends.
pub(in crate::model) struct Inbox<'a> {
    pub(in crate::model) server: &'a Server,
    pub(in crate::model) ready: VecDeque<Delta>,
    bytes: usize,
    /// Nothing comes after what is ready, or this.
    pub(in crate::model) end: Option<Result<(), ModelError>>,
}

impl Inbox<'_> {
    /// Whether the answer may be longer by so much; if not, it ends here.
    pub(in crate::model) fn takes(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        let takes = self.bytes <= LONGEST;
        if !takes {
            let text = format!("the answer has more than {LONGEST} bytes");
            self.end = Some(Err(self.server.error(text)));
        }
        takes
    }
}

/// An answer as a protocol sends it.
pub(in crate::model) trait Reply: Send {
    /// Awaits more of it, which goes into the inbox, or its end.
    fn more(&mut self, to: &mut Inbox<'_>) -> impl Future<Output = Result<(), ModelError>> + Send;

    /// What there is to do after its end.
    fn after(&mut self) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// The pieces of the answer to what `ask` sends.
pub(in crate::model) fn deltas<'a, R: Reply + 'a>(
    server: &'a Server,
    ask: impl Future<Output = Result<R, ModelError>> + Send + 'a,
) -> Deltas<'a> {
    let pieces = async move {
        let inbox = Inbox { server, ready: VecDeque::new(), bytes: 0, end: None };
        Ok(try_unfold((ask.await?, inbox), next))
    };
    Box::pin(once(pieces).try_flatten())
}

async fn next<R: Reply>(
    (mut reply, mut inbox): (R, Inbox<'_>),
) -> Result<Option<(Delta, (R, Inbox<'_>))>, ModelError> {
    loop {
        if let Some(piece) = inbox.ready.pop_front() {
            return Ok(Some((piece, (reply, inbox))));
        }
        if let Some(end) = inbox.end.take() {
            reply.after().await;
            return end.map(|()| None);
        }
        reply.more(&mut inbox).await?;
    }
}
