//! Staging areas: tuples of tensors that one step leaves for a later one.

mod area;
mod map;

use ferroflow_graph::{KernelContext, Op, Registry};
use ferroflow_tensor::{Result, Status, Tensor, ensure};

/// The bounds of a staging area; 0 is none.
#[derive(Clone, Copy)]
struct Limits {
    capacity: usize,
    bytes: usize,
}

impl Limits {
    fn of(init: &ferroflow_graph::KernelInit<'_>) -> Result<Limits> {
        let get = |name| Ok::<_, Status>(usize::try_from(init.int(name)?).unwrap_or(0));
        Ok(Limits { capacity: get("capacity")?, bytes: get("memory_limit")? })
    }

    /// Errors: `ResourceExhausted` for what would not fit an empty area.
    fn check(&self, bytes: usize) -> Result<()> {
        ensure!(
            self.bytes == 0 || bytes <= self.bytes,
            ResourceExhausted,
            "Attempted to insert tensors with combined size of '{bytes}' bytes into Staging Area with a memory limit of '{}'.",
            self.bytes
        );
        Ok(())
    }

    fn has_bytes(&self, taken: usize, more: usize) -> bool {
        self.bytes == 0 || taken + more <= self.bytes
    }

    fn has_place(&self, taken: usize) -> bool {
        self.capacity == 0 || taken < self.capacity
    }
}

fn bytes(tuple: &[Tensor]) -> usize {
    tuple.iter().map(Tensor::byte_size).sum()
}

/// Returns the inputs from `first` on, as values that outlive the step.
fn values(ctx: &mut KernelContext<'_>, first: usize) -> Result<Vec<Tensor>> {
    (first..ctx.num_inputs()).map(|i| ctx.take(i).and_then(Tensor::into_owned)).collect()
}

/// Adds the attributes of an op whose values are of the types in `dtypes`.
fn bounded(op: Op, more: &str) -> Op {
    in_area(op, "dtypes: list(type) >= 1", more)
}

/// Adds the attributes of an op that has no value of the types in `dtypes`: the list may be empty.
fn untyped(op: Op, more: &str) -> Op {
    in_area(op, "dtypes: list(type)", more)
}

/// Adds the part of the schema that all ops of an area have in common.
fn in_area(op: Op, dtypes: &str, more: &str) -> Op {
    let op = op.attr("capacity: int >= 0 = 0").attr("memory_limit: int >= 0 = 0").attr(dtypes);
    let op = if more.is_empty() { op } else { op.attr(more) };
    op.attr("container: string = ''").attr("shared_name: string = ''").stateful()
}

pub(crate) fn register(r: &mut Registry) {
    area::register(r);
    map::register(r);
}
