//! Context in XML tags.

use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result, code};
use crate::generate::plain::Plain;

/// Tags that mean something to a model already, so a context cannot have them.
pub const RESERVED_TAG_NAMES: &[&str] = &[
    "active-skill",
    "thinking",
    "answer",
    "tool-use",
    "tool-result",
    "function-calls",
    "invoke",
    "parameter",
    "system",
    "user",
    "assistant",
    "role",
    "message",
];

const INDENT: &str = "  ";

/// The tag of a context's key, in kebab-case: `user_name`, `userName` and `user-name` are all `user-name`.
///
/// # Errors
///
/// `context_invalid`: it is one of [`RESERVED_TAG_NAMES`], or no tag: one begins with a letter, and then has letters,
/// digits and dashes.
///
/// ```
/// # use flowstate::prompt::validate_tag_name;
/// assert_eq!(validate_tag_name("userName")?, "user-name");
/// assert_eq!(validate_tag_name("toolUse").unwrap_err().code(), "context_invalid");
/// # Ok::<(), flowstate::Error>(())
/// ```
pub fn validate_tag_name(key: &str) -> Result<String> {
    let tag = kebab(key);
    let first = tag.starts_with(|c: char| c.is_ascii_lowercase());
    if !first || !tag.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        return Err(invalid(format!(
            "context key {key:?} makes no tag: a tag begins with a letter, and has letters, digits and dashes"
        )));
    }
    if RESERVED_TAG_NAMES.contains(&&*tag) {
        return Err(invalid(format!(
            "context key {key:?} is the reserved tag <{tag}>; give it another name"
        )));
    }
    Ok(tag)
}

/// Refuses a key that makes no tag.
#[doc(hidden)]
#[track_caller]
pub const fn tag_name(key: &str) {
    let (bytes, mut i) = (key.as_bytes(), 0);
    while i < bytes.len() {
        let fits = bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_';
        assert!(
            fits && (i > 0 || bytes[i].is_ascii_alphabetic()),
            "this is no name of a tag: one begins with a letter, and has letters and digits"
        );
        i += 1;
    }
    let mut r = 0;
    while r < RESERVED_TAG_NAMES.len() {
        let tag = RESERVED_TAG_NAMES[r].as_bytes();
        let (mut i, mut same) = (0, tag.len() == bytes.len());
        while same && i < tag.len() {
            same = tag[i] == if bytes[i] == b'_' { b'-' } else { bytes[i] };
            i += 1;
        }
        assert!(
            !same,
            "this is the name of a tag that means something to a model already: give it another"
        );
        r += 1;
    }
}

fn kebab(key: &str) -> String {
    let chars: Vec<char> = key.chars().collect();
    let mut tag = String::with_capacity(key.len() + 4);
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let word = before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            || before.is_some_and(|c| c.is_ascii_uppercase())
                && after.is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && word {
            tag.push('-');
        }
        tag.push(if *c == '_' { '-' } else { c.to_ascii_lowercase() });
    }
    tag
}

fn invalid(message: String) -> Error {
    Error::with_code(code::CONTEXT_INVALID, message)
}

/// The content in a tag, indented, as it is: nothing is escaped. `""` where the content says nothing.
///
/// ```
/// # use flowstate::prompt::xml_tag;
/// assert_eq!(xml_tag("rules", ["Be brief.", "", "Be kind."]), "<rules>\n  Be brief.\n  Be kind.\n</rules>");
/// ```
#[must_use]
pub fn xml_tag(name: &str, content: impl Serialize) -> String {
    tagged(name, &Plain::of(content).parts().join("\n"), INDENT).unwrap_or_default()
}

fn tagged(name: &str, body: &str, indent: &str) -> Option<String> {
    if body.is_empty() {
        return None;
    }
    if indent.is_empty() {
        return Some(format!("<{name}>{body}</{name}>"));
    }
    let mut text = format!("<{name}>\n");
    for line in body.split('\n') {
        if !line.trim().is_empty() {
            text.push_str(indent);
        }
        text.push_str(line);
        text.push('\n');
    }
    text.push_str(&format!("</{name}>"));
    Some(text)
}

/// One struct or map as XML tags; see [`TaggedContext`], which takes several.
///
/// # Errors
///
/// Those of [`TaggedContext::add`].
///
/// ```
/// # use flowstate::prompt::render_tagged_context;
/// let text = render_tagged_context((("notes", ["a < b"]), ("plan", None::<u8>)))?;
/// assert_eq!(text, "<notes>\n  a &lt; b\n</notes>");
/// # Ok::<(), flowstate::Error>(())
/// ```
pub fn render_tagged_context(source: impl Serialize) -> Result<String> {
    let mut context = TaggedContext::new();
    context.add(source)?;
    Ok(context.render())
}

/// Context from several sources, as XML: each field is a tag, and what several sources say under one key stands in one tag.
///
/// Tags come in the order in which they are first named, also by a `None`. A list of texts is a line each, and so is a list of
/// structs or maps, each as JSON; one alone is tags inside of the tag. In text, `&`, `<` and `>` are escaped, so that
/// nothing in it reads as a tag. A tag that says nothing is left out.
///
/// ```
/// # use flowstate::prelude::*;
/// # use flowstate::prompt::TaggedContext;
/// #[data]
/// struct Profile {
///     user_name: String,
///     notes: Option<Vec<String>>,
/// }
/// let mut context = TaggedContext::new();
/// context.add(Profile { user_name: "Ada".into(), notes: None })?;
/// context.add(Profile { user_name: "<Countess>".into(), notes: Some(vec!["likes engines".into()]) })?;
/// assert_eq!(
///     context.render(),
///     "<user-name>\n  Ada\n  &lt;Countess&gt;\n</user-name>\n<notes>\n  likes engines\n</notes>"
/// );
/// # Ok::<(), flowstate::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaggedContext {
    tags: Tags,
}

type Tags = Vec<(String, Tag)>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tag {
    /// Named, and still without content.
    Place,
    Text(Vec<String>),
    Tags(Tags),
}

impl TaggedContext {
    /// Without tags.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a struct or a map. Text under a key that is there already follows what it says; tags inside of it are merged.
    ///
    /// # Errors
    ///
    /// `context_invalid`: a key makes no tag (see [`validate_tag_name`]), or is text in one place and has tags of its own in
    /// another, or the source is no struct and no map.
    pub fn add(&mut self, source: impl Serialize) -> Result<()> {
        let source = Plain::try_of(source).map_err(|error| invalid(format!("context: {error}")))?;
        if source.is_null() {
            return Ok(());
        }
        let whole = source.text();
        let fields = source.fields();
        if fields.is_empty() && !matches!(&*whole, "{}" | "[]") {
            return Err(invalid(format!("a context is a struct or a map, not {whole:?}")));
        }
        merge(&mut self.tags, fields)
    }

    /// Adds all of another one.
    pub(super) fn merge(&mut self, other: Self) -> Result<()> {
        join(&mut self.tags, other.tags)
    }

    /// The tags, indented by two blanks a level; `""` where none says anything.
    #[must_use]
    pub fn render(&self) -> String {
        self.render_with(INDENT, true)
    }

    /// The tags with another indentation; `""` puts the content of a tag on its line. Text that is not escaped may read as a
    /// tag.
    #[must_use]
    pub fn render_with(&self, indent: &str, escape: bool) -> String {
        render(&self.tags, indent, escape)
    }
}

fn merge(tags: &mut Tags, fields: Vec<(String, Plain)>) -> Result<()> {
    for (key, value) in fields {
        let name = validate_tag_name(&key)?;
        let at = tags.iter().position(|(tag, _)| *tag == name).unwrap_or_else(|| {
            tags.push((name, Tag::Place));
            tags.len() - 1
        });
        put(&mut tags[at].1, value, &key)?;
    }
    Ok(())
}

fn put(tag: &mut Tag, value: Plain, key: &str) -> Result<()> {
    match (value, tag) {
        (Plain::Scalar(Value::Null), _) => Ok(()),
        // each record of a list on a line of its own: by tags, nobody would know what belongs together
        (Plain::List(all), tag) => all.into_iter().try_for_each(|one| match one {
            Plain::Record(fields) if fields.is_empty() => Ok(()),
            Plain::Record(_) => put(tag, Plain::Scalar(one.text().into()), key),
            one => put(tag, one, key),
        }),
        (Plain::Record(fields), Tag::Tags(tags)) => merge(tags, fields),
        (Plain::Record(fields), tag @ Tag::Place) => {
            let mut tags = Tags::new();
            merge(&mut tags, fields)?;
            *tag = Tag::Tags(tags);
            Ok(())
        }
        (text, Tag::Text(texts)) if matches!(text, Plain::Scalar(_)) => {
            texts.push(text.text());
            Ok(())
        }
        (text, tag @ Tag::Place) => {
            *tag = Tag::Text(vec![text.text()]);
            Ok(())
        }
        _ => Err(two_types(key)),
    }
}

fn join(tags: &mut Tags, others: Tags) -> Result<()> {
    for (name, other) in others {
        let Some((_, known)) = tags.iter_mut().find(|(tag, _)| *tag == name) else {
            tags.push((name, other));
            continue;
        };
        match (known, other) {
            (_, Tag::Place) => {}
            (known @ Tag::Place, other) => *known = other,
            (Tag::Text(texts), Tag::Text(more)) => texts.extend(more),
            (Tag::Tags(tags), Tag::Tags(more)) => join(tags, more)?,
            _ => return Err(two_types(&name)),
        }
    }
    Ok(())
}

fn two_types(key: &str) -> Error {
    invalid(format!(
        "context key {key:?} type mismatch: it is text in one place, and has tags of its own in another"
    ))
}

fn render(tags: &Tags, indent: &str, escape: bool) -> String {
    let all = tags.iter().filter_map(|(name, tag)| {
        let body = match tag {
            Tag::Place => return None,
            Tag::Tags(tags) => render(tags, indent, escape),
            Tag::Text(texts) => {
                let said: Vec<_> = texts.iter().filter(|text| !text.is_empty()).cloned().collect();
                let text = said.join("\n");
                if escape { escaped(&text) } else { text }
            }
        };
        tagged(name, &body, indent)
    });
    all.collect::<Vec<_>>().join("\n")
}

fn escaped(text: &str) -> String {
    // `&` first, since the other two bring it
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
