//! What is asked of types for the sake of messages does not keep them from being inferred.
use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input + 1)
}

#[block(handler)]
fn lengths(input: &[String]) -> std::result::Result<Vec<u32>, std::num::TryFromIntError> {
    input.iter().map(|text| u32::try_from(text.len())).collect()
}

fn half(v: u32) -> u32 {
    v / 2
}

#[block(sequencer)]
fn pipeline(input: Vec<String>) -> u64 {
    input
        .step(lengths)
        .for_each(one)
        .map(|all| all.into_iter().sum())
        .step(one)
        .map(half)
        .step_if(|v| *v > 1, one)
        .loop_back(one, when = |v| *v < 10, max_iterations = 20)
        .map(|v| v.into())
}

// the same, made by a macro: names at a user's place are found there
macro_rules! sequencer {
    ($name:ident, $step:path, $ty:ty) => {
        #[block(sequencer)]
        fn $name(input: $ty) -> $ty {
            input.step($step).map(|v| v + 1).loop_back($step, max_iterations = 2)
        }
    };
}
sequencer!(made, one, u32);

#[block(sequencer)]
async fn by_hand(input: u32, ctx: Ctx) -> Result<u32> {
    let (a, b) = tokio::try_join!(ctx.step(one, input), ctx.step(made, 1))?;
    ctx.step(one, a + b).await
}

#[tokio::main]
async fn main() -> Result<()> {
    let words = vec!["a".to_string(), "bcd".to_string()];
    assert_eq!(flowstate::run(pipeline, words).await?, 10);
    assert_eq!(flowstate::run(made, 1).await?, 7);
    assert_eq!(flowstate::run(by_hand, 1).await?, 10);
    Ok(())
}
