use flowstate::prelude::*;

mod skills {
    use flowstate::prelude::*;

    #[state]
    struct Skills {
        active: Vec<String>,
    }

    #[capability(state = Skills)]
    pub struct SkillBook;
}

#[block(handler, uses = [skills::SkillBook])]
async fn work(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
