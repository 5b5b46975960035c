//! The ops that make queues: FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue, PriorityQueue, each by reference and by handle.

use super::state::{Kind, Queue, Spec, shape_list};
use ferroflow_graph::{
    Kernel, KernelContext, KernelInit, Op, Registry, ResourceHandle, ShapeContext, Unnamed, kernel, resource_kernel,
    shape_rules,
};
use ferroflow_tensor::{Bytes, DType, PartialShape, Result, Tensor, ensure};

fn spec(init: &KernelInit<'_>, kind: Kind) -> Result<Spec> {
    let capacity = init.int32("capacity")?;
    let capacity = if capacity < 0 { i32::MAX as usize } else { capacity as usize };
    let mut types = init.dtypes("component_types")?;
    let mut shapes = init.shapes("shapes")?;
    if kind == Kind::Priority {
        types.insert(0, DType::I64);
        if !shapes.is_empty() {
            shapes.insert(0, PartialShape::scalar());
        }
    }
    if kind == Kind::PaddingFifo {
        ensure!(
            shapes.len() == types.len(),
            InvalidArgument,
            "Shapes must be provided for all components, but received {} dtypes and {} shapes.",
            types.len(),
            shapes.len()
        );
        ensure!(
            shapes.iter().all(|s| s.rank().is_some()),
            InvalidArgument,
            "All shapes must have a defined rank: {}",
            shape_list(&shapes)
        );
    } else {
        ensure!(
            shapes.iter().all(PartialShape::is_fully_known),
            InvalidArgument,
            "All shapes must be fully defined: {}",
            shape_list(&shapes)
        );
    }
    let (mut min_after_dequeue, mut seeds) = (0, (0, 0));
    if kind == Kind::RandomShuffle {
        let least = init.int("min_after_dequeue")?;
        ensure!(least >= 0, InvalidArgument, "min_after_dequeue {least} must be >= 0");
        ensure!(
            (least as usize) < capacity,
            InvalidArgument,
            "min_after_dequeue {least} must be < capacity {capacity}"
        );
        min_after_dequeue = least as usize;
        seeds = (init.int("seed")?, init.int("seed2")?);
    }
    Ok(Spec { kind, capacity, types, shapes, min_after_dequeue, seeds })
}

fn make(init: &KernelInit<'_>, kind: Kind) -> Result<Box<dyn Kernel>> {
    let spec = spec(init, kind)?;
    let (requested, op) = (spec.clone(), init.node.op.name.clone());
    resource_kernel(
        init,
        Unnamed::Private,
        move |_: &KernelContext<'_>, name: &str| Queue::new(name.to_owned(), spec.clone()),
        move |found: &Queue| found.check(&requested, &op),
    )
}

fn handle_shape(c: &mut ShapeContext<'_>) -> Result<()> {
    c.set_output(0, PartialShape::vector(Some(2)));
    Ok(())
}

fn schema(name: &str, kind: Kind, by_handle: bool) -> Op {
    let op = Op::new(name).output(if by_handle { "handle: resource" } else { "handle: Ref(string)" });
    let op = match kind {
        Kind::Priority => op.attr("component_types: list(type) >= 0 = []").attr("shapes: list(shape) >= 0"),
        _ => op.attr("component_types: list(type) >= 1").attr("shapes: list(shape) >= 0 = []"),
    };
    let op = op.attr("capacity: int = -1");
    let op = match kind {
        Kind::RandomShuffle => op.attr("min_after_dequeue: int = 0").attr("seed: int = 0").attr("seed2: int = 0"),
        _ => op,
    };
    let op = op.attr("container: string = ''").attr("shared_name: string = ''").stateful();
    op.shape(if by_handle { shape_rules::scalar } else { handle_shape })
}

/// Returns FakeQueue: the reference of a queue given by its handle.
fn fake(_: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    kernel(|ctx| {
        let name = &ResourceHandle::from_tensor(ctx.input(0)?)?.name;
        let bytes = |s: &str| Bytes::from(s.as_bytes());
        let reference = Tensor::from_strings([2], vec![bytes(&name.container), bytes(&name.name)])?;
        ctx.set_output(0, reference);
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    for (fifo, by_handle) in [("FIFOQueue", false), ("FIFOQueueV2", true)] {
        r.add(
            schema(fifo, Kind::Fifo, by_handle)
                .doc("Returns a queue that produces elements in first-in first-out order.")
                .kernel(|init| make(init, Kind::Fifo)),
        );
    }
    for (padding, by_handle) in [("PaddingFIFOQueue", false), ("PaddingFIFOQueueV2", true)] {
        r.add(
            schema(padding, Kind::PaddingFifo, by_handle)
                .doc("Returns a first-in first-out queue whose batches are padded with zeros to their largest element.")
                .kernel(|init| make(init, Kind::PaddingFifo)),
        );
    }
    for (shuffle, by_handle) in [("RandomShuffleQueue", false), ("RandomShuffleQueueV2", true)] {
        r.add(
            schema(shuffle, Kind::RandomShuffle, by_handle)
                .doc("Returns a queue that produces elements in random order.")
                .kernel(|init| make(init, Kind::RandomShuffle)),
        );
    }
    for (priority, by_handle) in [("PriorityQueue", false), ("PriorityQueueV2", true)] {
        r.add(
            schema(priority, Kind::Priority, by_handle)
                .doc("Returns a queue that produces elements by their first component, least first.")
                .kernel(|init| make(init, Kind::Priority)),
        );
    }
    r.add(
        Op::new("FakeQueue")
            .input("resource: resource")
            .output("handle: Ref(string)")
            .stateful()
            .doc("Returns the reference of a queue given by its handle.")
            .shape(handle_shape)
            .kernel(fake),
    );
}
