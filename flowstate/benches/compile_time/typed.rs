#![allow(non_camel_case_types)]
//! A workflow by hand, each step a type with what it reads in its definition: the compiler refuses a step under a sequencer
//! that lacks it, and an entry takes and gives JSON. What stands below this frame is generated.

use std::any::{Any, TypeId};
use std::future::Future;
use std::pin::Pin;

use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub type Result<T> = std::result::Result<T, String>;
pub type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

pub trait State: Default + Serialize + DeserializeOwned + Send + 'static {
    const NAME: &'static str;
}

/// The states of the sequencers around a step.
#[derive(Clone, Copy)]
pub struct At<'a> {
    held: Option<(TypeId, &'a (dyn Any + Send + Sync))>,
    up: Option<&'a At<'a>>,
}

impl<'a> At<'a> {
    pub const OUTSIDE: At<'static> = At { held: None, up: None };

    pub fn holding<S: State>(&'a self, state: &'a Mutex<S>) -> At<'a> {
        At { held: Some((TypeId::of::<S>(), state)), up: Some(self) }
    }

    pub fn find<S: State>(&self) -> Result<&'a Mutex<S>> {
        let mut at = *self;
        loop {
            if let Some((id, held)) = at.held
                && id == TypeId::of::<S>()
            {
                return held.downcast_ref().ok_or_else(|| S::NAME.to_owned());
            }
            at = *at.up.ok_or_else(|| format!("no {}", S::NAME))?;
        }
    }
}

pub struct Def {
    pub name: &'static str,
    /// What it and its steps look for around it.
    pub reads: &'static [&'static str],
    pub holds: &'static [&'static str],
    pub steps: &'static [&'static Def],
}

/// Whether each step finds what it reads.
pub const fn met(def: &Def) -> bool {
    let mut i = 0;
    while i < def.steps.len() {
        let reads = def.steps[i].reads;
        let mut k = 0;
        while k < reads.len() {
            if !among(def.holds, reads[k]) && !among(def.reads, reads[k]) {
                return false;
            }
            k += 1;
        }
        i += 1;
    }
    true
}

const fn among(all: &[&str], one: &str) -> bool {
    let mut i = 0;
    while i < all.len() {
        if same(all[i].as_bytes(), one.as_bytes()) {
            return true;
        }
        i += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

pub trait Step: Send + Sync {
    type Input: DeserializeOwned + Send;
    type Output: Serialize + Send;
    const DEF: &'static Def;
    fn run(
        &self,
        input: Self::Input,
        at: At<'_>,
    ) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// A step that is called from outside.
pub trait Entry {
    fn name(&self) -> &'static str;
    fn call(&self, input: Value) -> Later<'_, Value>;
}

impl<S: Step> Entry for S {
    fn name(&self) -> &'static str {
        S::DEF.name
    }

    fn call(&self, input: Value) -> Later<'_, Value> {
        Box::pin(async move {
            let input = serde_json::from_value(input).map_err(|e| e.to_string())?;
            let output = self.run(input, At::OUTSIDE).await?;
            serde_json::to_value(output).map_err(|e| e.to_string())
        })
    }
}

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Total {
    pub seen: u64,
    pub names: Vec<String>,
}

impl State for Total {
    const NAME: &'static str = "Total";
}
