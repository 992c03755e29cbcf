//! graph-flow: tasks of a graph that go on by `ContinueAndExecute`, in a session that nobody stores (its `FlowRunner` would
//! load and save one for each run besides). State is JSON under a key of the context.

use std::hint::black_box;
use std::sync::Arc;

use async_trait::async_trait;
use graph_flow::{Context, FanOutTask, Graph, GraphBuilder, NextAction, Session, Task, TaskResult};

use crate::Peer;

type Result<T> = graph_flow::Result<T>;

fn next(last: bool) -> Result<TaskResult> {
    let action = if last { NextAction::End } else { NextAction::ContinueAndExecute };
    Ok(TaskResult::new(None, action))
}

fn value(ctx: &Context, key: &str) -> u64 {
    ctx.get(key).unwrap_or_default()
}

/// Counts, and adds one to the value.
struct Bump {
    id: String,
    last: bool,
    yields: bool,
}

#[async_trait]
impl Task for Bump {
    fn id(&self) -> &str {
        &self.id
    }

    async fn run(&self, ctx: Context) -> Result<TaskResult> {
        ctx.set("count", value(&ctx, "count") + 1)?;
        if self.yields {
            tokio::task::yield_now().await;
        }
        ctx.set("value", black_box(value(&ctx, "value")) + 1)?;
        next(self.last)
    }
}

/// Adds one to the value.
struct Add;

#[async_trait]
impl Task for Add {
    fn id(&self) -> &str {
        "add"
    }

    async fn run(&self, ctx: Context) -> Result<TaskResult> {
        ctx.set("value", black_box(value(&ctx, "value")) + 1)?;
        next(true)
    }
}

/// A graph as a task of another, on the same context.
struct Inner {
    graph: Graph,
}

#[async_trait]
impl Task for Inner {
    fn id(&self) -> &str {
        "inner"
    }

    async fn run(&self, ctx: Context) -> Result<TaskResult> {
        let start = self.graph.start_task_id().expect("it has a task");
        let mut session = Session::new_from_task("inner".to_owned(), start);
        session.context = ctx;
        self.graph.execute_session(&mut session).await?;
        next(true)
    }
}

/// Doubles the item of its own number.
struct Double {
    id: String,
    item: u64,
}

#[async_trait]
impl Task for Double {
    fn id(&self) -> &str {
        &self.id
    }

    async fn run(&self, _: Context) -> Result<TaskResult> {
        let double = black_box(self.item) * 2;
        Ok(TaskResult::new(Some(double.to_string()), NextAction::End))
    }
}

fn ten(yields: bool) -> Graph {
    let id = |i: usize| format!("bump_{i}");
    let mut graph = GraphBuilder::new("ten");
    for i in 0..10 {
        let yields = yields && i == 4;
        graph = graph.add_task(Arc::new(Bump { id: id(i), last: i == 9, yields }));
    }
    for i in 0..9 {
        graph = graph.add_edge(id(i), id(i + 1));
    }
    graph.set_start_task(id(0)).build().expect("the graph is whole")
}

fn one(task: Arc<dyn Task>) -> Graph {
    let id = task.id().to_owned();
    GraphBuilder::new("one").add_task(task).set_start_task(id).build().expect("the graph is whole")
}

async fn run(graph: &Graph, input: u64) -> Context {
    let start = graph.start_task_id().expect("it has a task");
    let mut session = Session::new_from_task("session".to_owned(), start);
    session.context.set("value", input).unwrap();
    graph.execute_session(&mut session).await.unwrap();
    session.context
}

pub struct GraphFlow {
    ten: Graph,
    ten_of_many: Graph,
    nested: Graph,
}

impl GraphFlow {
    pub fn new() -> Self {
        let nested = (0..4).fold(one(Arc::new(Add)), |graph, _| one(Arc::new(Inner { graph })));
        Self { ten: ten(false), ten_of_many: ten(true), nested }
    }
}

impl Peer for GraphFlow {
    const NAME: &'static str = "graph-flow";

    async fn chain(&self, input: u64) -> (u64, u64) {
        let ctx = run(&self.ten, input).await;
        (value(&ctx, "value"), value(&ctx, "count"))
    }

    async fn nested(&self, input: u64) -> u64 {
        value(&run(&self.nested, input).await, "value")
    }

    /// Its `FanOutTask` runs a fixed list of tasks, all at once: it knows no limit.
    async fn fan_out(&self, items: Vec<u64>) -> Vec<u64> {
        let id = |item: u64| format!("double_{item}");
        let tasks = items.iter().map(|&item| Arc::new(Double { id: id(item), item }) as Arc<dyn Task>);
        let fan = FanOutTask::new("fan", tasks.collect()).with_prefix("done");
        let ctx = Context::new();
        fan.run(ctx.clone()).await.unwrap();
        let output = |item| ctx.get::<String>(&format!("done.{}.response", id(item)));
        items.iter().map(|&item| output(item).unwrap().parse().unwrap()).collect()
    }

    async fn request(&self, input: u64) -> u64 {
        value(&run(&self.ten_of_many, input).await, "value")
    }
}
