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

    #[reader]
    fn assistant(&self) -> String {
        self.notes.join(" ")
    }

    #[reader]
    fn researcher(&self) -> String {
        self.notes.len().to_string()
    }
}

mod old {
    use flowstate::prelude::*;

    #[state]
    pub struct Profile {
        pub age: u32,
    }

    #[contract]
    impl Profile {
        #[reducer]
        fn grow(&mut self) {
            self.age += 1;
        }
    }
}

#[block(handler, writes = [Profile, old::Profile])]
async fn one(note: String, ctx: Ctx) -> Result<bool> {
    ctx.writes.profile.add_note(note).await
}

fn main() {}
