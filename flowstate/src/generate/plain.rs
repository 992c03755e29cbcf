//! Values as the formatters read them: JSON whose fields stay in the order in which they were written.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::Value;

#[derive(Clone, Serialize)]
#[serde(untagged)]
pub(super) enum Plain {
    /// Never a list or an object.
    Scalar(Value),
    List(Vec<Plain>),
    Record(#[serde(serialize_with = "as_map")] Vec<(String, Plain)>),
}

fn as_map<S: Serializer>(fields: &[(String, Plain)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(fields.iter().map(|(key, value)| (key, value)))
}

impl Plain {
    pub(super) fn try_of(value: impl Serialize) -> serde_json::Result<Self> {
        // by way of text, since a `serde_json::Map` sorts its fields
        serde_json::from_str(&serde_json::to_string(&value)?)
    }

    /// What cannot be JSON shows itself in the text by its error: a formatter has no other way to say it.
    pub(super) fn of(value: impl Serialize) -> Self {
        Self::try_of(value).unwrap_or_else(|error| Self::Scalar(format!("[{error}]").into()))
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Scalar(Value::Null))
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Scalar(Value::Null) => String::new(),
            Self::Scalar(Value::String(text)) => text.clone(),
            other => serde_json::to_string(other).unwrap_or_default(),
        }
    }

    /// The texts of a list, or of what stands alone, without those that say nothing: null, `false` and `""`.
    pub(super) fn parts(self) -> Vec<String> {
        let all = if let Self::List(all) = self { all } else { vec![self] };
        let said = all.iter().filter(|one| !matches!(one, Self::Scalar(Value::Bool(false))));
        said.map(Self::text).filter(|text| !text.is_empty()).collect()
    }

    /// The fields of a record, or the pairs of a list of pairs.
    pub(super) fn fields(self) -> Vec<(String, Self)> {
        let pair = |one| match one {
            Self::List(pair) => {
                <[Self; 2]>::try_from(pair).ok().map(|[key, value]| (key.text(), value))
            }
            _ => None,
        };
        match self {
            Self::Record(fields) => fields,
            Self::List(all) => all.into_iter().filter_map(pair).collect(),
            Self::Scalar(_) => Vec::new(),
        }
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Read)
    }
}

struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Plain, E> {
        Ok(Plain::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Plain, E> {
        Ok(Plain::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Plain, E> {
        Ok(Plain::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Plain, E> {
        Ok(Plain::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Plain, E> {
        Ok(Plain::Scalar(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Plain, E> {
        Ok(Plain::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Plain, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = from.next_element()? {
            all.push(one);
        }
        Ok(Plain::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Plain, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = from.next_entry()? {
            fields.push(field);
        }
        Ok(Plain::Record(fields))
    }
}
