//! `_Send` and `_Recv`: the operations by which the parts of a step hand each other values.

use ferroflow_graph::{KernelContext, Op, Pending, Registry, Rendezvous, Role, kernel, written};
use ferroflow_tensor::{DType, Result, Tensor, bail, ensure};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

fn rendezvous<'a>(ctx: &KernelContext<'a>) -> Result<&'a Arc<dyn Rendezvous>> {
    match ctx.step.rendezvous {
        Some(rendezvous) => Ok(rendezvous),
        None => bail!(Internal, "{} runs in a step that has no other parts", ctx.name()),
    }
}

/// A value that has not come yet.
struct Awaited {
    rendezvous: Arc<dyn Rendezvous>,
    key: u64,
    dtype: DType,
}

impl Awaited {
    fn take(&self) -> Option<Result<Tensor>> {
        let value = self.rendezvous.take(self.key)?;
        Some(self.check(value))
    }

    fn check(&self, value: Tensor) -> Result<Tensor> {
        ensure!(
            value.dtype() == self.dtype,
            Internal,
            "a {} was received where a {} is expected",
            value.dtype().name(),
            self.dtype.name()
        );
        Ok(value)
    }
}

impl Pending for Awaited {
    fn poll(&mut self) -> Option<Result<SmallVec<[Tensor; 2]>>> {
        Some(self.take()?.map(|value| smallvec![value]))
    }
}

pub fn register(registry: &mut Registry) {
    registry.add(
        Op::new(written::SEND)
            .role(Role::Send)
            .urgent()
            .doc("Sends a value to the part of the step that runs in another process.")
            .input("tensor: T")
            .attr("T: type")
            .attr("tensor_name: string")
            .attr("send_device: string")
            .attr("send_device_incarnation: int")
            .attr("recv_device: string")
            .attr("client_terminated: bool = false")
            .stateful()
            .kernel(|init| {
                let key = init.int("_edge")? as u64;
                kernel(move |ctx| {
                    let value = ctx.input(0)?.clone();
                    ensure!(
                        value.dtype().is_plain() || value.dtype() == DType::String,
                        InvalidArgument,
                        "a {} cannot be sent to another process",
                        value.dtype().name()
                    );
                    rendezvous(ctx)?.send(key, value)
                })
            }),
    );
    registry.add(
        Op::new(written::RECV)
            .role(Role::Recv)
            .doc("Receives a value from the part of the step that runs in another process.")
            .output("tensor: tensor_type")
            .attr("tensor_type: type")
            .attr("tensor_name: string")
            .attr("send_device: string")
            .attr("send_device_incarnation: int")
            .attr("recv_device: string")
            .attr("client_terminated: bool = false")
            .stateful()
            .may_wait()
            .kernel(|init| {
                let (key, dtype) = (init.int("_edge")? as u64, init.output_type(0)?);
                kernel(move |ctx| {
                    let awaited = Awaited { rendezvous: rendezvous(ctx)?.clone(), key, dtype };
                    match awaited.take() {
                        Some(value) => ctx.set_output(0, value?),
                        None => ctx.wait_for(awaited),
                    }
                    Ok(())
                })
            }),
    );
}
