//! Views: what a reader makes of a contract, within its budget.

use std::fmt;
use std::sync::Arc;

use super::Contract;
use crate::error::{Result, caught};
use crate::port::TokenCounter;
use crate::scope::Base;
use crate::sync::Mutex;

/// What a block reads a contract with: as it is at each call, or as it was once.
#[doc(hidden)]
pub struct Reading<'a, S> {
    base: Base<'a>,
    once: Option<Arc<Once<S>>>,
    /// Whether it shows what the function has not asked for.
    rest: bool,
}

/// One step of a generator.
struct Once<S> {
    state: Arc<S>,
    /// The readers that its function has asked: what they show it places itself.
    asked: Mutex<Vec<&'static str>>,
}

/// The one of the function.
impl<S> Clone for Reading<'_, S> {
    fn clone(&self) -> Self {
        Self { base: self.base, once: self.once.clone(), rest: false }
    }
}

impl<'a, S: Contract> Reading<'a, S> {
    #[must_use]
    pub fn new(base: Base<'a>) -> Self {
        Self { base, once: None, rest: false }
    }

    /// As it is now, also later on: clones of it are for the function, and afterwards it shows what no clone was asked for.
    ///
    /// # Errors
    /// `store_failed`, `state_newer`.
    pub async fn once(base: Base<'a>) -> Result<Self> {
        let once = Once { state: Self::new(base).now().await?, asked: Mutex::default() };
        Ok(Self { base, once: Some(Arc::new(once)), rest: true })
    }

    async fn now(&self) -> Result<Arc<S>> {
        match &self.once {
            Some(once) => Ok(once.state.clone()),
            None => self.base.current_request().contract::<S>().await?.fresh().await,
        }
    }

    /// What a reader makes of it, within the budget; nothing where the reader panics, or its text is placed already.
    ///
    /// # Errors
    /// `store_failed`, `state_newer`.
    pub async fn view(&self, reader: &'static str, budget: Option<u32>) -> Result<String> {
        let state = self.now().await?;
        if let Some(once) = &self.once {
            let mut asked = once.asked.lock();
            if !self.rest {
                asked.push(reader);
            } else if asked.contains(&reader) {
                return Ok(String::new());
            }
        }
        let contract = S::DEF.name;
        let text = caught(|| state.render(reader, budget.unwrap_or(u32::MAX)));
        let text = text.unwrap_or_else(|panic| {
            tracing::warn!(contract, reader, panic = panic.message(), "a reader panicked");
            String::new()
        });
        let Some(budget) = budget else { return Ok(text) };
        let counter = &*self.base.current_request().services().tokens;
        Ok(match fit(&text, budget as usize, counter) {
            Fit::Whole => text,
            Fit::Cut(cut) => {
                tracing::debug!(contract, reader, budget, "a view was cut");
                cut
            }
            Fit::Nothing => {
                tracing::warn!(contract, reader, budget, "no part of a view fits its budget");
                String::new()
            }
        })
    }
}

impl<S> fmt::Debug for Reading<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reading({})", self.base.path())
    }
}

/// What stands where a view was cut.
const MARKER: &str = "\n[cut]";

#[derive(Debug, PartialEq, Eq)]
enum Fit {
    Whole,
    Cut(String),
    Nothing,
}

/// As much of the text as the budget allows with the marker: up to the end of a line if one is near, else of a character.
fn fit(text: &str, budget: usize, counter: &dyn TokenCounter) -> Fit {
    if counter.count(text) <= budget {
        return Fit::Whole;
    }
    let cut = |end: usize| [text[..end].trim_end(), MARKER].concat();
    let fits = |end: usize| counter.count(&cut(end)) <= budget;
    let shows = |end: &usize| !text[..*end].trim_end().is_empty();
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    // the longest that fits, if the counter counts no less for more; else one that fits
    let mut most = ends.partition_point(|end| fits(*end));
    while most > 0 && !fits(ends[most - 1]) {
        most -= 1;
    }
    let Some(end) = most.checked_sub(1).map(|last| ends[last]).filter(shows) else {
        return Fit::Nothing;
    };
    let line = text[..end].rfind('\n').filter(|line| *line >= end / 2 && fits(*line));
    Fit::Cut(cut(line.unwrap_or(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token a byte.
    struct Bytes;

    impl TokenCounter for Bytes {
        fn count(&self, text: &str) -> usize {
            text.len()
        }
    }

    #[test]
    fn a_cut_view_never_takes_more_than_its_budget() {
        for text in ["one\ntwo\nthree\nfour", "äöü日本語🙂", "x".repeat(50).as_str()] {
            for budget in 0..60 {
                match fit(text, budget, &Bytes) {
                    Fit::Whole => assert!(text.len() <= budget),
                    Fit::Cut(cut) => {
                        assert!(cut.len() <= budget && text.len() > budget, "{cut:?}");
                        let kept = cut.strip_suffix(MARKER).unwrap();
                        assert!(text.starts_with(kept) && !kept.is_empty());
                    }
                    Fit::Nothing => assert!(budget < MARKER.len() + 4, "{budget}"),
                }
            }
        }
    }

    #[test]
    fn it_is_cut_at_the_end_of_a_line_where_one_is_near() {
        assert_eq!(fit("one\ntwo\nthree", 12, &Bytes), Fit::Cut("one\n[cut]".into()));
        assert_eq!(fit("one\ntwelve thirteen", 16, &Bytes), Fit::Cut("one\ntwelve\n[cut]".into()));
    }
}
