//! By hand, as a small engine that knows no types: boxed functions, boxed futures, state by its type's id.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use parking_lot::Mutex;

use crate::{AT_ONCE, Peer};

type Result<T> = std::result::Result<T, String>;
type Value = Box<dyn Any + Send>;
type Done = Pin<Box<dyn Future<Output = Result<Value>> + Send>>;
type Step = Arc<dyn Fn(Value, Ctx) -> Done + Send + Sync>;

#[derive(Clone, Default)]
struct Ctx(Arc<Mutex<HashMap<TypeId, Box<dyn Any + Send>>>>);

impl Ctx {
    fn with<S: Default + Send + 'static, T>(&self, of: impl FnOnce(&mut S) -> T) -> T {
        let mut states = self.0.lock();
        let state = states.entry(TypeId::of::<S>()).or_insert_with(|| Box::new(S::default()));
        of(state.downcast_mut().expect("it is kept by its type"))
    }
}

#[derive(Default)]
struct Tally {
    count: u64,
}

fn step<F: Future<Output = Result<u64>> + Send + 'static>(
    function: impl Fn(u64, Ctx) -> F + Send + Sync + 'static,
) -> Step {
    Arc::new(move |value, ctx| {
        let value = value.downcast::<u64>().map(|value| function(*value, ctx));
        Box::pin(async move {
            let value = value.map_err(|_| "another type")?.await?;
            Ok(Box::new(value) as Value)
        })
    })
}

fn sequence(steps: Vec<Step>) -> Step {
    Arc::new(move |mut value, ctx| {
        let steps = steps.clone();
        Box::pin(async move {
            for step in steps {
                value = step(value, ctx.clone()).await?;
            }
            Ok(value)
        })
    })
}

async fn bump(input: u64, ctx: Ctx) -> Result<u64> {
    ctx.with(|state: &mut Tally| {
        state.count = state.count.checked_add(1).ok_or("overflow")?;
        Ok::<_, String>(())
    })?;
    Ok(black_box(input) + 1)
}

async fn bump_later(input: u64, ctx: Ctx) -> Result<u64> {
    let done = bump(input, ctx).await;
    tokio::task::yield_now().await;
    done
}

pub struct Erased {
    ten: Step,
    ten_of_many: Step,
    nested: Step,
    double: Step,
}

impl Erased {
    pub fn new() -> Self {
        let bumps = vec![step(bump); 10];
        let mut of_many = bumps.clone();
        of_many[4] = step(bump_later);
        let add = step(|input, _| async move { Ok(black_box(input) + 1) });
        Self {
            ten: sequence(bumps),
            ten_of_many: sequence(of_many),
            nested: (0..5).fold(add, |inner, _| sequence(vec![inner])),
            double: step(|input, _| async move { Ok(black_box(input) * 2) }),
        }
    }
}

async fn run(step: &Step, input: u64, ctx: &Ctx) -> Result<u64> {
    let value = step(Box::new(input), ctx.clone()).await?;
    value.downcast().map(|value| *value).map_err(|_| "another type".to_owned())
}

impl Peer for Erased {
    const NAME: &'static str = "by hand, erased";

    async fn chain(&self, input: u64) -> (u64, u64) {
        let ctx = Ctx::default();
        let value = run(&self.ten, input, &ctx).await.unwrap();
        (value, ctx.with(|state: &mut Tally| state.count))
    }

    async fn nested(&self, input: u64) -> u64 {
        run(&self.nested, input, &Ctx::default()).await.unwrap()
    }

    async fn fan_out(&self, items: Vec<u64>) -> Vec<u64> {
        let ctx = Ctx::default();
        let all = stream::iter(items).map(|item| run(&self.double, item, &ctx));
        all.buffered(AT_ONCE).try_collect().await.unwrap()
    }

    async fn request(&self, input: u64) -> u64 {
        run(&self.ten_of_many, input, &Ctx::default()).await.unwrap()
    }
}
