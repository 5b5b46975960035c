//! OptimizeDataset, ModelDataset and others, with which TensorFlow tunes and measures a pipeline: here they give their
//! input.

use super::schema::{described, scalars, unary};
use super::value::{dataset_input, scalar};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, ensure};

fn forward(ctx: &mut KernelContext<'_>) -> Result<()> {
    dataset_input(ctx, 0)?.into_tensor().map(|t| ctx.set_output(0, t))
}

/// Makes a kernel that gives its input, and checks that input 1 is no negative number of threads.
fn forward_of_threads(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    let name = init.node.op.inputs[1].name.clone();
    kernel(move |ctx| {
        let threads = scalar::<i64>(ctx, 1, &name)?;
        ensure!(threads >= 0, InvalidArgument, "`{name}` must be >= 0");
        forward(ctx)
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |op: Op| op.doc("Returns the input dataset.");
    r.add(
        op(described(unary("OptimizeDataset").input("optimizations: string")))
            .attr("optimization_configs: list(string) = []")
            .shape(shape_rules::scalar)
            .kernel(|_| kernel(forward)),
    );
    r.add(
        op(described(unary("ModelDataset")))
            .attr("algorithm: int = 0")
            .attr("cpu_budget: int = 0")
            .kernel(|_| kernel(forward)),
    );
    for (name, threads) in [
        ("MaxIntraOpParallelismDataset", "max_intra_op_parallelism: int64"),
        ("PrivateThreadPoolDataset", "num_threads: int64"),
    ] {
        r.add(op(described(unary(name).input(threads))).shape(scalars).kernel(forward_of_threads));
    }
    r.add(op(described(unary("NonSerializableDataset"))).kernel(|_| kernel(forward)));
    // Without an aggregator, TensorFlow measures nothing either.
    for name in ["BytesProducedStatsDataset", "LatencyStatsDataset"] {
        r.add(op(described(unary(name).input("tag: string"))).shape(scalars).kernel(|_| kernel(forward)));
    }
}
