//! OptimizeDataset and ModelDataset, with which TensorFlow tunes a pipeline: here they give their input.

use super::schema::{described, unary};
use super::value::dataset_input;
use ferroflow_graph::{Registry, kernel, shape_rules};

pub(super) fn register(r: &mut Registry) {
    r.add(
        described(unary("OptimizeDataset").input("optimizations: string"))
            .attr("optimization_configs: list(string) = []")
            .shape(shape_rules::scalar)
            .doc("Returns the input dataset.")
            .kernel(|_| kernel(|ctx| dataset_input(ctx, 0)?.into_tensor().map(|t| ctx.set_output(0, t)))),
    );
    r.add(
        described(unary("ModelDataset"))
            .attr("algorithm: int = 0")
            .attr("cpu_budget: int = 0")
            .shape(shape_rules::scalar)
            .doc("Returns the input dataset.")
            .kernel(|_| kernel(|ctx| dataset_input(ctx, 0)?.into_tensor().map(|t| ctx.set_output(0, t)))),
    );
}
