//! An answer as the protocol sends it, event by event or whole.

use std::time::Duration;

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use super::sse::Events;
use super::wire::{Chunk, Reader};
use crate::error::ModelError;
use crate::model::server::{Inbox, Reply};

/// For how long the end of a response is waited for, once the answer is whole.
const TAIL: Duration = Duration::from_millis(100);

pub(super) struct Answer {
    response: Response,
    /// What came so far, of a server that does not stream.
    whole: Option<Vec<u8>>,
    events: Events,
    reader: Reader,
}

impl Answer {
    pub(super) fn of(response: Response) -> Self {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let whole = kind.is_some_and(|kind| kind.starts_with("application/json")).then(Vec::new);
        Self { response, whole, events: Events::default(), reader: Reader::default() }
    }

    fn read(&mut self, bytes: &[u8], to: &mut Inbox<'_>) {
        match &mut self.whole {
            Some(whole) => whole.extend_from_slice(bytes),
            None => self.events.feed(bytes, &mut |data| event(data, &mut self.reader, to)),
        }
    }

    fn close(&mut self, to: &mut Inbox<'_>) {
        let reader = &mut self.reader;
        match self.whole.take() {
            Some(whole) => event(&String::from_utf8_lossy(&whole), reader, to),
            None => self.events.end(&mut |data| event(data, reader, to)),
        }
        if to.end.is_none() {
            to.end = Some(if reader.finished { Ok(()) } else { Err(to.server.broke_off()) });
        }
    }
}

impl Reply for Answer {
    async fn more(&mut self, to: &mut Inbox<'_>) -> Result<(), ModelError> {
        match to.server.in_time(self.response.chunk()).await {
            Ok(Some(bytes)) if to.takes(bytes.len()) => self.read(&bytes, to),
            Ok(Some(_)) => {}
            Ok(None) => self.close(to),
            // all of it was said before
            Err(_) if self.reader.finished => to.end = Some(Ok(())),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// What is left of the response is its end, and the connection can serve the next one.
    async fn after(&mut self) {
        let _ = tokio::time::timeout(TAIL, self.response.chunk()).await;
    }
}

fn event(data: &str, reader: &mut Reader, to: &mut Inbox<'_>) {
    if to.end.is_some() || data.trim().is_empty() {
        return;
    }
    if data.trim() == "[DONE]" {
        to.end = Some(Ok(()));
        return;
    }
    match serde_json::from_str::<Chunk>(data) {
        Ok(Chunk { error: Some(error), .. }) => to.end = Some(Err(to.server.told(&error).0)),
        Ok(chunk) => reader.read(chunk, &mut to.ready),
        Err(error) => to.end = Some(Err(to.server.strange(error))),
    }
}
