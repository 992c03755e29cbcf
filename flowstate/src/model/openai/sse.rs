//! Server-sent events, of which only the data matters here.

/// Reads events from bytes, which may be cut anywhere.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Option<String>,
    begun: bool,
    /// The last byte was a `\r`, so a `\n` belongs to it.
    returned: bool,
}

impl Events {
    /// Gives the data of each event that ends in these bytes.
    pub(super) fn feed(&mut self, bytes: &[u8], event: &mut impl FnMut(&str)) {
        for part in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            match part {
                [b'\n'] if self.returned => {}
                [line @ .., b'\n' | b'\r'] => {
                    self.line.extend_from_slice(line);
                    self.end_line(event);
                }
                line => self.line.extend_from_slice(line),
            }
            self.returned = part.ends_with(b"\r");
        }
    }

    /// The stream is at its end: an event that was not closed counts too.
    pub(super) fn end(&mut self, event: &mut impl FnMut(&str)) {
        self.end_line(event);
        self.end_line(event);
    }

    fn end_line(&mut self, event: &mut impl FnMut(&str)) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let mut line = &*line;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            if let Some(data) = self.data.take() {
                event(&data);
            }
        } else if let Some(more) = line.strip_prefix("data:") {
            let more = more.strip_prefix(' ').unwrap_or(more);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(more);
                }
                None => self.data = Some(more.to_owned()),
            }
        }
    }
}
