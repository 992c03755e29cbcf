//! How many tokens a text takes.

/// Counts the tokens of a text, by which the views of contracts are kept within their budgets.
///
/// ```
/// use flowstate::contract::{EstimatedTokens, TokenCounter};
///
/// assert_eq!(EstimatedTokens.count("four letters a token"), 5);
/// assert_eq!(EstimatedTokens.count("日本語"), 3);
/// ```
pub trait TokenCounter: Send + Sync + 'static {
    /// So many; of a text that another begins with, no more than of that one.
    fn count(&self, text: &str) -> usize;
}

/// An estimate that knows no model: four characters of Latin script are a token, two of another alphabet, one of a script with
/// a character a syllable or a word; an emoji is two.
///
/// It is made to be rather too high than too low. An app that knows its model sets a counter of its own, by
/// [`token_counter`](crate::AppBuilder::token_counter).
#[derive(Debug, Clone, Copy, Default)]
pub struct EstimatedTokens;

impl TokenCounter for EstimatedTokens {
    fn count(&self, text: &str) -> usize {
        let quarters = |c: char| match c.len_utf8() {
            1 if c.is_ascii_punctuation() => 2,
            1 => 1,
            2 => 2,
            3 => 4,
            _ => 8,
        };
        text.chars().map(quarters).sum::<usize>().div_ceil(4)
    }
}
