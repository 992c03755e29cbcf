use flowstate::prelude::*;

#[state]
pub struct Account {
    pub visits: u32,
}

fn shown(name: &String) -> String {
    name.clone()
}

#[block(handler, session = Account)]
async fn visit(_: (), ctx: Ctx) -> Result<bool> {
    ctx.session.visits.inc(1).await
}

flow! {
    #[flow(client(session = Account { visits, name: shown }))]
    pub struct Door {
        pub visit: visit,
    }
}

fn main() {}
