//! Runs the library.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, clippy::pedantic)]

#[tokio::main]
async fn main() -> flowstate::Result<()> {
    strict::all().await?;
    println!("all as it should be");
    Ok(())
}
