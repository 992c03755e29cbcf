use flowstate::prelude::*;

flow! {
    #[flow(kind = "chat")]
    pub enum Chat {
        One,
    }
}

fn main() {
    drop(App::builder().flow(Chat).build());
}
