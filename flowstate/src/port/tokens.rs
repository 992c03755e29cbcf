//! How many tokens a text takes.

/// Counts the tokens of a text, as a model would cut it: for budgets that are told in tokens.
///
/// Without one the app counts with [`EstimatedTokens`]. One of the model's own is exact:
///
/// ```
/// use flowstate::model::TokenCounter;
/// use flowstate::prelude::*;
///
/// /// Words, for a model that cuts there.
/// struct Words;
///
/// impl TokenCounter for Words {
///     fn count(&self, text: &str) -> usize {
///         text.split_whitespace().count()
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let app = App::builder().token_counter(Words).build()?;
/// # Ok(())
/// # }
/// ```
pub trait TokenCounter: Send + Sync + 'static {
    /// The tokens of this text; 0 where it is empty.
    fn count(&self, text: &str) -> usize;
}

/// An estimate by the script, without a model's vocabulary; it rather counts too many than too few.
///
/// A token is four letters, digits or signs of ASCII; two of the other alphabets (Cyrillic, Greek, Arabic …); one sign of
/// Chinese, Japanese or Korean; half a pictogram. What is left over counts as one.
///
/// ```
/// use flowstate::model::{EstimatedTokens, TokenCounter};
///
/// let tokens = |text| EstimatedTokens.count(text);
/// assert_eq!([tokens(""), tokens("four"), tokens("fours")], [0, 1, 2]);
/// assert_eq!([tokens("слово"), tokens("言葉"), tokens("🦀")], [3, 2, 2]);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct EstimatedTokens;

impl TokenCounter for EstimatedTokens {
    fn count(&self, text: &str) -> usize {
        let quarters = |sign: char| match sign {
            '\0'..='\x7f' => 1,
            // up to where the scripts of East Asia begin; Hangul's letters are among those before
            '\u{80}'..='\u{10ff}' | '\u{1200}'..='\u{2e7f}' => 2,
            '\u{1f000}'..='\u{1ffff}' => 8,
            _ => 4,
        };
        text.chars().map(quarters).sum::<usize>().div_ceil(4)
    }
}
