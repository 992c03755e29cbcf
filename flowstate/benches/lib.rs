//! What the benches share: an allocator that counts while it is asked to, and the work that is measured, as blocks
//! and by hand.

mod table;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use flowstate::prelude::*;
use parking_lot::Mutex;

pub use table::{Cost, Table, cost};

static ON: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator; counts where [`counted`] runs something, and else costs a load.
#[derive(Debug)]
struct Counting;

fn grown(by: usize) {
    COUNT.fetch_add(1, Relaxed);
    let live = LIVE.fetch_add(by, Relaxed).wrapping_add(by);
    // what was allocated before the count began may be freed in it
    if live < usize::MAX / 2 {
        PEAK.fetch_max(live, Relaxed);
    }
}

// SAFETY: all of it is the system's allocator's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ON.load(Relaxed) {
            grown(layout.size());
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if ON.load(Relaxed) {
            LIVE.fetch_sub(layout.size(), Relaxed);
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What one piece of work took of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// How often it allocated.
    pub allocations: usize,
    /// How many bytes it held at most at once.
    pub peak: usize,
    /// How many bytes it left allocated.
    pub left: usize,
}

/// Starts counting from nothing.
pub fn count() {
    for counter in [&COUNT, &LIVE, &PEAK] {
        counter.store(0, Relaxed);
    }
    ON.store(true, Relaxed);
}

/// Ends counting.
pub fn counted() -> Memory {
    ON.store(false, Relaxed);
    let [allocations, left, peak] = [&COUNT, &LIVE, &PEAK].map(|counter| counter.load(Relaxed));
    Memory { allocations, peak, left }
}

/// The bytes that are allocated and not freed since [`count`].
pub fn live() -> usize {
    LIVE.load(Relaxed)
}

/// Prints a table, and with the argument `--write` puts it in its place in `docs/performance.md`, with the day and the load.
///
/// # Panics
/// The page cannot be written, or has no place of that name.
pub fn publish(name: &str, table: &str) {
    println!("{table}");
    if !std::env::args().any(|arg| arg == "--write") {
        return;
    }
    let said = |program: &str, args: &[&str]| {
        let done = std::process::Command::new(program).args(args).output();
        done.map_or_else(
            |_| String::new(),
            |done| String::from_utf8_lossy(&done.stdout).into_owned(),
        )
    };
    let (day, load) =
        (said("date", &["-u", "+%Y-%m-%d"]), said("cut", &["-d ", "-f1", "/proc/loadavg"]));
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/performance.md");
    let text = std::fs::read_to_string(page).expect("the page is there");
    let [start, end] = [format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->")];
    let (before, rest) = text.split_once(&start).expect("the page has the table's place");
    let (_, after) = rest.split_once(&end).expect("the table's place has an end");
    let (day, load) = (day.trim(), load.trim());
    let new =
        format!("{before}{start}{table}\nMeasured on {day} at a load of {load}.\n{end}{after}");
    std::fs::write(page, new).expect("the page can be written");
}

/// The state that steps count in.
#[state]
pub struct Tally {
    /// How many.
    pub count: u64,
}

/// A step that touches no state.
#[block(handler)]
pub async fn leaf(input: u64) -> Result<u64> {
    Ok(black_box(input) + 1)
}

/// A step that counts in its parent.
#[block(handler, parent = Tally)]
pub async fn bump(input: u64, ctx: Ctx) -> Result<u64> {
    ctx.parent.count.inc(1)?;
    Ok(black_box(input) + 1)
}

/// The result of the work written by hand.
pub type ByHand<T> = std::result::Result<T, String>;

/// [`Tally`], by hand.
#[derive(Debug, Default)]
pub struct Plain {
    /// How many.
    pub count: u64,
}

/// [`leaf`](struct@leaf), by hand.
///
/// # Errors
/// Never.
pub async fn plain_leaf(input: u64) -> ByHand<u64> {
    Ok(black_box(input) + 1)
}

/// [`bump`](struct@bump), by hand.
///
/// # Errors
/// The count overflows.
pub async fn plain_bump(input: u64, state: &Mutex<Plain>) -> ByHand<u64> {
    {
        let mut state = state.lock();
        state.count = state.count.checked_add(1).ok_or("overflow")?;
    }
    Ok(black_box(input) + 1)
}

/// The same tokens twenty times over.
#[macro_export]
macro_rules! twenty {
    ($($t:tt)*) => {
        $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)*
        $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)*
    };
}

/// Two sequencers, of one such call and of 21.
#[macro_export]
macro_rules! chains {
    ($one:ident $many:ident [$($option:tt)*]: $($t:tt)*) => {
        #[block(sequencer $($option)*)]
        pub(crate) fn $one(input: u64) -> u64 {
            input $($t)*
        }
        #[block(sequencer $($option)*)]
        pub(crate) fn $many(input: u64) -> u64 {
            input $($t)*
                $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)*
                $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)* $($t)*
        }
    };
}

/// Two async functions by hand, of one such line and of 21.
#[macro_export]
macro_rules! by_hand {
    ($one:ident $many:ident |$v:ident, $state:ident| $($t:tt)*) => {
        pub(crate) async fn $one($v: u64) -> $crate::ByHand<u64> {
            let $state = &std::sync::Arc::new(parking_lot::Mutex::new($crate::Plain::default()));
            $($t)*
            Ok($v)
        }
        pub(crate) async fn $many($v: u64) -> $crate::ByHand<u64> {
            let $state = &std::sync::Arc::new(parking_lot::Mutex::new($crate::Plain::default()));
            $($t)*
            $crate::twenty!($($t)*);
            Ok($v)
        }
    };
}
