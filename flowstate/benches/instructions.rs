//! A step and the same by hand, so many times: what `.ci/instructions` counts the instructions of.
//!
//! `instructions WHAT ROUNDS`: each round is one run of steps that bump their parent's counter, 21 or one.

use std::hint::black_box;

use flowstate::prelude::*;
use flowstate_benches::{Tally, bump, by_hand, chains, plain_bump};

chains! { short long [, state = Tally]: .step(bump) }
by_hand! { plain_short plain_long |v, state| let v = plain_bump(v, state).await?; }

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // cargo adds `--bench`
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let (what, rounds) = match &args[..] {
        [what, rounds] => (what.as_str(), rounds.parse().expect("ROUNDS is a number")),
        _ => {
            return println!(
                "for .ci/instructions: ours-long|ours-short|floor-long|floor-short ROUNDS"
            );
        }
    };
    for i in 0..rounds {
        let end = match what {
            "ours-long" => flowstate::run(long, i).await.ok(),
            "ours-short" => flowstate::run(short, i).await.ok(),
            "floor-long" => plain_long(i).await.ok(),
            "floor-short" => plain_short(i).await.ok(),
            _ => panic!("unknown: {what}"),
        };
        black_box(end).expect("no step fails");
    }
}
