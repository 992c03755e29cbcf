use flowstate::prelude::*;

mod skills {
    use flowstate::prelude::*;

    #[capability]
    struct Below;

    #[capability(uses = [Below])]
    pub struct SkillBook;
}

#[block(handler, uses = [skills::SkillBook])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
