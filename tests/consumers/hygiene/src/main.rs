//! Macros at all sorts of places, beside all sorts of names.
#![deny(warnings, unused)]
#![allow(dead_code)]

mod attributes;
mod capabilities;
mod cfg;
mod contracts;
mod made;
mod names;
mod shadowed;
mod visible;

#[tokio::main]
async fn main() -> flowstate::Result<()> {
    attributes::check().await?;
    capabilities::check().await?;
    cfg::check().await?;
    contracts::check().await?;
    made::check().await?;
    names::check().await?;
    shadowed::check().await;
    visible::check().await?;
    println!("all as it should be");
    Ok(())
}
