//! What holds of a contract: how old values are mended, and which values may be kept.

use std::fmt;

use serde_json::Value;

use super::State;
use crate::error::{StateError, caught};
use crate::schema::ContractDef;

/// Where a store keeps the version of a contract's shape; version 1 is not written.
pub(super) const VERSION: &str = "$version";

type Mend = fn(Value) -> Value;

/// What `#[contract]` says of a state.
#[doc(hidden)]
pub struct Rules<S: 'static> {
    pub def: &'static ContractDef,
    /// What must hold of every value.
    pub check: fn(&S) -> Result<(), String>,
    /// From the version before to the next, each with the version that it takes.
    pub migrations: &'static [(u32, Mend)],
    /// Whatever else old data needs.
    pub repair: Option<Mend>,
}

impl<S> fmt::Debug for Rules<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.def.fmt(f)
    }
}

/// What is known of a state as a contract.
#[doc(hidden)]
#[must_use]
pub const fn contract_of<S: State>() -> Option<&'static ContractDef> {
    match S::RULES {
        Some(rules) => Some(rules.def),
        None => None,
    }
}

/// Why a value of a store is no state.
pub(crate) enum Unread {
    Broken(String),
    Newer { stored: u64, known: u32 },
}

/// What is stored, in the shape of today; and whether it had another.
pub(super) fn mended<S>(rules: &Rules<S>, kept: &Value) -> Result<(Value, bool), Unread> {
    let known = rules.def.version;
    let stored = match kept.get(VERSION) {
        None => 1,
        Some(version) => version
            .as_u64()
            .filter(|version| *version > 0)
            .ok_or_else(|| Unread::Broken(format!("`{VERSION}` is no version")))?,
    };
    if stored > u64::from(known) {
        return Err(Unread::Newer { stored, known });
    }
    let mut json = kept.clone();
    let steps = (stored..u64::from(known)).filter_map(|version| {
        let mut all = rules.migrations.iter();
        all.find(|(from, _)| u64::from(*from) == version).map(|(_, migrate)| migrate)
    });
    for mend in steps.chain(&rules.repair) {
        json = caught(|| mend(json))
            .map_err(|panic| Unread::Broken(format!("its repair panicked: {}", panic.message())))?;
    }
    let mended = json != *kept;
    Ok((json, mended))
}

/// Whether a value may be kept; else which field is wrong, and what is wrong with it.
pub(crate) fn holds<S: State>(state: &S) -> Result<(), (String, String)> {
    let check = || match state.validate() {
        Err(StateError::Rejected { field, reason }) => {
            let field = field.split_once('.').map_or("", |(_, field)| field);
            Err((field.to_owned(), reason))
        }
        Err(other) => Err((String::new(), other.to_string())),
        Ok(()) => match S::RULES {
            Some(rules) => (rules.check)(state).map_err(in_field::<S>),
            None => Ok(()),
        },
    };
    caught(check).unwrap_or_else(|panic| {
        Err((String::new(), format!("the check panicked: {}", panic.message())))
    })
}

/// Whether the default of a contract may be kept.
#[doc(hidden)]
pub fn initial_holds<S: State>() -> Result<(), String> {
    holds(&S::default()).map_err(|(field, reason)| match field.as_str() {
        "" => reason,
        field => format!("`{field}`: {reason}"),
    })
}

/// `notes[2]: it is empty`, as the field and what is wrong with it, where the text begins with a field of the state.
pub(crate) fn in_field<S: State>(text: String) -> (String, String) {
    if let Some((field, reason)) = text.split_once(": ") {
        let name = field.split(['.', '[']).next().unwrap_or_default();
        if S::DEF.fields.iter().any(|known| known.name == name) {
            return (field.to_owned(), reason.to_owned());
        }
    }
    (String::new(), text)
}
