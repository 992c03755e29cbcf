use flowstate::prelude::*;

mod skills {
    use flowstate::prelude::*;

    #[derive(Default)]
    struct Config {
        limit: u32,
    }

    #[capability(config = Config)]
    pub struct SkillBook;
}

#[block(handler, uses = [skills::SkillBook])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
