//! Elements through a queue: steps that put in and steps that take out by turns on one thread, and on two threads at once.

#![allow(clippy::expect_used, reason = "a bench that cannot be set up may stop")]

use divan::{Bencher, counter::ItemsCount};
use ferroflow_graph::{AttrValue, Graph, InputArg, NodeSpec, OutputId, Resources};
use ferroflow_plan::Request;
use ferroflow_runtime::{Prepared, RunOptions, Session, SessionOptions};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{DType, PartialShape, Tensor};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A row of the digits that TF1's tutorials feed.
const WIDTH: usize = 784;
/// Elements of a batch.
const BATCH: usize = 100;

fn main() {
    divan::main();
}

/// A graph with one queue of rows, and the plans of the steps on it.
struct Pipeline {
    session: Session,
    put: Arc<Prepared>,
    take: Arc<Prepared>,
    fed: Tensor,
}

fn attr(name: &str, value: AttrValue) -> (String, AttrValue) {
    (name.to_owned(), value)
}

impl Pipeline {
    fn new(many: bool) -> Pipeline {
        let mut graph = Graph::new(ferroflow_benches::registry().expect("the registry is sound"));
        let mut add = |op: &str, inputs: Vec<InputArg>, attrs: Vec<(String, AttrValue)>| {
            let name = format!("n{}", graph.len());
            let spec = NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: "" };
            graph.add_node(spec).expect("a valid node")
        };
        let output = |node| OutputId { node, index: 0 };
        let rows = if many { vec![Some(BATCH), Some(WIDTH)] } else { vec![Some(WIDTH)] };
        let types = || AttrValue::List(vec![AttrValue::Type(DType::F32)]);
        let row = AttrValue::Shape(PartialShape::vector(Some(WIDTH)));
        let queue = output(add(
            "FIFOQueueV2",
            vec![],
            vec![
                attr("component_types", types()),
                attr("shapes", AttrValue::List(vec![row])),
                attr("capacity", AttrValue::Int(1024)),
            ],
        ));
        let shape = AttrValue::Shape(PartialShape::from_dims(&rows));
        let attrs = vec![attr("dtype", AttrValue::Type(DType::F32)), attr("shape", shape)];
        let x = output(add("Placeholder", vec![], attrs));
        let (put, take) = if many {
            let value = attr("value", AttrValue::Tensor(Tensor::scalar(BATCH as i32)));
            let n = output(add("Const", vec![], vec![value, attr("dtype", AttrValue::Type(DType::I32))]));
            let put = add("QueueEnqueueManyV2", vec![InputArg::One(queue), InputArg::List(vec![x])], vec![]);
            let inputs = vec![InputArg::One(queue), InputArg::One(n)];
            (put, add("QueueDequeueManyV2", inputs, vec![attr("component_types", types())]))
        } else {
            let put = add("QueueEnqueueV2", vec![InputArg::One(queue), InputArg::List(vec![x])], vec![]);
            (put, add("QueueDequeueV2", vec![InputArg::One(queue)], vec![attr("component_types", types())]))
        };
        let fed =
            Tensor::zeros(DType::F32, rows.iter().flatten().copied().collect::<Vec<_>>().as_slice()).expect("room");
        let resources = Arc::new(Resources::new());
        let session = Session::with_resources(Arc::new(RwLock::new(graph)), SessionOptions::default(), resources);
        let put = Request { feeds: vec![x], fetches: vec![], targets: vec![put] };
        let take = Request { feeds: vec![], fetches: vec![output(take)], targets: vec![] };
        let (put, take) = (session.prepare(&put).expect("a plan"), session.prepare(&take).expect("a plan"));
        Pipeline { session, put, take, fed }
    }

    fn put(&self) {
        let fed: SmallVec<[Tensor; 4]> = smallvec![self.fed.clone()];
        self.session.run(&self.put, fed, &RunOptions::default()).expect("a step");
    }

    fn take(&self) -> Tensor {
        let taken = self.session.run(&self.take, SmallVec::new(), &RunOptions::default()).expect("a step");
        taken.values.into_iter().next().flatten().expect("a value")
    }
}

fn by_turns(bencher: Bencher, many: bool) {
    let pipeline = Pipeline::new(many);
    bencher.counter(ItemsCount::new(if many { BATCH } else { 1 })).bench_local(|| {
        pipeline.put();
        pipeline.take()
    });
}

fn at_once(bencher: Bencher, many: bool) {
    let pipeline = Pipeline::new(many);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                pipeline.put();
            }
        });
        bencher.counter(ItemsCount::new(if many { BATCH } else { 1 })).bench_local(|| pipeline.take());
        ended.store(true, Ordering::Relaxed);
        // It may wait for room.
        pipeline.take();
    });
}

#[divan::bench]
fn single_by_turns(bencher: Bencher) {
    by_turns(bencher, false);
}

#[divan::bench]
fn many_by_turns(bencher: Bencher) {
    by_turns(bencher, true);
}

#[divan::bench]
fn single_at_once(bencher: Bencher) {
    at_once(bencher, false);
}

#[divan::bench]
fn many_at_once(bencher: Bencher) {
    at_once(bencher, true);
}
