//! Actions by their names, with JSON in and out: what does not fit is refused, by its field.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use flowstate::error::ValidationError;
use flowstate::item::Outcome;
use flowstate::prelude::*;
use serde_json::{Value, json};

#[data]
struct Item {
    name: String,
    price: u32,
}

#[data]
struct Order {
    items: Vec<Item>,
    note: Option<String>,
}

#[derive(Default, Clone)]
struct Ran(Arc<AtomicU32>);

#[state]
struct Sales {
    total: u32,
}

#[block(handler, session = Sales, needs = [Ran])]
async fn place_order(order: Order, ctx: Ctx) -> Result<u32> {
    ctx.needs.ran.0.fetch_add(1, Ordering::Relaxed);
    if order.note.is_some() {
        return Err(Error::with_code("no_notes", "no notes"));
    }
    ctx.session.total.inc(order.items.iter().map(|item| item.price).sum()).await?;
    Ok(ctx.session.total.get())
}

#[block(handler)]
async fn by_point(_: ()) -> Result<Vec<BTreeMap<(u32, u32), u32>>> {
    Ok(vec![BTreeMap::new(), BTreeMap::from([((1, 2), 3)])])
}

#[block(handler, needs = [Shop])]
async fn forward(input: Value, ctx: Ctx) -> Result<Value> {
    ctx.needs.shop.0.request().call_named("orders", "place", input).await
}

struct Shop(App);

#[block(handler)]
async fn where_wrong(failure: Rescued) -> Result<Value> {
    Ok(failure.downcast_ref::<ValidationError>().unwrap().path().into())
}

#[block(sequencer)]
fn lenient(input: Value) -> Value {
    input.step(forward.rescue::<ValidationError>(where_wrong))
}

flow! {
    pub(crate) struct Orders {
        pub place: place_order,
        pub points: by_point,
    }
}

flow! {
    #[flow(kind = "front")]
    pub(crate) struct Front {
        pub lenient: lenient,
    }
}

fn shop(ran: &Ran) -> App {
    App::builder().provide(ran.clone()).flow(Orders).build().unwrap()
}

fn one(price: impl Into<Value>) -> Value {
    json!({ "items": [{ "name": "tea", "price": price.into() }] })
}

#[tokio::test]
async fn an_action_runs_by_its_name_in_its_session() {
    let app = shop(&Ran::default());
    let call = |input| app.request().session("s").call_named("orders", "place", input);
    assert_eq!(call(one(4)).await.unwrap(), 4);
    assert_eq!(call(one(3)).await.unwrap(), 7);
    let typed = app.request().session("s").call(Orders::place, Order { items: vec![], note: None });
    assert_eq!(typed.await.unwrap(), 7);
}

#[tokio::test]
async fn an_input_that_does_not_fit_names_its_field_and_nothing_runs() {
    let ran = Ran::default();
    let app = shop(&ran);
    let call = |input| app.request().call_named("orders", "place", input);
    let mut order = one(1);
    order["items"]
        .as_array_mut()
        .unwrap()
        .extend([json!({ "name": "cup", "price": 2 }), json!({ "name": "pot", "price": "ten" })]);
    let error = call(order).await.unwrap_err();
    assert_eq!(
        (error.code(), error.retryable(), error.path(), error.block()),
        ("validation_error", false, "place_order", Some("place_order"))
    );
    let wrong = error.downcast_ref::<ValidationError>().unwrap();
    assert_eq!(
        (wrong.path(), wrong.message()),
        ("items[2].price", "invalid type: string \"ten\", expected u32")
    );
    assert_eq!(
        error.to_string(),
        "the input of `orders.place` (block `place_order`) does not fit: \
         `items[2].price`: invalid type: string \"ten\", expected u32"
    );

    for (input, path, message) in [
        (one(-1), "items[0].price", "invalid value: integer `-1`, expected u32"),
        (json!({ "items": [{ "name": "tea" }] }), "items[0]", "missing field `price`"),
        (json!("tea"), "", "invalid type: string \"tea\", expected struct Order"),
    ] {
        let error = call(input).await.unwrap_err();
        let wrong = error.downcast_ref::<ValidationError>().unwrap();
        assert_eq!((wrong.path(), wrong.message()), (path, message));
    }
    assert_eq!(ran.0.load(Ordering::Relaxed), 0, "the block did not run");
}

#[tokio::test]
async fn an_output_that_is_no_json_names_its_field() {
    let error = shop(&Ran::default()).request().call_named("orders", "points", Value::Null).await;
    let error = error.unwrap_err();
    let wrong = error.downcast_ref::<ValidationError>().unwrap();
    assert_eq!((error.code(), wrong.path()), ("validation_error", "[1]"));
    assert_eq!(
        error.to_string(),
        "the output of `orders.points` (block `by_point`) does not fit: `[1]`: key must be a string"
    );
}

#[tokio::test]
async fn a_request_whose_output_is_no_json_has_failed() {
    let app = shop(&Ran::default());
    let request = || app.request().session("s");
    request().call_named("orders", "points", Value::Null).await.unwrap_err();
    let run = request().start_named("orders", "points", Value::Null).await.unwrap();
    assert_eq!(run.output().await.unwrap_err().code(), "validation_error");
    // who wants no JSON has an output
    request().call(Orders::points, ()).await.unwrap();
    let ended = app.sessions().get("s").await.unwrap().requests().await.unwrap();
    let failed = |outcome: &Option<Outcome>| match outcome {
        Some(Outcome::Failed { code, .. }) => Some(code.clone()),
        _ => None,
    };
    let failed: Vec<_> = ended.iter().map(|one| failed(&one.outcome)).collect();
    let code = Some("validation_error".to_owned());
    assert_eq!(failed, [code.clone(), code, None]);
}

#[tokio::test]
async fn the_blocks_own_failure_is_its_own() {
    let mut order = one(1);
    order["note"] = "hurry".into();
    let error = shop(&Ran::default()).request().call_named("orders", "place", order).await;
    assert_eq!(error.unwrap_err().code(), "no_notes");
}

#[tokio::test]
async fn unknown_names_are_told_with_those_that_there_are() {
    let app = shop(&Ran::default());
    let call = |flow, action| app.request().call_named(flow, action, Value::Null);
    let error = call("order", "place").await.unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("unknown_flow", "the app has no flow `order`; it has `orders`")
    );
    let error = call("orders", "plaec").await.unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("unknown_action", "the flow `orders` has no action `plaec`; it has `place`, `points`")
    );
    let error = App::default().request().call_named("orders", "place", Value::Null).await;
    assert_eq!(error.unwrap_err().to_string(), "the app has no flow `orders`; it has none");
}

#[tokio::test]
async fn what_does_not_fit_can_be_rescued_by_its_type() {
    let ran = Ran::default();
    let app = App::builder().provide(Shop(shop(&ran))).flow(Front).build().unwrap();
    let call = |input| app.request().call_named("front", "lenient", input);
    assert_eq!(call(one(5)).await.unwrap(), 5);
    assert_eq!(call(one("five")).await.unwrap(), "items[0].price");
    assert_eq!(ran.0.load(Ordering::Relaxed), 1);
}
