//! Support tickets, one after another; the shift keeps a running note of the urgent ones.
use flowstate::prelude::*;

/// What one shift remembers.
#[state]
pub struct Shift {
    pub urgent: Vec<String>,
}

/// Sorts one ticket, and writes an urgent one into the note of the shift it runs in.
#[block(handler, parent = Shift)]
async fn triage(ticket: String, ctx: Ctx) -> Result<String> {
    if ticket.contains("down") {
        ctx.parent.urgent.push(ticket.clone())?;
    }
    Ok(format!("{ticket} (urgent so far: {})", ctx.parent.urgent.get().len()))
}

#[block(sequencer, state = Shift)]
fn morning(tickets: Vec<String>) -> Vec<String> {
    tickets.for_each(triage, max_concurrency = 1)
}

#[tokio::main]
async fn main() -> Result<()> {
    let tickets = ["checkout is down", "typo on page 3", "mail is down"].map(String::from);
    println!("{:#?}", flowstate::run(morning, tickets.to_vec()).await?);
    Ok(())
}
