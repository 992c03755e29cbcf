use flowstate::prelude::*;

pub struct Chat;

fn main() {
    drop(App::builder().flow(Chat).build());
}
