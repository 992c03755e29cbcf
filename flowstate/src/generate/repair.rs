//! A model's JSON, mended.

use serde_json::Value;

/// How many openings of broken JSON are tried, so that a long text costs at most that often its length.
const TRIES: usize = 32;

/// The JSON in what a model wrote.
///
/// Valid JSON is given as it is. Otherwise it is the longest object or array in the text that is JSON or can be made so:
/// without what stands before and after it (prose, a fence), with comments and commas too many left out, missing commas,
/// quotes and brackets put in, other quotes made `"`, `True` and `None` made `true` and `null`. A key whose value was cut off has
/// `null`. `None` where there is no such object or array; plain prose is never made a string.
///
/// It is quick, always gives the same for the same text, and does not panic: nesting deeper than 128 is `None`.
///
/// ```
/// use flowstate::generate::repair;
/// use serde_json::json;
///
/// let text = "Here you are:\n```json\n{\"approved\": True, reason: 'clear',}\n```";
/// assert_eq!(repair(text), Some(json!({"approved": true, "reason": "clear"})));
/// assert_eq!(repair(r#"{"tags": ["a", "b"#), Some(json!({"tags": ["a", "b"]})));
/// assert_eq!(repair("I cannot answer that."), None);
/// ```
#[must_use]
pub fn repair(text: &str) -> Option<Value> {
    if let Ok(whole) = serde_json::from_str(text) {
        return Some(whole);
    }
    let (mut at, mut tries, mut best) = (0, 0, None);
    while tries < TRIES
        && let Some(next) = text[at..].find(['{', '['])
    {
        let start = at + next;
        let found = valid(&text[start..]).or_else(|| {
            tries += 1;
            mended(&text[start..])
        });
        if let Some((value, len)) = found {
            if best.as_ref().is_none_or(|(_, longest)| len > *longest) {
                best = Some((value, len));
            }
            at = start + len;
        } else {
            // what is in brackets that cannot be mended is not taken out of them
            at = start + balanced(&text[start..]).unwrap_or(1);
        }
    }
    best.map(|(value, _)| value)
}

/// The JSON that a text begins with, and how long it is.
fn valid(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// What a text begins with, where it can be made JSON of the same kind.
fn mended(text: &str) -> Option<(Value, usize)> {
    let last = text.rfind(['}', ']']).map(|at| at + 1);
    let ends = match balanced(text) {
        Some(end) => [last, Some(end)],
        // it was cut off, and a fence may have been closed after it
        None => [Some(text.trim_end().trim_end_matches('`').len()), last],
    };
    ends.into_iter().flatten().find_map(|end| {
        let json = jsonrepair_rs::jsonrepair(&text[..end]).ok()?;
        let value: Value = serde_json::from_str(&json).ok()?;
        let same = if text.starts_with('{') { value.is_object() } else { value.is_array() };
        same.then_some((value, end))
    })
}

/// Where the bracket that a text begins with is closed.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}
