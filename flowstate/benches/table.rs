//! A table of costs, each beside the same work by hand.

use std::hint::black_box;
use std::time::Instant;

use tokio::runtime::{Builder, Runtime};

use crate::{count, counted, publish};

/// The nanoseconds and the allocations of one piece of work.
#[derive(Clone, Copy)]
pub struct Cost {
    /// Nanoseconds.
    pub ns: f64,
    /// How often it allocated.
    pub allocations: f64,
}

impl Cost {
    /// No work.
    pub const NOTHING: Self = Self { ns: 0.0, allocations: 0.0 };
    const MOST: Self = Self { ns: f64::MAX, allocations: f64::MAX };

    fn least(self, other: Self) -> Self {
        Self { ns: self.ns.min(other.ns), allocations: self.allocations.min(other.allocations) }
    }

    fn less(self, other: Self) -> Self {
        let allocations = self.allocations - other.allocations;
        Self { ns: self.ns - other.ns, allocations }
    }

    fn per(self, units: u64) -> Self {
        Self { ns: self.ns / units as f64, allocations: self.allocations / units as f64 }
    }
}

/// What a piece of work costs, over so many runs.
pub fn cost<T>(on: &Runtime, runs: u64, work: impl AsyncFn(u64) -> T) -> Cost {
    on.block_on(async {
        black_box(work(0).await);
        count();
        for i in 0..4 {
            black_box(work(i).await);
        }
        let allocations = counted().allocations as f64 / 4.0;
        let start = Instant::now();
        for i in 0..runs {
            black_box(work(i).await);
        }
        Cost { ns: start.elapsed().as_nanos() as f64 / runs as f64, allocations }
    })
}

/// Rows, each beside the same by hand.
#[derive(Debug)]
pub struct Table {
    /// One thread.
    pub one: Runtime,
    /// Two.
    pub two: Runtime,
    wanted: Vec<String>,
    rows: std::cell::RefCell<String>,
}

impl Default for Table {
    /// An empty one; the program's arguments say which rows are wanted.
    fn default() -> Self {
        let runtime =
            |mut builder: Builder| builder.enable_all().build().expect("a runtime starts");
        let mut threads = Builder::new_multi_thread();
        threads.worker_threads(2);
        Self {
            one: runtime(Builder::new_current_thread()),
            two: runtime(threads),
            wanted: std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect(),
            rows: String::new().into(),
        }
    }
}

impl Table {
    /// Prints it, and with `--write` puts it into its place in the page.
    pub fn publish(self, name: &str) {
        let head =
            "| | ns | by hand | ratio | allocations | by hand |\n|---|---:|---:|---:|---:|---:|\n";
        publish(name, &format!("{head}{}", self.rows.into_inner()));
    }

    fn wants(&self, name: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|want| name.contains(want.as_str()))
    }

    /// Measures a row, if it is wanted: of each side many and one, whose difference is divided by `units`.
    pub fn say(
        &self,
        name: &str,
        units: u64,
        ours: &dyn Fn() -> [Cost; 2],
        floor: &dyn Fn() -> [Cost; 2],
    ) {
        if !self.wants(name) {
            return;
        }
        let mut least = [[Cost::MOST; 2]; 2];
        for _ in 0..ROUNDS {
            for (least, new) in least.iter_mut().zip([ours(), floor()]) {
                *least = [least[0].least(new[0]), least[1].least(new[1])];
            }
        }
        let [ours, floor] = least.map(|[many, one]| many.less(one).per(units));
        let (ns, plain, ratio) = (ours.ns, floor.ns, ours.ns / floor.ns);
        let row = format!(
            "| {name} | {ns:.1} | {plain:.1} | {ratio:.2} | {:.2} | {:.2} |\n",
            ours.allocations, floor.allocations
        );
        eprint!("{row}");
        self.rows.borrow_mut().push_str(&row);
    }
}

const ROUNDS: u32 = 100;
