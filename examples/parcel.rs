//! A sequencer as plain Rust: `ctx.step` runs a block, a helper runs some more, the rest is `if` and `for`.
use flowstate::prelude::*;

#[data]
pub struct Order {
    pub address: Option<String>,
    pub items: Vec<String>,
}

#[state]
pub struct Parcel {
    pub packed: Vec<String>,
    pub grams: u32,
}

/// Looks an item's weight up.
#[block(handler)]
async fn weigh(item: String) -> Result<u32> {
    item.len().try_into().map(|letters: u32| letters * 50).map_err(Error::from)
}

/// Puts one item into the parcel of the order that it is a step of.
#[block(handler, parent = Parcel)]
async fn pack((item, grams): (String, u32), ctx: Ctx) -> Result<()> {
    ctx.parent.update(|parcel| {
        parcel.packed.push(item);
        parcel.grams += grams;
    })?;
    Ok(())
}

/// A helper that runs steps takes the context of the sequencer that it helps.
async fn pack_all(items: Vec<String>, ctx: &Ctx<'_, ship>) -> Result<()> {
    for item in items {
        let grams = ctx.step(weigh, item.clone()).await?;
        ctx.step(pack, (item, grams)).await?;
    }
    Ok(())
}

/// A helper that only looks at state takes that state's handle, whichever block it belongs to.
fn postage(parcel: &Local<'_, Parcel>) -> u32 {
    if parcel.grams.get() > 500 { 7 } else { 4 }
}

/// The steps that only a helper runs are declared.
#[block(sequencer, state = Parcel, steps = [weigh, pack])]
async fn ship(order: Order, ctx: Ctx) -> Result<String> {
    let Some(address) = order.address else {
        return Err(Error::with_code("no_address", "the order says not where to"));
    };
    pack_all(order.items, &ctx).await?;
    let count = ctx.self_.packed.with(Vec::len);
    Ok(format!(
        "{count} items, {} g, to {address}, {} euros",
        ctx.self_.grams.get(),
        postage(&ctx.self_)
    ))
}

#[tokio::main]
async fn main() -> Result<()> {
    let items = vec!["teapot".to_string(), "tea".to_string()];
    let order = Order { address: Some("7 Harbour Road".into()), items };
    println!("{}", flowstate::run(ship, order.clone()).await?);
    let error = flowstate::run(ship, Order { address: None, ..order }).await.unwrap_err();
    println!("{} in {}: {error}", error.code(), error.path());
    Ok(())
}
