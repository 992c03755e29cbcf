//! JSON Schema as strict structured output takes it.

use serde_json::{Map, Value};

/// What strict mode does not know, and what says nothing about the shape.
const DROPPED: &[&str] =
    &["$schema", "default", "examples", "uniqueItems", "minLength", "maxLength"];
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// Shapes that strict mode does not have.
const UNKNOWN: &[&str] =
    &["allOf", "not", "if", "prefixItems", "patternProperties", "propertyNames"];

/// The schema with each object closed and each of its fields required; `None` where it has a map, a tuple or anything at all.
pub(super) fn strict(schema: &Value) -> Option<Value> {
    let schema = schema.as_object()?;
    let mut out = shape(schema)?;
    if let Some(defs) = schema.get("$defs") {
        out.insert("$defs".into(), each(defs)?);
    }
    Some(out.into())
}

fn shape(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    if let Some(to) = schema.get("$ref") {
        // nothing may stand beside it
        return Some(Map::from_iter([("$ref".to_owned(), to.clone())]));
    }
    let says = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(*key));
    if says(UNKNOWN) || !says(&["type", "enum", "const", "anyOf", "oneOf"]) {
        return None;
    }
    let mut out = Map::new();
    for (key, value) in schema {
        let (key, value) = match (key.as_str(), value) {
            ("required" | "$defs", _) | ("additionalProperties", Value::Bool(false)) => continue,
            ("additionalProperties", _) => return None,
            ("format", Value::String(format)) if !FORMATS.contains(&&**format) => continue,
            (key, _) if DROPPED.contains(&key) => continue,
            ("properties", all) => ("properties", each(all)?),
            ("items", one) => ("items", strict(one)?),
            // what is one of several shapes is any of them too
            ("anyOf" | "oneOf", Value::Array(all)) => {
                ("anyOf", all.iter().map(strict).collect::<Option<_>>()?)
            }
            (key, other) => (key, other.clone()),
        };
        out.insert(key.to_owned(), value);
    }
    let object = |of: &Value| {
        of == "object" || of.as_array().is_some_and(|all| all.contains(&"object".into()))
    };
    if schema.get("type").is_some_and(object) {
        let fields = out.get("properties")?.as_object()?.keys().cloned().collect();
        out.insert("required".into(), fields);
        out.insert("additionalProperties".into(), false.into());
    }
    Some(out)
}

fn each(all: &Value) -> Option<Value> {
    let all = all.as_object()?.iter();
    all.map(|(name, schema)| Some((name.clone(), strict(schema)?))).collect()
}
