//! The same work in flowstate, by hand, by hand with erased types, and in graph-flow: nanoseconds a piece, a line each.
//!
//! The pieces: a step of ten that count in typed state (`chain`); five sequencers in one another (`nested`); an item of 10,000
//! at 64 at once (`fan-out`); a request of 1,000 at once, ten steps each, the fifth of which lets the others go first
//! (`requests`). All on one thread. Rounds alternate and the fastest counts.

mod by_hand;
mod erased;
mod graph;
mod ours;

use std::time::Instant;

const ITEMS: u64 = 10_000;
const AT_ONCE: usize = 64;
const REQUESTS: u64 = 1_000;

/// One way to do the work. Each returns what it has computed, so that nobody computes less.
trait Peer {
    const NAME: &'static str;
    /// Ten steps; each adds one to the input and one to a counter. Returns the input's end and the counter.
    async fn chain(&self, input: u64) -> (u64, u64);
    /// A step that adds one, in five levels of sequencers.
    async fn nested(&self, input: u64) -> u64;
    /// Doubles each item.
    async fn fan_out(&self, items: Vec<u64>) -> Vec<u64>;
    /// As `chain`, but the fifth step yields.
    async fn request(&self, input: u64) -> u64;
}

const WORKS: [&str; 4] = ["chain", "nested", "fan-out", "requests"];

/// Nanoseconds a piece of one round.
async fn round<P: Peer>(peer: &P, work: &str) -> f64 {
    let start = Instant::now();
    let pieces = match work {
        "chain" => {
            for i in 0..100 {
                assert_eq!(peer.chain(i).await, (i + 10, 10));
            }
            1_000
        }
        "nested" => {
            for i in 0..100 {
                assert_eq!(peer.nested(i).await, i + 1);
            }
            100
        }
        "fan-out" => {
            let done = peer.fan_out((0..ITEMS).collect()).await;
            assert!(done.len() as u64 == ITEMS && done[9_999] == 19_998);
            ITEMS
        }
        _ => {
            let all = (0..REQUESTS).map(|i| peer.request(i));
            let done = futures_util::future::join_all(all).await;
            assert_eq!(done.len() as u64, REQUESTS);
            REQUESTS
        }
    };
    start.elapsed().as_nanos() as f64 / pieces as f64
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime starts").block_on(async {
        let (ours, by_hand) = (ours::Ours, by_hand::ByHand);
        let (erased, graph) = (erased::Erased::new(), graph::GraphFlow::new());
        for work in WORKS {
            let mut least = [f64::MAX; 4];
            for i in 0..52 {
                let now = [
                    round(&ours, work).await,
                    round(&by_hand, work).await,
                    round(&erased, work).await,
                    round(&graph, work).await,
                ];
                // the first two warm up
                if i >= 2 {
                    for (least, now) in least.iter_mut().zip(now) {
                        *least = least.min(now);
                    }
                }
            }
            let names = [ours::Ours::NAME, by_hand::ByHand::NAME, erased::Erased::NAME, graph::GraphFlow::NAME];
            for (name, ns) in names.iter().zip(least) {
                println!("{name}\t{work}\t{ns:.1}");
            }
        }
    });
}
