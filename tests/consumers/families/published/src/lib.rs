//! A capability and a family of blocks, as a crate publishes them: by what is public alone.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use flowstate::prelude::*;

/// What a wallet holds while a block runs.
#[state]
pub struct Wallet {
    /// In cents.
    #[state(default = 100)]
    pub cents: u64,
}

/// What a session has spent.
#[state(key = "published::Spending")]
pub struct Spending {
    /// In cents.
    pub spent: u64,
}

/// How a wallet pays.
#[data]
#[derive(Default)]
pub struct Prices {
    /// What is added to each price, in cents.
    pub fee: u64,
    /// Whose wallet it is.
    pub owner: String,
}

impl Prices {
    fn abroad(&mut self) {
        self.fee += 25;
    }
}

/// Pays, and remembers in the session what was spent.
#[capability(
    state = Wallet, session = Spending, config = Prices, presets(abroad = off(Prices::abroad)), required = [owner], name = "purse"
)]
#[derive(Debug)]
pub struct Purse;

#[capability]
impl Purse {
    /// Pays a price, in cents; what is left.
    ///
    /// # Errors
    /// `too_poor` where the wallet does not hold that much.
    pub async fn pay(ctx: &Ctx, cents: u64) -> Result<u64> {
        let price = Self::price(ctx, cents);
        if ctx.self_.cents.get() < price {
            return Err(Error::with_code("too_poor", format!("{} cannot pay {price}", ctx.config.owner)));
        }
        ctx.self_.cents.dec(price)?;
        ctx.session.spent.inc(price).await?;
        Ok(ctx.self_.cents.get())
    }

    fn price(ctx: &Ctx, cents: u64) -> u64 {
        cents + ctx.config.fee
    }
}

/// Counts the attempts of a block.
#[state]
pub struct Attempts {
    /// All of them.
    pub attempts: u32,
}

/// Blocks that talk to a bank: slow, and tried again.
#[capability(request = Attempts, timeout = "10s", retry(max = 3, base = "1s"), visibility(history))]
#[derive(Debug)]
pub struct Banking;

#[capability]
impl Banking {
    /// Says that an attempt has begun; how many there were.
    ///
    /// # Errors
    /// Those of a write.
    pub fn begin(ctx: &Ctx) -> Result<u32> {
        ctx.request.attempts.inc(1)?;
        Ok(ctx.request.attempts.get())
    }
}

/// Puts something in the wallet.
#[block(handler, parent = Wallet)]
async fn earn(cents: u64, ctx: Ctx) -> Result<u64> {
    ctx.parent.cents.inc(cents)?;
    Ok(ctx.parent.cents.get())
}

/// Looks up a price at a shop.
#[block(handler)]
async fn price(item: String, #[config] shop: String) -> Result<String> {
    Ok(format!("{item} at {shop}"))
}

/// Asks the owner.
#[block(handler)]
async fn ask_owner(question: String) -> Result<String> {
    Ok(format!("{question} Yes."))
}

/// Where a [`Cashier`] looks.
#[derive(Debug, Default)]
pub struct Shop {
    /// Its name.
    pub shop: String,
    /// Whether nothing can be earned.
    pub closed: bool,
    /// The model, where it is not `intent/chat`.
    pub model: Option<String>,
}

/// What a generator needs to handle a wallet: tools, among them one to ask its owner, what is in it, and a model.
#[capability(
    state = Wallet, config = Shop, tools = [earn, look_up = price(config.shop.clone())], control_tools = [ask_owner],
    offered = Self::offered, context(wallet = Self::shown), model = Self::model,
)]
#[derive(Debug)]
pub struct Cashier;

#[capability]
impl Cashier {
    fn offered(ctx: &Ctx) -> Vec<CashierTool> {
        let mut all = vec![CashierTool::LookUp, CashierTool::AskOwner];
        if !ctx.config.closed {
            all.push(CashierTool::Earn);
        }
        all
    }

    fn shown(ctx: &Ctx) -> String {
        format!("{} cents", ctx.self_.cents.get())
    }

    fn model(ctx: &Ctx) -> String {
        ctx.config.model.clone().unwrap_or_else(|| "intent/chat".to_owned())
    }
}
