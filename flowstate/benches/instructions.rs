//! Steps and the same by hand, so many times: what `.ci/instructions` counts the instructions of.
//!
//! `instructions WHAT ROUNDS`: each round is one run of 21 such steps, or of one.

mod steps;

use std::hint::black_box;

use steps::{
    both_1, both_21, far_1, far_21, parent_1, parent_21, plain_both_1, plain_both_21, plain_bump_1,
    plain_bump_21, written_1, written_21,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // cargo adds `--bench`
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let (what, rounds) = match &args[..] {
        [what, rounds] => (what.as_str(), rounds.parse().expect("ROUNDS is a number")),
        _ => {
            return println!(
                "for .ci/instructions: (step|written|far|pair|plain|plain-pair)-(long|short) ROUNDS"
            );
        }
    };
    for i in 0..rounds {
        let end = match what {
            "step-long" => flowstate::run(parent_21, i).await.ok(),
            "step-short" => flowstate::run(parent_1, i).await.ok(),
            "written-long" => flowstate::run(written_21, i).await.ok(),
            "written-short" => flowstate::run(written_1, i).await.ok(),
            "far-long" => flowstate::run(far_21, i).await.ok(),
            "far-short" => flowstate::run(far_1, i).await.ok(),
            "pair-long" => flowstate::run(both_21, i).await.ok(),
            "pair-short" => flowstate::run(both_1, i).await.ok(),
            "plain-long" => plain_bump_21(i).await.ok(),
            "plain-short" => plain_bump_1(i).await.ok(),
            "plain-pair-long" => plain_both_21(i).await.ok(),
            "plain-pair-short" => plain_both_1(i).await.ok(),
            _ => panic!("unknown: {what}"),
        };
        black_box(end).expect("no step fails");
    }
}
