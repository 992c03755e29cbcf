//! flowstate.

use std::hint::black_box;

use flowstate::prelude::*;

use crate::Peer;

#[state]
pub struct Tally {
    pub count: u64,
}

#[block(handler, parent = Tally)]
async fn bump(input: u64, ctx: Ctx) -> Result<u64> {
    ctx.parent.count.inc(1)?;
    Ok(black_box(input) + 1)
}

#[block(handler, parent = Tally)]
async fn bump_later(input: u64, ctx: Ctx) -> Result<u64> {
    ctx.parent.count.inc(1)?;
    tokio::task::yield_now().await;
    Ok(black_box(input) + 1)
}

#[block(sequencer, state = Tally)]
fn ten(input: u64) -> (u64, u64) {
    input
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .map(|v, ctx| (v, ctx.self_.count.get()))
}

#[block(sequencer, state = Tally)]
fn ten_of_many(input: u64) -> u64 {
    input
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump_later)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
        .step(bump)
}

#[block(handler)]
async fn add(input: u64) -> Result<u64> {
    Ok(black_box(input) + 1)
}

#[block(sequencer)]
fn level_1(input: u64) -> u64 {
    input.step(add)
}
#[block(sequencer)]
fn level_2(input: u64) -> u64 {
    input.step(level_1)
}
#[block(sequencer)]
fn level_3(input: u64) -> u64 {
    input.step(level_2)
}
#[block(sequencer)]
fn level_4(input: u64) -> u64 {
    input.step(level_3)
}
#[block(sequencer)]
fn level_5(input: u64) -> u64 {
    input.step(level_4)
}

#[block(handler)]
async fn double(input: u64) -> Result<u64> {
    Ok(black_box(input) * 2)
}

#[block(sequencer)]
fn each(input: Vec<u64>) -> Vec<u64> {
    input.for_each(double, max_concurrency = crate::AT_ONCE)
}

pub struct Ours;

impl Peer for Ours {
    const NAME: &'static str = "flowstate";

    async fn chain(&self, input: u64) -> (u64, u64) {
        flowstate::run(ten, input).await.unwrap()
    }

    async fn nested(&self, input: u64) -> u64 {
        flowstate::run(level_5, input).await.unwrap()
    }

    async fn fan_out(&self, items: Vec<u64>) -> Vec<u64> {
        flowstate::run(each, items).await.unwrap()
    }

    async fn request(&self, input: u64) -> u64 {
        flowstate::run(ten_of_many, input).await.unwrap()
    }
}
