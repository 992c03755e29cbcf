//! Text that is put together in a constant, for what the checks say.

const ROOM: usize = 4096;

/// A text in the making; what does not fit is cut.
pub(crate) struct Text {
    bytes: [u8; ROOM],
    len: usize,
}

impl Text {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; ROOM], len: 0 }
    }

    /// Appends all parts, as long as whole parts fit.
    pub(super) const fn add(&mut self, parts: &[&str]) {
        let mut i = 0;
        while i < parts.len() {
            let part = parts[i].as_bytes();
            let mut j = 0;
            while j < part.len() && self.len + part.len() - j <= ROOM {
                self.bytes[self.len] = part[j];
                self.len += 1;
                j += 1;
            }
            i += 1;
        }
    }

    /// Appends `count` blanks.
    pub(super) const fn blanks(&mut self, count: usize) {
        let mut i = 0;
        while i < count {
            self.add(&[" "]);
            i += 1;
        }
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "flowstate: a check failed, and its text could not be shown",
        }
    }
}
