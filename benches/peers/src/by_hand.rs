//! Plain async functions over a `parking_lot` mutex.

use std::hint::black_box;
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use parking_lot::Mutex;

use crate::{AT_ONCE, Peer};

type Result<T> = std::result::Result<T, String>;

#[derive(Default)]
struct Tally {
    count: u64,
}

async fn bump(input: u64, state: &Mutex<Tally>) -> Result<u64> {
    {
        let mut state = state.lock();
        state.count = state.count.checked_add(1).ok_or("overflow")?;
    }
    Ok(black_box(input) + 1)
}

async fn bump_later(input: u64, state: &Mutex<Tally>) -> Result<u64> {
    {
        let mut state = state.lock();
        state.count = state.count.checked_add(1).ok_or("overflow")?;
    }
    tokio::task::yield_now().await;
    Ok(black_box(input) + 1)
}

async fn ten(v: u64) -> Result<(u64, u64)> {
    let state = Arc::new(Mutex::new(Tally::default()));
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let count = state.lock().count;
    Ok((v, count))
}

async fn ten_of_many(v: u64) -> Result<u64> {
    let state = Arc::new(Mutex::new(Tally::default()));
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump_later(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    let v = bump(v, &state).await?;
    bump(v, &state).await
}

async fn add(input: u64) -> Result<u64> {
    Ok(black_box(input) + 1)
}
async fn level_1(input: u64) -> Result<u64> {
    add(input).await
}
async fn level_2(input: u64) -> Result<u64> {
    level_1(input).await
}
async fn level_3(input: u64) -> Result<u64> {
    level_2(input).await
}
async fn level_4(input: u64) -> Result<u64> {
    level_3(input).await
}
async fn level_5(input: u64) -> Result<u64> {
    level_4(input).await
}

async fn double(input: u64) -> Result<u64> {
    Ok(black_box(input) * 2)
}

pub struct ByHand;

impl Peer for ByHand {
    const NAME: &'static str = "by hand";

    async fn chain(&self, input: u64) -> (u64, u64) {
        ten(input).await.unwrap()
    }

    async fn nested(&self, input: u64) -> u64 {
        level_5(input).await.unwrap()
    }

    async fn fan_out(&self, items: Vec<u64>) -> Vec<u64> {
        stream::iter(items).map(double).buffered(AT_ONCE).try_collect().await.unwrap()
    }

    async fn request(&self, input: u64) -> u64 {
        ten_of_many(input).await.unwrap()
    }
}
