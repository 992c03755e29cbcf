//! Structured output: its schema, and the model's text as a value.

use std::any::Any;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::block::from_json;
use crate::error::{Result, ValidationError};
use crate::state::Data;

/// The schema of a type as an object's, which providers ask for: what is none is the one property of one.
pub(super) struct Object {
    pub(super) schema: Value,
    /// The property, where there is one.
    under: Option<&'static str>,
}

impl Object {
    pub(super) fn of<T: JsonSchema>(key: &'static str) -> Self {
        let mut schema = schemars::schema_for!(T).to_value();
        let Some(root) = schema.as_object_mut() else {
            return Self { schema: json!({"type": "object"}), under: None };
        };
        root.remove("$schema");
        match root.get("type").and_then(Value::as_str) {
            Some("object") => Self { schema, under: None },
            // `()`: there is nothing to say
            Some("null") => {
                Self { schema: json!({"type": "object", "properties": {}}), under: Some("") }
            }
            _ => {
                let defs = root.remove("$defs");
                let mut whole = json!({
                    "type": "object", "properties": { key: schema }, "required": [key],
                });
                if let (Some(whole), Some(defs)) = (whole.as_object_mut(), defs) {
                    whole.insert("$defs".into(), defs);
                }
                Self { schema: whole, under: Some(key) }
            }
        }
    }

    /// The value inside, where it is in there.
    pub(super) fn unwrap(&self, json: Value) -> Value {
        match (self.under, json) {
            (Some(""), _) => Value::Null,
            (Some(key), Value::Object(mut object)) if only(&object, key) => {
                object.remove(key).unwrap_or_default()
            }
            (_, json) => json,
        }
    }
}

fn only(object: &Map<String, Value>, key: &str) -> bool {
    object.len() == 1 && object.contains_key(key)
}

/// A text as the output, where text is what is asked for.
pub(super) fn text<T: Data>(text: &mut String) -> Option<T> {
    let mut slot: Option<T> = None;
    let whole = (&mut slot as &mut dyn Any).downcast_mut::<Option<String>>()?;
    *whole = Some(std::mem::take(text));
    slot
}

/// Whether text is what is asked for.
pub(super) fn is_text<T: Data>() -> bool {
    text::<T>(&mut String::new()).is_some()
}

/// What a model wrote, as a value. With `repair` also where it is slightly broken.
pub(super) fn read<T: Data>(
    object: &Object,
    text: &str,
    block: &'static str,
    repair: bool,
) -> Result<T, ValidationError> {
    let of = || format!("what the model answered to `{block}`");
    let fit = |json: Value| from_json::<T>(object.unwrap(json), &of);
    let first = match serde_json::from_str(text) {
        Ok(json) => fit(json),
        Err(error) => Err(ValidationError::new(of(), String::new(), format!("no JSON: {error}"))),
    };
    let error = match first {
        Err(error) if repair => error,
        done => return done,
    };
    let Some(json) = super::repair::repair(text) else { return Err(error) };
    match fit(json.clone()) {
        Err(_) => match json {
            // some models wrap what they were asked for
            Value::Object(mut object) if only(&object, "output") => {
                fit(object.remove("output").unwrap_or_default()).map_err(|_| error)
            }
            // what was no JSON at all is one now, so this says more
            _ if serde_json::from_str::<Value>(text).is_err() => fit(json),
            _ => Err(error),
        },
        done => done,
    }
}
