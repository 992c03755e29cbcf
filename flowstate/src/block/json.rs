//! JSON in and out of blocks: what does not fit is said with its path.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Track;

use crate::error::ValidationError;

/// JSON as a value; `of` says of what: "the input of …".
pub(crate) fn from_json<T: DeserializeOwned>(
    json: Value,
    of: &dyn Fn() -> String,
) -> Result<T, ValidationError> {
    serde_path_to_error::deserialize(json).map_err(|error| {
        let path = error.path().to_string();
        ValidationError::new(of(), path, error.into_inner().to_string())
    })
}

/// A value as JSON.
pub(crate) fn to_json<T: Serialize>(
    value: &T,
    of: &dyn Fn() -> String,
) -> Result<Value, ValidationError> {
    let mut track = Track::new();
    let json = serde_path_to_error::Serializer::new(serde_json::value::Serializer, &mut track);
    value
        .serialize(json)
        .map_err(|error| ValidationError::new(of(), track.path().to_string(), error.to_string()))
}
