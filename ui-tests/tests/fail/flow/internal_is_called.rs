use flowstate::prelude::*;

#[block(handler)]
async fn say(input: String) -> Result<String> {
    Ok(input)
}

flow! {
    pub struct Chat {
        pub say: say,
        #[internal]
        wake: say,
        #[task]
        pub work: say,
    }
}

fn main() {
    let app = App::builder().flow(Chat).build().unwrap();
    drop(app.request().call(Chat::wake, String::new()));
    drop(app.request().call(Chat::work, String::new()));
}
