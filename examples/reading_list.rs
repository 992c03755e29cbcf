//! A flow with two actions: what a session keeps from one request to the next, and a service that the app provides.
use flowstate::prelude::*;

/// What a session keeps.
#[state]
pub struct Reading {
    pub titles: Vec<String>,
    #[state(default = 3)]
    pub most: usize,
}

/// What the app provides.
pub struct Catalogue(Vec<&'static str>);

/// Puts a book on the list, if there is such a book and room for it.
#[block(handler, session = Reading, needs = [Catalogue])]
async fn add_title(title: String, ctx: Ctx) -> Result<bool> {
    if !ctx.needs.catalogue.0.contains(&title.as_str()) {
        return Err(Error::with_code("unknown_title", format!("there is no book {title:?}")));
    }
    ctx.session
        .update(move |reading| {
            if reading.titles.len() < reading.most && !reading.titles.contains(&title) {
                reading.titles.push(title.clone());
            }
        })
        .await
}

/// The list as it stands.
#[block(handler, session = Reading)]
async fn titles(_: (), ctx: Ctx) -> Result<Vec<String>> {
    Ok(ctx.session.titles.get())
}

flow! {
    /// A list of books to read.
    #[flow(kind = "reading-list")]
    pub struct ReadingList {
        /// Adds a book; `false` where it is on the list, or the list is full.
        pub add: add_title,
        /// The books on the list.
        pub list: titles,
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let app =
        App::builder().provide(Catalogue(vec!["Emma", "Dracula"])).flow(ReadingList).build()?;
    let ada = || app.request().session("ada");
    println!("{}", ada().call(ReadingList::add, "Emma".to_string()).await?);
    println!("{}", ada().call(ReadingList::add, "Emma".to_string()).await?);
    println!("{:?}", ada().call(ReadingList::add, "Ema".to_string()).await);
    println!("{:?}", ada().call(ReadingList::list, ()).await?);
    println!("{:?}", app.request().session("bob").call(ReadingList::list, ()).await?);
    Ok(())
}
