//! Ops that order others, check and print, and the stacks of TF 1.x's loops.

use ferroflow_graph::{Op, Registry, Role, kernel};

mod assert;
mod branch;
mod print;
mod stack;
pub(crate) mod summary;

pub(crate) fn register(r: &mut Registry) {
    assert::register(r);
    branch::register(r);
    print::register(r);
    stack::register(r);
    r.add(
        Op::new("NoOp").role(Role::NoOp).doc("Does nothing; orders what waits for it.").kernel(|_| kernel(|_| Ok(()))),
    );
    r.add(
        Op::new("ControlTrigger")
            .role(Role::Trigger)
            .doc("Does nothing; orders what waits for it.")
            .stateful()
            .listed_stateful(false)
            .kernel(|_| kernel(|_| Ok(()))),
    );
}
