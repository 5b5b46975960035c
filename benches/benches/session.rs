//! The cost of a step beside its kernels: prepared plans of tiny graphs, run from Rust.

#![allow(clippy::expect_used, reason = "a bench that cannot be set up may stop")]

use divan::{Bencher, counter::ItemsCount};
use ferroflow_graph::{AttrValue, Graph, InputArg, NodeId, NodeSpec, OutputId};
use ferroflow_plan::Request;
use ferroflow_runtime::{RunOptions, Session, SessionOptions};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{DType, PartialShape, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;

fn main() {
    divan::main();
}

struct Builder(Graph);

impl Builder {
    fn new() -> Builder {
        Builder(Graph::new(ferroflow_benches::registry().expect("the registry is sound")))
    }

    fn node(&mut self, op: &str, inputs: &[OutputId], attrs: Vec<(String, AttrValue)>) -> OutputId {
        let name = format!("n{}", self.0.len());
        let inputs = inputs.iter().map(|&i| InputArg::One(i)).collect();
        let spec = NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: "" };
        let node: NodeId = self.0.add_node(spec).expect("a valid node");
        OutputId { node, index: 0 }
    }

    fn placeholder(&mut self) -> OutputId {
        let attrs = vec![
            ("dtype".to_owned(), AttrValue::Type(DType::F32)),
            ("shape".to_owned(), AttrValue::Shape(PartialShape::scalar())),
        ];
        self.node("Placeholder", &[], attrs)
    }

    fn session(self) -> Session {
        Session::new(Arc::new(RwLock::new(self.0)), SessionOptions::default())
    }
}

/// Runs a request over and over with the same fed scalars.
fn steps(bencher: Bencher, session: &Session, request: Request) {
    let prepared = session.prepare(&request).expect("a plan");
    bencher.bench_local(|| {
        let values: SmallVec<[Tensor; 4]> = request.feeds.iter().map(|_| Tensor::scalar(0.5f32)).collect();
        session.run(&prepared, values, &RunOptions::default()).expect("a step")
    });
}

/// Measures a step that does nothing.
#[divan::bench]
fn noop(bencher: Bencher) {
    let mut b = Builder::new();
    let op = b.node("NoOp", &[], vec![]).node;
    steps(bencher, &b.session(), Request { targets: vec![op], ..Request::default() });
}

/// Measures one scalar addition of two fed values.
#[divan::bench]
fn add(bencher: Bencher) {
    let mut b = Builder::new();
    let (x, y) = (b.placeholder(), b.placeholder());
    let sum = b.node("Add", &[x, y], vec![]);
    steps(bencher, &b.session(), Request { feeds: vec![x, y], fetches: vec![sum], targets: vec![] });
}

/// Measures a chain of scalar additions and multiplications by turns; nothing can be folded.
#[divan::bench(args = [100, 1000, 10_000])]
fn chain(bencher: Bencher, length: usize) {
    let mut b = Builder::new();
    let (x, y) = (b.placeholder(), b.placeholder());
    let mut z = x;
    for i in 0..length {
        z = b.node(if i % 2 == 0 { "Add" } else { "Mul" }, &[z, y], vec![]);
    }
    let request = Request { feeds: vec![x, y], fetches: vec![z], targets: vec![] };
    steps(bencher.counter(ItemsCount::new(length)), &b.session(), request);
}
