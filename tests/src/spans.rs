//! With the feature `spans` a block runs in a span that says what it is and how it ended.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use flowstate::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The fields of a span, and how often it is entered less left.
type Seen = (BTreeMap<&'static str, String>, i32);

#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Seen>>>);

impl Spans {
    fn with(&self, id: &Id, change: impl FnOnce(&mut Seen)) {
        let index = usize::try_from(id.into_u64()).unwrap() - 1;
        change(&mut self.0.lock().unwrap()[index]);
    }
}

struct Fields<'a>(&'a mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl Subscriber for Spans {
    fn enabled(&self, of: &Metadata<'_>) -> bool {
        of.is_span()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut all = self.0.lock().unwrap();
        let mut fields = BTreeMap::from([("span", span.metadata().name().to_owned())]);
        span.record(&mut Fields(&mut fields));
        all.push((fields, 0));
        Id::from_u64(all.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        self.with(span, |(fields, _)| values.record(&mut Fields(fields)));
    }

    fn enter(&self, span: &Id) {
        self.with(span, |(_, depth)| *depth += 1);
    }

    fn exit(&self, span: &Id) {
        self.with(span, |(_, depth)| *depth -= 1);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}
}

#[block(handler)]
async fn half(n: u64) -> Result<u64> {
    tokio::task::yield_now().await;
    match n % 2 {
        0 => Ok(n / 2),
        _ => Err(Error::with_code("odd", "not even")),
    }
}

#[block(sequencer)]
fn halves(n: u64) -> Vec<u64> {
    n.for_each(|n| [n, n + 1], half, max_concurrency = 1)
}

#[tokio::test]
async fn a_block_runs_in_a_span() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    assert_eq!(flowstate::run(halves, 4).await.unwrap_err().code(), "odd");
    let all = spans.0.lock().unwrap();
    let shown: Vec<_> = all
        .iter()
        .map(|(fields, depth)| {
            assert_eq!((fields["span"].as_str(), *depth), ("block", 0), "{fields:?}");
            let [name, kind, path, outcome] =
                ["name", "kind", "path", "outcome"].map(|field| fields[field].as_str());
            format!("{kind} {name} at {path}: {outcome}")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "sequencer halves at halves: odd",
            "handler half at halves > half[0]: completed",
            "handler half at halves > half[1]: odd",
        ]
    );
}
