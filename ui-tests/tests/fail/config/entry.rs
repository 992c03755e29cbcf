use flowstate::prelude::*;

#[block(handler)]
async fn scale(input: u32, #[config] by: u32) -> Result<u32> {
    Ok(input * by)
}

flow! {
    pub struct Scales {
        pub scale: scale,
    }
}

fn main() {}
