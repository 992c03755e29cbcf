use flowstate::prelude::*;

#[block(handler)]
async fn one(input: u32) -> Result<u32> {
    Ok(input)
}

flow! {
    #[flow(kind = "chat")]
    pub struct Chat {
        pub one: one,
    }
}

fn main() {
    let app = App::builder().flow(Chat).build().unwrap();
    drop(app.request().call(Chat::one, "text"));
}
