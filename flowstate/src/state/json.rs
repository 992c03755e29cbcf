//! A state as the JSON that a store keeps, and back.

use serde_json::{Map, Value};
use serde_path_to_error::Track;

use super::State;
use super::rules::{Unread, VERSION, holds, mended};
use crate::error::StateError;

type Object = Map<String, Value>;

/// A state as a store has it: with what of it is mended, where something is.
pub(crate) struct Read<S> {
    pub(crate) state: S,
    pub(crate) mended: bool,
}

/// The state, brought into the shape of today where it is a contract, and checked.
pub(crate) fn read<S: State>(kept: &Value, now: &S) -> Result<Read<S>, Unread> {
    let broken = |error: serde_json::Error| Unread::Broken(error.to_string());
    let Some(rules) = S::RULES else {
        let state = decode(kept, now).map_err(broken)?;
        return Ok(Read { state, mended: false });
    };
    let (json, mended) = mended(rules, kept)?;
    let state = decode(&json, now).map_err(broken)?;
    holds(&state).map_err(|(field, reason)| Unread::Broken(format!("`{field}`: {reason}")))?;
    Ok(Read { state, mended })
}

/// The state, with fields that a store does not keep as `now` has them.
fn decode<S: State>(kept: &Value, now: &S) -> Result<S, serde_json::Error> {
    let transient: Vec<_> = transient::<S>().collect();
    let mut kept = kept.clone();
    if let (Some(_), Value::Object(fields)) = (S::RULES, &mut kept) {
        fields.remove(VERSION);
    }
    if let (false, Value::Object(fields)) = (transient.is_empty(), &mut kept) {
        let mut now = fields_of(now).unwrap_or_default();
        fields.extend(transient.into_iter().filter_map(|name| now.remove_entry(name)));
    }
    if !kept.is_object() {
        // (a struct would be read from a list, too)
        return Err(serde::de::Error::custom("it is no object"));
    }
    S::deserialize(kept)
}

/// What a store keeps of `after`, over what it keeps of `before`: fields that the state does not know stay.
pub(super) fn encode<S: State>(
    before: &S,
    after: &S,
    kept: Option<&Value>,
) -> Result<Value, StateError> {
    let mut fields = fields_of(after)?;
    for name in transient::<S>() {
        fields.remove(name);
    }
    if let Some(Value::Object(kept)) = kept
        && kept.keys().any(|name| !fields.contains_key(name))
    {
        // a field that is known and now left out is not unknown
        let known = fields_of(before)?;
        let unknown = kept.iter().filter(|(name, _)| {
            !known.contains_key(*name) && S::DEF.fields.iter().all(|field| field.name != **name)
        });
        for (name, value) in unknown {
            fields.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    fields.remove(VERSION);
    let mut json = Value::Object(fields);
    let read: S = serde_path_to_error::deserialize(&json).map_err(|error| {
        let field = error.path().iter().next().map(ToString::to_string);
        not_storable::<S>(
            field.as_deref(),
            &format!("it could not be read again: {}", error.inner()),
        )
    })?;
    match after.lost(&read) {
        Some(field) => Err(not_storable::<S>(Some(field), "read again it is another value")),
        None => {
            if let (Some(rules), Value::Object(fields)) = (S::RULES, &mut json)
                && rules.def.version > 1
            {
                fields.insert(VERSION.to_owned(), rules.def.version.into());
            }
            Ok(json)
        }
    }
}

fn transient<S: State>() -> impl Iterator<Item = &'static str> {
    S::DEF.fields.iter().filter(|field| field.transient).map(|field| field.name)
}

fn fields_of<S: State>(state: &S) -> Result<Object, StateError> {
    let mut track = Track::new();
    let json = serde_path_to_error::Serializer::new(serde_json::value::Serializer, &mut track);
    match state.serialize(json) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(not_storable::<S>(None, "it is no object")),
        Err(error) => {
            let field = track.path().iter().next().map(ToString::to_string);
            Err(not_storable::<S>(field.as_deref(), &error.to_string()))
        }
    }
}

fn not_storable<S: State>(field: Option<&str>, reason: &str) -> StateError {
    let name = S::DEF.name;
    let field = field.map_or_else(|| name.to_owned(), |field| format!("{name}.{field}"));
    StateError::NotStorable { field, reason: reason.to_owned() }
}

/// The state that JSON says, where there is no store.
pub(crate) fn from_json<S: State>(json: &Value) -> Result<S, String> {
    match read(json, &S::default()) {
        Ok(read) => Ok(read.state),
        Err(Unread::Broken(why)) => Err(why),
        Err(Unread::Newer { stored, known }) => {
            Err(StateError::Newer { state: S::DEF.name, stored, known }.to_string())
        }
    }
}
