//! What a block's context can stream.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::Base;
use super::stream::Stream;
use crate::error::Result;
use crate::item::{
    Component, Container, Item, ItemKind, Message, Reasoning, Source, Status, StatusLine,
    ToolOutput,
};

impl Base<'_> {
    pub(crate) fn emit(&self, make: impl FnOnce() -> ItemKind) {
        if let Some(stream) = self.stream() {
            stream.whole(self.item(Status::Completed, make()));
        }
    }

    fn stream(&self) -> Option<&Arc<Stream>> {
        self.current_request().stream()
    }

    fn item(&self, status: Status, kind: ItemKind) -> Item {
        let mut item = Stream::item(self.block(), self.path(), status, kind);
        if let (Some(visibility), true) = (self.head().visibility, item.kind.is_text()) {
            item.visibility = visibility;
        }
        item.transient = self.head().transient;
        item
    }

    /// Streams a text for the user.
    pub fn message(&self, text: impl Into<String>) {
        self.emit(|| ItemKind::Message(Message::new(text)));
    }

    /// Begins a text for the user that comes in pieces.
    #[must_use = "the text ends where this is dropped"]
    pub fn message_stream(&self) -> TextStream {
        self.text_stream(|| ItemKind::Message(Message::new("")))
    }

    /// Streams what a model thought.
    pub fn reasoning(&self, text: impl Into<String>) {
        self.emit(|| ItemKind::Reasoning(Reasoning::new(text)));
    }

    /// Begins the thoughts of a model that come in pieces.
    #[must_use = "the text ends where this is dropped"]
    pub fn reasoning_stream(&self) -> TextStream {
        self.text_stream(|| ItemKind::Reasoning(Reasoning::new("")))
    }

    fn text_stream(&self, make: impl FnOnce() -> ItemKind) -> TextStream {
        TextStream(self.stream().map(|stream| {
            let mut item = self.item(Status::InProgress, make());
            stream.added(&mut item);
            Open { stream: stream.clone(), item }
        }))
    }

    /// Says what is being done right now; an empty text ends it, the same text says nothing new.
    pub fn status(&self, text: impl Into<String>) {
        if let Some(stream) = self.stream() {
            let text = text.into();
            stream.status(&text, || {
                let kind = ItemKind::Status(StatusLine::new(&text));
                let mut item = self.item(Status::Completed, kind);
                item.transient = true;
                item.key = Some("status".into());
                item
            });
        }
    }

    /// Streams a part of a user interface.
    ///
    /// # Errors
    /// `block_failed` where the data is no JSON.
    pub fn component(&self, name: &str, data: impl Serialize) -> Result<()> {
        self.component_item(None, name, data)
    }

    /// As [`component`](Self::component), in place of the one that had this key before.
    ///
    /// # Errors
    /// `block_failed` where the data is no JSON.
    pub fn keyed_component(&self, key: &str, name: &str, data: impl Serialize) -> Result<()> {
        self.component_item(Some(key), name, data)
    }

    fn component_item(&self, key: Option<&str>, name: &str, data: impl Serialize) -> Result<()> {
        if let Some(stream) = self.stream() {
            let data = serde_json::to_value(data)?;
            let kind = ItemKind::Component(Component::new(name, data));
            let mut item = self.item(Status::Completed, kind);
            item.key = key.map(str::to_owned);
            stream.whole(item);
        }
        Ok(())
    }

    /// Begins a container: work that other items come in until it is finished.
    #[must_use = "the container ends where this is dropped"]
    pub fn container(&self, label: &str) -> OpenContainer {
        OpenContainer(self.stream().map(|stream| {
            let kind = ItemKind::Container(Container::new(label, Value::Null));
            let mut item = self.item(Status::InProgress, kind);
            stream.added(&mut item);
            Open { stream: stream.clone(), item }
        }))
    }

    /// Begins the call of a tool.
    pub(crate) fn tool(&self, make: impl FnOnce() -> ToolOutput) -> OpenTool {
        OpenTool(self.stream().map(|stream| {
            let mut item = self.item(Status::InProgress, ItemKind::ToolOutput(make()));
            stream.added(&mut item);
            Open { stream: stream.clone(), item }
        }))
    }

    /// Streams where something was found.
    pub fn source(&self, url: &str) {
        self.titled_source(url, None);
    }

    pub(crate) fn titled_source(&self, url: &str, title: Option<String>) {
        self.emit(|| ItemKind::Source(Source { title, ..Source::new(url) }));
    }
}

/// The call of a tool, while it runs; dropped before it is done it is incomplete.
pub(crate) struct OpenTool(Option<Open>);

impl OpenTool {
    /// What it gave, or why it failed.
    pub(crate) fn done(mut self, output: std::result::Result<&Value, &str>, cached: bool) {
        if let Some(mut open) = self.0.take() {
            if let ItemKind::ToolOutput(tool) = &mut open.item.kind {
                tool.cached = cached;
                match output {
                    Ok(output) => tool.output = Some(output.clone()),
                    Err(error) => tool.error = Some(error.to_owned()),
                }
            }
            open.end(if output.is_ok() { Status::Completed } else { Status::Failed });
        }
    }
}

impl Drop for OpenTool {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            open.end(Status::Incomplete);
        }
    }
}

struct Open {
    stream: Arc<Stream>,
    item: Item,
}

impl Open {
    fn end(mut self, status: Status) {
        self.item.status = status;
        self.stream.done(self.item);
    }
}

/// A text that comes in pieces; dropped before [`finish`](TextStream::finish) it is incomplete.
pub struct TextStream(Option<Open>);

impl TextStream {
    /// The next piece.
    pub fn push(&mut self, text: &str) {
        if let Some(open) = &mut self.0
            && let Some(whole) = open.item.kind.text_mut()
        {
            whole.push_str(text);
            open.stream.delta(open.item.index, text);
        }
    }

    /// The text is whole.
    pub fn finish(mut self) {
        if let Some(open) = self.0.take() {
            open.end(Status::Completed);
        }
    }
}

impl Drop for TextStream {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            open.end(Status::Incomplete);
        }
    }
}

impl fmt::Debug for TextStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextStream").finish_non_exhaustive()
    }
}

/// A container that is open; dropped before it is finished it is incomplete.
pub struct OpenContainer(Option<Open>);

impl OpenContainer {
    /// Says more about it.
    ///
    /// # Errors
    /// `block_failed` where the data is no JSON.
    pub fn describe(&mut self, metadata: impl Serialize) -> Result<()> {
        if let Some(open) = &mut self.0
            && let ItemKind::Container(container) = &mut open.item.kind
        {
            container.metadata = serde_json::to_value(metadata)?;
            open.stream.updated(&open.item);
        }
        Ok(())
    }

    /// The work is done.
    pub fn finish(mut self) {
        if let Some(open) = self.0.take() {
            open.end(Status::Completed);
        }
    }

    /// The work failed.
    pub fn fail(mut self, error: impl fmt::Display) {
        if let Some(mut open) = self.0.take() {
            if let ItemKind::Container(container) = &mut open.item.kind {
                container.error = Some(error.to_string());
            }
            open.end(Status::Failed);
        }
    }
}

impl Drop for OpenContainer {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            open.end(Status::Incomplete);
        }
    }
}

impl fmt::Debug for OpenContainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenContainer").finish_non_exhaustive()
    }
}
