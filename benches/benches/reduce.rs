//! Throughput of the reduction ops, kernel alone: all elements, rows, columns and mixed axes.

use divan::Bencher;
use divan::counter::BytesCount;
use ferroflow_graph::{
    AttrValue, Cancellation, Graph, InputArg, Kernel, KernelContext, KernelInit, Node, NodeSpec, OutputId, Resources,
    Step, Variables, no_functions,
};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Shape, Tensor};
use std::sync::Arc;

fn main() {
    divan::main();
}

/// (name, shape, reduced axes)
const CASES: [(&str, &[usize], &[i32]); 6] = [
    ("loss of a batch: all of 128", &[128], &[0]),
    ("all, memory", &[10_000_000], &[0]),
    ("softmax rows: 100000 x 10", &[100_000, 10], &[1]),
    ("long rows: 1000 x 10000", &[1000, 10_000], &[1]),
    ("bias gradient: 128 x 256 over the batch", &[128, 256], &[0]),
    ("channel means: 32 x 64 x 64 x 3", &[32, 64, 64, 3], &[0, 1, 2]),
];

struct Case {
    node: Arc<Node>,
    kernel: Box<dyn Kernel>,
    inputs: [Tensor; 2],
    resources: Resources,
}

fn case(op: &str, name: &str) -> Option<Case> {
    let (_, shape, axes) = CASES.iter().find(|c| c.0 == name)?;
    let n: usize = shape.iter().product();
    let values: Vec<f32> = (0..n).map(|i| (i % 1000) as f32 * 0.01 - 5.0).collect();
    let inputs = [Tensor::from_slice(Shape::new(shape), &values).ok()?, Tensor::from_slice([axes.len()], axes).ok()?];
    let mut graph = Graph::new(ferroflow_benches::registry().ok()?);
    let mut constants = Vec::new();
    for (t, name) in inputs.iter().zip(["x", "axes"]) {
        let attrs =
            vec![("value".to_owned(), AttrValue::Tensor(t.clone())), ("dtype".to_owned(), AttrValue::Type(t.dtype()))];
        let spec = NodeSpec { op: "Const", name, inputs: vec![], control_inputs: vec![], attrs, device: "" };
        constants.push(InputArg::One(OutputId { node: graph.add_node(spec).ok()?, index: 0 }));
    }
    let spec = NodeSpec { op, name: "reduce", inputs: constants, control_inputs: vec![], attrs: vec![], device: "" };
    let id = graph.add_node(spec).ok()?;
    let node = graph.node(id).ok()?.clone();
    let resources = Resources::new();
    let types = inputs.each_ref().map(Tensor::dtype);
    let kernel = node.op.kernel?(&KernelInit { node: &node, input_types: &types, resources: &resources }).ok()?;
    Some(Case { node, kernel, inputs, resources })
}

fn run(bencher: Bencher, op: &str, name: &str, threads: usize) {
    let Some(case) = case(op, name) else { panic!("{op} of {name} was not built") };
    let cancellation = Cancellation::new();
    let step = Step {
        threads: Threads::new(threads),
        cancellation: &cancellation,
        resources: &case.resources,
        locals: &case.resources,
        functions: no_functions(),
        rendezvous: None,
    };
    bencher.counter(BytesCount::new(case.inputs[0].byte_size())).bench_local(|| {
        let mut inputs = case.inputs.clone();
        let mut outputs = [None];
        let mut ctx = KernelContext::new(&step, &case.node, &mut inputs, &mut outputs, Variables::default());
        case.kernel.compute(&mut ctx)
    });
}

#[divan::bench(args = CASES.iter().map(|c| c.0), consts = [1, 2])]
fn sum<const THREADS: usize>(bencher: Bencher, name: &str) {
    run(bencher, "Sum", name, THREADS);
}

#[divan::bench(args = CASES.iter().map(|c| c.0))]
fn max(bencher: Bencher, name: &str) {
    run(bencher, "Max", name, 1);
}
