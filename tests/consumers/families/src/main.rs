//! Two families of three blocks, one of them from another crate, and its capability.
#![deny(warnings)]

use std::time::Duration;

use flowstate::prelude::*;
use flowstate::item::Visibility;
use flowstate::model::{Reply, ScriptedModel};
use published::{Banking, Cashier, CashierTool, Purse, Wallet};
use tokio::time::{Instant, sleep};

/// The bank's blocks.
mod bank {
    use super::*;

    /// Works at the third attempt.
    #[block(handler, uses = [Banking])]
    pub async fn open(name: String, ctx: Ctx) -> Result<String> {
        match ctx.cap.banking.begin()? {
            3 => Ok(format!("account of {name}")),
            n => Err(Error::msg(format!("attempt {n}"))),
        }
    }

    /// Takes longer than the family may.
    #[block(handler, uses = [Banking], retry(max = 1))]
    pub async fn check(seconds: u64, ctx: Ctx) -> Result<u32> {
        ctx.cap.banking.begin()?;
        sleep(Duration::from_secs(seconds)).await;
        Ok(ctx.request.attempts.get())
    }

    /// May take longer, and uses the purse as well.
    #[block(handler, uses = [Banking, Purse.with(owner = "ann".to_string())], timeout = "1m", visibility(client))]
    pub async fn transfer(cents: u64, ctx: Ctx) -> Result<u64> {
        ctx.cap.banking.begin()?;
        sleep(Duration::from_secs(30)).await;
        ctx.cap.purse.pay(cents).await
    }
}

/// The shop's blocks share a wallet's setup and are tried once, quickly.
mod shop {
    use super::*;

    #[state]
    pub struct Receipt {
        pub lines: Vec<String>,
    }

    #[capability(state = Receipt, uses = [Purse.with(abroad = true, owner = "bob".to_string())], timeout = "1s")]
    pub struct Shopping;

    #[capability]
    impl Shopping {
        pub(super) async fn buy(ctx: &Ctx, item: &str, cents: u64) -> Result<u64> {
            let left = ctx.cap.purse.pay(cents).await?;
            ctx.self_.lines.push(format!("{item} {cents}"))?;
            Ok(left)
        }
    }

    #[block(handler, uses = [Shopping])]
    pub async fn tea(_: (), ctx: Ctx) -> Result<(u64, Vec<String>)> {
        Ok((ctx.cap.shopping.buy("tea", 10).await?, ctx.self_.lines.get()))
    }

    #[block(handler, uses = [Shopping])]
    pub async fn bicycle(_: (), ctx: Ctx) -> Result<u64> {
        ctx.cap.shopping.buy("bicycle", 20_000).await
    }

    #[block(handler, uses = [Shopping])]
    pub async fn queue(_: (), _: Ctx) -> Result<u64> {
        sleep(Duration::from_secs(5)).await;
        Ok(1)
    }

    /// Holds the wallet that `Shopping` brings by another capability, so a step may read it.
    #[block(sequencer, uses = [Shopping])]
    pub fn visit(start: ()) -> u64 {
        start.tap(async |(), ctx| ctx.cap.shopping.buy("bread", 5).await.map(|_| ())).step(left)
    }

    #[block(handler, parent = Wallet)]
    async fn left(_: (), ctx: Ctx) -> Result<u64> {
        Ok(ctx.parent.cents.get())
    }
}

/// Asks a model, with what the crate has published for that.
#[block(generator, uses = [Cashier.with(shop = "corner".to_string())])]
async fn cashier(_: String) -> Result<Prompt> {
    Ok(Prompt::system("Handle the money."))
}

/// The same, where nothing can be earned, with the wallet of its own.
#[block(generator, state = Wallet, uses = [Cashier.with(closed = true, model = Some("other".to_string()))])]
async fn closed(_: String, ctx: Ctx) -> Result<Prompt> {
    ctx.self_.cents.set(1)?;
    Ok(Prompt::system("").tools([CashierTool::Earn]))
}

/// What a crate has as tools of a capability is checked here: the wallet is there, so it compiles.
async fn generators() -> Result<()> {
    let script = [Reply::tools([("earn", 5.into()), ("look_up", "tea".into())]), Reply::text("Done.")];
    let model = ScriptedModel::new(script);
    let other = ScriptedModel::new([Reply::text("Nothing.")]);
    let app = App::builder().model_as("intent/chat", model.clone()).model_as("other", other.clone()).build()?;
    assert_eq!(app.run(cashier, String::new()).await?, "Done.");
    let step = &model.requests()[1];
    assert_eq!(step.system(), "Handle the money.\n\n<wallet>\n  105 cents\n</wallet>");
    assert_eq!(step.messages().last().map(|message| message.text()), Some("tea at corner"));
    assert_eq!(app.run(closed, String::new()).await?, "Nothing.");
    let told: Vec<_> = other.requests()[0].tools().iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(told, ["ask_owner"]);
    Ok(())
}

flow! {
    #[flow(kind = "town")]
    struct Town {
        open: bank::open,
        check: bank::check,
        transfer: bank::transfer,
        tea: shop::tea,
        bicycle: shop::bicycle,
        queue: shop::queue,
        visit: shop::visit,
        spent: spent,
    }
}

#[block(handler, session = published::Spending)]
async fn spent(_: (), ctx: Ctx) -> Result<u64> {
    Ok(ctx.session.spent.get())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    tokio::time::pause();
    let app = App::builder().flow(Town).build()?;
    let request = || app.request().session("s");

    // a family's retry and timeout, and those of a block of its own
    let begin = Instant::now();
    assert_eq!(request().call(Town::open, "ann".into()).await?, "account of ann");
    assert_eq!(begin.elapsed().as_secs(), 1 + 2);
    assert_eq!(request().call(Town::check, 9).await?, 1);
    let late = request().call(Town::check, 11).await.unwrap_err();
    assert_eq!((late.code(), late.block()), ("timeout", Some("check")));
    assert_eq!(request().call(Town::transfer, 40).await?, 60);
    assert_eq!(request().call(Town::queue, ()).await.unwrap_err().code(), "timeout");

    // what is shown of them
    assert_eq!(<bank::open as Block>::HEAD.visibility, Some(Visibility::new(false, true)));
    assert_eq!(<bank::transfer as Block>::HEAD.visibility, Some(Visibility::new(true, false)));
    assert_eq!(<shop::tea as Block>::HEAD.visibility, None);

    // state, functions and configuration, each block with a wallet of its own
    assert_eq!(request().call(Town::tea, ()).await?, (65, vec!["tea 10".to_string()]));
    assert_eq!(request().call(Town::tea, ()).await?.0, 65);
    assert_eq!(request().call(Town::visit, ()).await?, 70);
    let poor = request().call(Town::bicycle, ()).await.unwrap_err();
    assert_eq!((poor.code(), poor.block()), ("too_poor", Some("bicycle")));
    assert!(poor.to_string().contains("bob cannot pay 20025"), "{poor}");
    assert_eq!(request().call(Town::spent, ()).await?, 40 + 35 + 35 + 30);
    assert_eq!(app.request().session("other").call(Town::spent, ()).await?, 0);

    generators().await?;
    println!("all as it should be");
    Ok(())
}
