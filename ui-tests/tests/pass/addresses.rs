use flowstate::prelude::*;

#[state]
pub struct Note {
    pub note: Option<String>,
}

#[state]
pub struct Tally {
    #[state(default = 3)]
    pub count: u32,
}

#[block(handler, parent = Note, sequencer = Tally, targets(outer = Tally))]
async fn child(input: u32, ctx: Ctx) -> Result<u32> {
    ctx.parent.note.set(Some("here".into()))?;
    ctx.sequencer.count.inc(1)?;
    Ok(input + ctx.targets.outer.count.get())
}

#[block(sequencer, state = Note)]
fn inner(input: u32) -> u32 {
    input.step(child)
}

#[block(sequencer, state = Tally)]
fn outer(input: u32) -> u32 {
    input.step(inner).step_if(|v| *v > 100, inner)
}

#[block(handler, parent = Option<Note>)]
async fn alone(input: &str, ctx: Ctx) -> Result<usize> {
    let note = ctx.parent.map_or(None, |parent| parent.note.get());
    Ok(input.len() + note.map_or(0, |note| note.len()))
}

flow! {
    #[flow(kind = "all")]
    pub struct All {
        pub outer: outer,
        pub alone: alone,
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let app = App::builder().flow(All).build()?;
    assert_eq!(app.request().call(All::outer, 1).await?, 5);
    assert_eq!(app.request().call(All::alone, "abc".to_string()).await?, 3);
    Ok(())
}
