use flowstate::prelude::*;

#[state]
pub struct Profile {
    pub notes: Vec<String>,
}

#[contract]
impl Profile {
    #[reducer]
    fn add_note(&mut self, note: String) {
        self.notes.push(note);
    }
}

#[block(handler, cacheable(ttl = "5m"), feeds = [Profile::add_note(|out: &String| out.clone())])]
async fn look_up(input: String) -> Result<String> {
    Ok(input)
}

fn main() {}
