use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use flowstate::prelude::*;

#[block(handler)]
async fn work(n: u64) -> Result<u64> {
    Ok(n)
}

struct Never(Rc<()>);

impl Future for Never {
    type Output = ();
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

#[block(sequencer)]
fn all(n: u64) -> u64 {
    n.step(work, abort_signal = |_| Never(Rc::new(())))
}

fn main() {}
