use flowstate::prelude::*;

pub struct Order;

#[block(handler)]
async fn broken(input: Order) -> Result<u32> {
    Ok(1)
}

#[block(handler)]
async fn order(input: u32) -> Result<u32> {
    Ok(1)
}

#[block(sequencer)]
fn pipeline(input: u32) -> u32 {
    input.step(order).map(|_| Order).step(broken)
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub broken: broken,
    }
}

fn main() {
    drop(flowstate::run(broken, Order));
}
