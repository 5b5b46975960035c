//! MutexV2, MutexLock, ConsumeMutexLock: one step, or one part of a step, at a time.

use ferroflow_graph::{Bell, Op, Pending, Registry, Unnamed, kernel, resource_kernel, shape_rules};
use ferroflow_sync::Mutex;
use ferroflow_tensor::{DType, Object, Result, Shape, Tensor, ensure};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// A place in the line of those that wait for a lock.
struct Ticket {
    number: u64,
    bell: Arc<Bell>,
}

#[derive(Default)]
struct State {
    /// The number of the holder; `None` while nobody holds the lock.
    holder: Option<u64>,
    waiting: VecDeque<Ticket>,
    issued: u64,
}

/// A lock between the nodes of a session's steps, handed over in the order of requests.
#[derive(Default)]
struct Turns(Mutex<State>);

impl Turns {
    /// Takes the next place in the line; the bell rings when its turn comes.
    fn request(&self, bell: Arc<Bell>) -> u64 {
        let mut state = self.0.lock();
        state.issued += 1;
        let number = state.issued;
        match state.holder {
            None => state.holder = Some(number),
            Some(_) => state.waiting.push_back(Ticket { number, bell }),
        }
        number
    }

    fn holds(&self, number: u64) -> bool {
        self.0.lock().holder == Some(number)
    }

    /// Gives the lock back, or leaves the line.
    fn leave(&self, number: u64) {
        let next = {
            let mut state = self.0.lock();
            if state.holder != Some(number) {
                state.waiting.retain(|ticket| ticket.number != number);
                return;
            }
            let next = state.waiting.pop_front();
            state.holder = next.as_ref().map(|ticket| ticket.number);
            next
        };
        if let Some(ticket) = next {
            ticket.bell.ring();
        }
    }
}

/// A place in the line, or the lock itself; it is given back when the last tensor that holds this is dropped.
struct Turn {
    turns: Arc<Turns>,
    number: u64,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.leave(self.number);
    }
}

/// A node that waits for its turn.
struct Waiting(Option<Turn>);

impl Pending for Waiting {
    fn poll(&mut self) -> Option<Result<SmallVec<[Tensor; 2]>>> {
        let turn = self.0.take()?;
        if !turn.turns.holds(turn.number) {
            self.0 = Some(turn);
            return None;
        }
        Some(held(turn).map(|lock| SmallVec::from_iter([lock])))
    }
}

fn held(turn: Turn) -> Result<Tensor> {
    Tensor::from_objects(DType::Variant, Shape::scalar(), vec![Object::new(turn)])
}

pub(super) fn register(r: &mut Registry) {
    r.add(
        Op::new("MutexV2")
            .output("resource: resource")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .doc("Returns a lock, which steps of one session share by its name.")
            .shape(shape_rules::scalar)
            .kernel(|init| resource_kernel(init, Unnamed::NodeName, |_, _| Ok(Turns::default()), |_| Ok(()))),
    );
    r.add(
        Op::new("MutexLock")
            .input("mutex: resource")
            .output("mutex_lock: variant")
            .stateful()
            .takes_lock()
            .doc("Waits for a lock and holds it while `mutex_lock` has readers.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let turns = ctx.resource::<Turns>(0)?;
                    let number = turns.request(ctx.step.cancellation.bell().clone());
                    let turn = Turn { turns, number };
                    if turn.turns.holds(number) {
                        ctx.set_output(0, held(turn)?);
                    } else {
                        ctx.wait_for(Waiting(Some(turn)));
                    }
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("ConsumeMutexLock")
            .input("mutex_lock: variant")
            .stateful()
            .doc("Ends the use of a lock that `MutexLock` took.")
            .shape(shape_rules::unknown)
            .kernel(|_| {
                kernel(|ctx| {
                    let lock = ctx.take(0)?;
                    let is_lock = lock.objects()?.first().is_some_and(|object| object.get::<Turn>().is_some());
                    ensure!(is_lock, InvalidArgument, "Expected input to be the lock of a mutex.");
                    Ok(())
                })
            }),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_come_in_the_order_of_requests() {
        let turns = Arc::new(Turns::default());
        let request = || {
            let number = turns.request(Arc::default());
            Turn { turns: turns.clone(), number }
        };
        let first = request();
        let (second, third) = (request(), request());
        let fourth = request();
        assert!(turns.holds(first.number) && !turns.holds(second.number));
        drop(second);
        drop(first);
        assert!(turns.holds(third.number) && !turns.holds(fourth.number));
        let mut waiting = Waiting(Some(fourth));
        assert!(waiting.poll().is_none());
        drop(third);
        assert!(waiting.poll().unwrap().is_ok());
        assert!(turns.0.lock().holder.is_none());
    }
}
