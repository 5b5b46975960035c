//! Ops that order others, check and print, and the stacks of TF 1.x's loops.

use ferroflow_graph::{Op, Registry, Role, kernel, shape_rules};
use ferroflow_tensor::{Status, Tensor};
use std::time::{SystemTime, UNIX_EPOCH};

mod abort;
mod assert;
mod branch;
mod mutex;
mod print;
mod reference;
mod stack;
pub(crate) mod summary;

pub(crate) fn register(r: &mut Registry) {
    abort::register(r);
    assert::register(r);
    branch::register(r);
    mutex::register(r);
    print::register(r);
    reference::register(r);
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
    r.add(
        Op::new("Fact")
            .output("fact: string")
            .doc("Returns a fact about factorials.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    ctx.set_output(0, Tensor::from_strings([], vec![b"0! == 1"[..].into()])?);
                    Ok(())
                })
            }),
    );
    r.add(
        Op::new("Timestamp")
            .output("ts: double")
            .memoryless()
            .doc("Returns the seconds since 1970 began, in UTC.")
            .shape(shape_rules::scalar)
            .kernel(|_| {
                kernel(|ctx| {
                    let since = SystemTime::now().duration_since(UNIX_EPOCH);
                    let since = since.map_err(|_| Status::internal("the clock shows a time before 1970"))?;
                    ctx.set_output(0, Tensor::scalar(since.as_secs_f64()));
                    Ok(())
                })
            }),
    );
}
