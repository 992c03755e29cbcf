//! Text for models: Markdown from values, and context in XML tags.
//!
//! A formatter takes anything that serde can write: a text, a list, a tuple of different things, a struct. What is `None`,
//! `false` or `""` is left out, so parts that may be missing need no `if`:
//!
//! ```
//! use flowstate::prompt::{join, list, section, when};
//!
//! let (name, topics, brief) = ("Ada", ["engines", ""], false);
//! let prompt = join((
//!     format!("You help {name}."),
//!     section("Topics", list(topics)),
//!     when(brief, || "Answer in one sentence."),
//! ));
//! assert_eq!(prompt, "You help Ada.\n\n## Topics\n- engines");
//! ```
//!
//! Fields keep the order of their struct (a map of `serde_json` sorts them). Lists and structs inside of a list, a table or a
//! tag's text are shown as JSON, and so is what has no text of its own. What serde cannot write as JSON, a map whose keys are
//! no text, is shown as the error, in brackets.

use std::fmt::Write as _;

use serde::Serialize;

use crate::generate::plain::Plain;
pub use crate::generate::tags::{
    RESERVED_TAG_NAMES, TaggedContext, render_tagged_context, validate_tag_name, xml_tag,
};

/// A heading of level 2 and its content, line by line; without content the heading alone.
///
/// ```
/// # use flowstate::prompt::section;
/// assert_eq!(section("Rules", ["Be brief.", "Be kind."]), "## Rules\nBe brief.\nBe kind.");
/// assert_eq!(section("Rules", None::<&str>), "## Rules");
/// ```
#[must_use]
pub fn section(title: &str, content: impl Serialize) -> String {
    section_at(2, title, content)
}

/// A [`section`] whose heading has another level, 1 to 6; what lies outside becomes 1 or 6.
///
/// ```
/// # use flowstate::prompt::section_at;
/// assert_eq!(section_at(3, "Tone", "Warm."), "### Tone\nWarm.");
/// ```
#[must_use]
pub fn section_at(level: u8, title: &str, content: impl Serialize) -> String {
    let mut text = format!("{} {title}", "#".repeat(level.clamp(1, 6).into()));
    for part in Plain::of(content).parts() {
        text.push('\n');
        text.push_str(&part);
    }
    text
}

/// A list, a line an item; `""` where nothing is left.
///
/// ```
/// # use flowstate::prompt::list;
/// assert_eq!(list([Some("a"), None, Some("b")]), "- a\n- b");
/// ```
#[must_use]
pub fn list(items: impl Serialize) -> String {
    bullet_list("-", items)
}

/// A [`list`] with another bullet.
///
/// ```
/// # use flowstate::prompt::bullet_list;
/// assert_eq!(bullet_list("*", ["a", "b"]), "* a\n* b");
/// ```
#[must_use]
pub fn bullet_list(bullet: &str, items: impl Serialize) -> String {
    lines(Plain::of(items).parts().iter().map(|item| format!("{bullet} {item}")))
}

/// A [`list`] with numbers, counted after what says nothing was left out.
///
/// ```
/// # use flowstate::prompt::ordered_list;
/// assert_eq!(ordered_list(["a", "", "b"]), "1. a\n2. b");
/// ```
#[must_use]
pub fn ordered_list(items: impl Serialize) -> String {
    let items = Plain::of(items).parts();
    lines(items.iter().enumerate().map(|(at, item)| format!("{}. {item}", at + 1)))
}

/// The fields of a struct or a map, or a list or tuple of pairs, as `key: value`. Only what is `None` is left out.
///
/// ```
/// # use flowstate::prompt::key_values;
/// assert_eq!(key_values((("a", "yes"), ("b", None::<u8>), ("c", false))), "a: yes\nc: false");
/// ```
#[must_use]
pub fn key_values(record: impl Serialize) -> String {
    let fields = Plain::of(record).fields();
    let said = fields.iter().filter(|(_, value)| !value.is_null());
    lines(said.map(|(key, value)| format!("{key}: {}", value.text())))
}

/// A Markdown table of records, with a column for each field in the order in which they are first seen.
///
/// A `|` in a cell is escaped, and a line break is a blank. Without records it is `""`.
///
/// ```
/// # use flowstate::prelude::*;
/// # use flowstate::prompt::table;
/// #[data]
/// struct Order {
///     name: String,
///     count: Option<u32>,
/// }
/// let orders = [Order { name: "tea".into(), count: Some(2) }, Order { name: "a|b".into(), count: None }];
/// assert_eq!(table(&orders), "| name | count |\n| --- | --- |\n| tea | 2 |\n| a\\|b |  |");
/// ```
#[must_use]
pub fn table(rows: impl Serialize) -> String {
    render_table(None, Plain::of(rows))
}

/// A [`table`] with these columns alone.
///
/// ```
/// # use flowstate::prompt::table_with;
/// assert_eq!(table_with(&["b"], [[("a", 1), ("b", 2)]]), "| b |\n| --- |\n| 2 |");
/// ```
#[must_use]
pub fn table_with(columns: &[&str], rows: impl Serialize) -> String {
    render_table(Some(columns.iter().map(ToString::to_string).collect()), Plain::of(rows))
}

fn render_table(columns: Option<Vec<String>>, rows: Plain) -> String {
    let Plain::List(rows) = rows else { return String::new() };
    let rows: Vec<_> = rows.into_iter().map(Plain::fields).collect();
    let columns = columns.unwrap_or_else(|| {
        let mut seen: Vec<String> = Vec::new();
        for (key, _) in rows.iter().flatten() {
            if !seen.contains(key) {
                seen.push(key.clone());
            }
        }
        seen
    });
    if rows.is_empty() || columns.is_empty() {
        return String::new();
    }
    let mut text = row(columns.iter().map(|column| cell(column)));
    text.push('\n');
    text.push_str(&row(columns.iter().map(|_| "---".to_owned())));
    for fields in rows {
        let value = |column| fields.iter().find(|(key, _)| key == column);
        let cells = columns.iter().map(|column| value(column).map(|(_, value)| value.text()));
        text.push('\n');
        text.push_str(&row(cells.map(|text| cell(&text.unwrap_or_default()))));
    }
    text
}

fn row(cells: impl Iterator<Item = String>) -> String {
    let mut text = "|".to_owned();
    for cell in cells {
        // writing to a text does not fail
        let _ = write!(text, " {cell} |");
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace("\r\n", " ").replace(['\n', '\r'], " ")
}

/// What a function makes of each entry of a map, line by line, without those that say nothing.
///
/// ```
/// # use flowstate::prompt::entries;
/// let stock = std::collections::BTreeMap::from([("tea", 2), ("milk", 0)]);
/// assert_eq!(entries(&stock, |name, count| (*count > 0).then(|| format!("{name} x{count}"))), "tea x2");
/// ```
#[must_use]
pub fn entries<K, V, R: Serialize>(
    record: impl IntoIterator<Item = (K, V)>,
    mut text: impl FnMut(K, V) -> R,
) -> String {
    let all = record.into_iter().flat_map(|(key, value)| Plain::of(text(key, value)).parts());
    lines(all)
}

/// A fenced block of code; without a language where that is `""`.
///
/// The fence is always three backticks, also round code that has such a fence itself.
///
/// ```
/// # use flowstate::prompt::code_block;
/// assert_eq!(code_block("let x = 1;", "rust"), "```rust\nlet x = 1;\n```");
/// ```
#[must_use]
pub fn code_block(code: &str, language: &str) -> String {
    format!("```{language}\n{code}\n```")
}

/// The parts with a blank line between; those that say nothing are left out.
///
/// ```
/// # use flowstate::prompt::join;
/// assert_eq!(join(("a", None::<&str>, "", "b")), "a\n\nb");
/// ```
#[must_use]
pub fn join(parts: impl Serialize) -> String {
    Plain::of(parts).parts().join("\n\n")
}

/// What the function makes, if the condition holds; otherwise the function is not called.
///
/// ```
/// # use flowstate::prompt::when;
/// assert_eq!(when(1 > 0, || "yes"), Some("yes"));
/// ```
#[must_use]
pub fn when<T>(condition: bool, content: impl FnOnce() -> T) -> Option<T> {
    condition.then(content)
}

fn lines(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join("\n")
}
