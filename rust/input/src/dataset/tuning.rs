//! OptimizeDataset, ModelDataset and others, with which TensorFlow tunes a pipeline: their input, with the rewrites that
//! change the order of elements.

use super::cardinality::Cardinality;
use super::place::{Entered, Place, Rewrites};
use super::schema::{described, scalars, unary};
use super::value::{BoxedIterator, Dataset, Element, SharedDataset, dataset_input, dataset_kernel, scalar};
use ferroflow_graph::{Kernel, KernelContext, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::{Result, ensure};

struct Optimized {
    input: SharedDataset,
    rewrites: Rewrites,
}

impl Dataset for Optimized {
    fn iterator(&self) -> BoxedIterator {
        let mut place = Place::current().map(|place| place.rewritten(self.rewrites));
        let _entered = Entered::new(&mut place);
        self.input.iterator()
    }

    fn cardinality(&self) -> Cardinality {
        self.input.cardinality()
    }

    fn elements(&self) -> Option<&[Element]> {
        self.input.elements()
    }
}

fn optimized(ctx: &KernelContext<'_>) -> Result<Optimized> {
    let requested = ctx.input(1)?.strings()?;
    let requests = |name: &str| requested.iter().any(|rewrite| &rewrite[..] == name.as_bytes());
    let rewrites =
        Rewrites { drops_no_ops: requests("noop_elimination"), fuses_shuffles: requests("shuffle_and_repeat_fusion") };
    Ok(Optimized { input: dataset_input(ctx, 0)?.dataset, rewrites })
}

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
            .kernel(|init| dataset_kernel(init, optimized)),
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
