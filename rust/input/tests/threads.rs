//! Input pipelines that several threads share: queues, staging areas and iterators, each op run as a step runs it.

#![allow(clippy::unwrap_used, clippy::panic)]

use ferroflow_graph::{
    AttrValue, Callable, Cancellation, Func, Functions, Graph, InputArg, Kernel, KernelContext, KernelInit, Node,
    NodeSpec, Op, OutputId, Registry, Resources, Step, Variables,
};
use ferroflow_sync::Mutex;
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Code, DType, PartialShape, Result, Status, Tensor, with_denormals_flushed};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longer than any test takes: who waits as long was not woken.
const HANGS: Duration = Duration::from_secs(60);

/// Fails where `test` takes so long that it hangs.
fn ends(test: impl FnOnce() + Send + 'static) {
    let (sender, ended) = channel();
    let thread = std::thread::spawn(move || {
        test();
        let _ = sender.send(());
    });
    if ended.recv_timeout(HANGS) == Err(RecvTimeoutError::Timeout) {
        panic!("the test hangs");
    }
    thread.join().unwrap();
}

/// The function of all names: twice its argument.
struct Twice;

impl Functions for Twice {
    fn instance(self: Arc<Self>, _: &str) -> Result<Arc<dyn Callable>> {
        Ok(self)
    }
}

impl Callable for Twice {
    fn call(&self, arguments: SmallVec<[Tensor; 4]>, _: &Cancellation) -> Result<Vec<Tensor>> {
        Ok(vec![Tensor::scalar(2 * arguments[0].to_scalar::<i64>()?)])
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn is_bounded(&self) -> bool {
        true
    }
}

/// Nodes by themselves, and what their kernels share.
struct Pipeline {
    graph: Mutex<Graph>,
    resources: Resources,
    functions: Arc<dyn Functions>,
}

struct Operation {
    node: Arc<Node>,
    kernel: Box<dyn Kernel>,
}

fn int(name: &str, value: i64) -> (String, AttrValue) {
    (name.to_owned(), AttrValue::Int(value))
}

fn types(name: &str, count: usize) -> (String, AttrValue) {
    (name.to_owned(), AttrValue::List(vec![AttrValue::Type(DType::I64); count]))
}

fn scalars(name: &str, count: usize) -> (String, AttrValue) {
    (name.to_owned(), AttrValue::List(vec![AttrValue::Shape(PartialShape::scalar()); count]))
}

fn values(tensors: &[Tensor]) -> Vec<i64> {
    tensors.last().unwrap().slice::<i64>().unwrap().to_vec()
}

impl Pipeline {
    fn new() -> Pipeline {
        let mut registry = Registry::new();
        ferroflow_input::register(&mut registry);
        registry.add(Op::new("Given").output("value: dtype").attr("dtype: type"));
        let graph = Mutex::new(Graph::new(registry.finish().unwrap()));
        Pipeline { graph, resources: Resources::new(), functions: Arc::new(Twice) }
    }

    fn add(&self, op: &str, inputs: Vec<InputArg>, attrs: Vec<(String, AttrValue)>) -> Arc<Node> {
        let mut graph = self.graph.lock();
        let name = format!("n{}", graph.len());
        let id = graph
            .add_node(NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: "" })
            .unwrap_or_else(|_| panic!("{op}"));
        graph.node(id).unwrap().clone()
    }

    /// Returns an op whose arguments are given at every run; `lists` says which of them are lists (of one).
    fn op(&self, op: &str, inputs: &[DType], lists: &[usize], attrs: Vec<(String, AttrValue)>) -> Operation {
        let given = |(i, &dtype): (usize, &DType)| {
            let node = self.add("Given", vec![], vec![("dtype".to_owned(), AttrValue::Type(dtype))]);
            let output = OutputId { node: node.id, index: 0 };
            if lists.contains(&i) { InputArg::List(vec![output]) } else { InputArg::One(output) }
        };
        let node = self.add(op, inputs.iter().enumerate().map(given).collect(), attrs);
        let init = KernelInit { node: &node, input_types: inputs, resources: &self.resources };
        let kernel = node.op.kernel.unwrap()(&init).unwrap();
        Operation { node, kernel }
    }

    fn run(&self, op: &Operation, inputs: &[&Tensor], cancellation: &Cancellation) -> Result<Vec<Tensor>> {
        let step = Step {
            threads: Threads::new(2),
            cancellation,
            resources: &self.resources,
            locals: &self.resources,
            functions: &self.functions,
            rendezvous: None,
        };
        let mut inputs: Vec<Tensor> = inputs.iter().map(|&t| t.clone()).collect();
        let mut outputs = vec![None; op.node.outputs.len()];
        let mut ctx = KernelContext::new(&step, &op.node, &mut inputs, &mut outputs, Variables::default());
        with_denormals_flushed(|| op.kernel.compute(&mut ctx))?;
        if let Some(mut pending) = ctx.take_pending() {
            let (began, mut heard) = (Instant::now(), 0);
            loop {
                if let Some(ended) = pending.poll() {
                    return Ok(ended?.into_vec());
                }
                cancellation.check()?;
                cancellation.bell().wait(&mut heard, HANGS);
                assert!(began.elapsed() < HANGS, "nothing rang");
            }
        }
        Ok(outputs.into_iter().flatten().collect())
    }

    fn run_to_end(&self, op: &Operation, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        self.run(op, inputs, &Cancellation::new())
    }
}

/// A queue and what is done with it.
struct Queue {
    pipeline: Pipeline,
    handle: Tensor,
    enqueue: Operation,
    enqueue_many: Operation,
    dequeue: Operation,
    dequeue_many: Operation,
    dequeue_up_to: Operation,
    close: Operation,
    close_and_cancel: Operation,
}

impl Queue {
    fn new(kind: &str, capacity: i64) -> Queue {
        let p = Pipeline::new();
        let attrs = vec![types("component_types", 1), scalars("shapes", 1), int("capacity", capacity)];
        let queue = p.op(kind, &[], &[], attrs);
        let handle = p.run_to_end(&queue, &[]).unwrap().remove(0);
        let (resource, cancels) = (DType::Resource, "cancel_pending_enqueues".to_owned());
        let bring = |op: &str| p.op(op, &[resource, DType::I64], &[1], vec![types("Tcomponents", 1)]);
        let take = |op: &str, inputs: &[DType]| p.op(op, inputs, &[], vec![types("component_types", 1)]);
        Queue {
            handle,
            enqueue: bring("QueueEnqueueV2"),
            enqueue_many: bring("QueueEnqueueManyV2"),
            dequeue: take("QueueDequeueV2", &[resource]),
            dequeue_many: take("QueueDequeueManyV2", &[resource, DType::I32]),
            dequeue_up_to: take("QueueDequeueUpToV2", &[resource, DType::I32]),
            close: p.op("QueueCloseV2", &[resource], &[], vec![]),
            close_and_cancel: p.op("QueueCloseV2", &[resource], &[], vec![(cancels, AttrValue::Bool(true))]),
            pipeline: p,
        }
    }

    fn put(&self, value: i64) -> Result<()> {
        self.pipeline.run_to_end(&self.enqueue, &[&self.handle, &Tensor::scalar(value)]).map(drop)
    }

    fn put_all(&self, values: &[i64]) -> Result<()> {
        let batch = Tensor::from_slice([values.len()], values)?;
        self.pipeline.run_to_end(&self.enqueue_many, &[&self.handle, &batch]).map(drop)
    }

    /// Takes one element, or with a number as many.
    fn take(&self, op: &Operation, count: Option<i32>, cancellation: &Cancellation) -> Result<Vec<i64>> {
        let count = count.map(Tensor::scalar);
        let inputs: Vec<&Tensor> = std::iter::once(&self.handle).chain(&count).collect();
        self.pipeline.run(op, &inputs, cancellation).map(|outputs| values(&outputs))
    }

    fn end(&self, op: &Operation) {
        self.pipeline.run_to_end(op, &[&self.handle]).unwrap();
    }

    fn drain(&self) -> Vec<i64> {
        let one = || self.take(&self.dequeue, None, &Cancellation::new()).ok();
        std::iter::from_fn(one).flatten().collect()
    }
}

#[test]
fn a_queue_hands_every_element_to_one_taker_though_some_give_up() {
    const EACH: i64 = 150;
    for kind in ["FIFOQueueV2", "RandomShuffleQueueV2", "PaddingFIFOQueueV2"] {
        ends(move || {
            let queue = Queue::new(kind, 7);
            let taken = Mutex::new(Vec::new());
            let given_up: Vec<Cancellation> = (0..60).map(|_| Cancellation::new()).collect();
            std::thread::scope(|scope| {
                let producers = [0, 1, 2].map(|k| {
                    let queue = &queue;
                    scope.spawn(move || {
                        let mine: Vec<i64> = (k * EACH..(k + 1) * EACH).collect();
                        match k {
                            0 => mine.chunks(11).for_each(|batch| queue.put_all(batch).unwrap()),
                            _ => mine.into_iter().for_each(|v| queue.put(v).unwrap()),
                        }
                    })
                });
                let takers = [(&queue.dequeue, None), (&queue.dequeue_many, Some(3)), (&queue.dequeue_up_to, Some(4))];
                for (op, count) in takers {
                    let (queue, taken) = (&queue, &taken);
                    scope.spawn(move || {
                        let failure = loop {
                            match queue.take(op, count, &Cancellation::new()) {
                                Ok(values) => taken.lock().extend(values),
                                Err(failure) => break failure,
                            }
                        };
                        assert_eq!(failure.code(), Code::OutOfRange, "{failure:?}");
                    });
                }
                scope.spawn(|| {
                    for cancellation in &given_up {
                        match queue.take(&queue.dequeue_many, Some(2), cancellation) {
                            Ok(values) => taken.lock().extend(values),
                            Err(failure) => assert!(matches!(failure.code(), Code::Cancelled | Code::OutOfRange)),
                        }
                    }
                });
                scope.spawn(|| {
                    for cancellation in &given_up {
                        std::thread::yield_now();
                        cancellation.cancel(Status::cancelled("given up"));
                    }
                });
                producers.into_iter().for_each(|p| p.join().unwrap());
                queue.end(&queue.close);
            });
            let mut taken = taken.into_inner();
            taken.extend(queue.drain());
            taken.sort_unstable();
            assert_eq!(taken, (0..3 * EACH).collect::<Vec<_>>(), "{kind}");
        });
    }
}

#[test]
fn a_queue_that_is_closed_amid_its_producers_holds_what_they_were_told_is_in() {
    ends(|| {
        for round in 0..30 {
            let queue = Queue::new("FIFOQueueV2", 5);
            let (is_in, taken) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
            std::thread::scope(|scope| {
                for k in 0..3 {
                    let (queue, is_in) = (&queue, &is_in);
                    scope.spawn(move || {
                        for v in (0..).map(|i| k * 1_000_000 + i) {
                            match queue.put(v) {
                                Ok(()) => is_in.lock().push(v),
                                Err(failure) => return assert_eq!(failure.code(), Code::Cancelled),
                            }
                        }
                    });
                }
                for _ in 0..round {
                    taken.lock().extend(queue.take(&queue.dequeue, None, &Cancellation::new()).unwrap());
                }
                queue.end(&queue.close_and_cancel);
            });
            let (mut is_in, mut taken) = (is_in.into_inner(), taken.into_inner());
            taken.extend(queue.drain());
            is_in.sort_unstable();
            taken.sort_unstable();
            assert_eq!(taken, is_in);
        }
    });
}

#[test]
fn a_staging_area_hands_every_tuple_to_one_taker() {
    const EACH: i64 = 200;
    ends(|| {
        let p = Pipeline::new();
        let shared = || {
            vec![types("dtypes", 1), int("capacity", 2), ("shared_name".to_owned(), AttrValue::Str(b"area".to_vec()))]
        };
        let stage = p.op("Stage", &[DType::I64], &[0], shared());
        let unstage = p.op("Unstage", &[], &[], shared());
        let taken = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for k in 0..3 {
                let (p, stage, unstage, taken) = (&p, &stage, &unstage, &taken);
                scope.spawn(move || {
                    for v in k * EACH..(k + 1) * EACH {
                        p.run_to_end(stage, &[&Tensor::scalar(v)]).unwrap();
                    }
                });
                scope.spawn(move || {
                    for _ in 0..EACH {
                        let tuple = p.run_to_end(unstage, &[]).unwrap();
                        taken.lock().extend(values(&tuple));
                    }
                });
            }
        });
        let mut taken = taken.into_inner();
        taken.sort_unstable();
        assert_eq!(taken, (0..3 * EACH).collect::<Vec<_>>());
    });
}

#[test]
fn a_staging_map_hands_out_each_key_to_who_waits_for_it() {
    const KEYS: i64 = 300;
    ends(|| {
        let p = Pipeline::new();
        let shared = |name: &str| {
            vec![types(name, 1), int("capacity", 4), ("shared_name".to_owned(), AttrValue::Str(b"map".to_vec()))]
        };
        let inputs = [DType::I64, DType::I32, DType::I64];
        let mut attrs = shared("fake_dtypes");
        attrs.push(types("dtypes", 1));
        let stage = p.op("OrderedMapStage", &inputs, &[2], attrs);
        let unstage = p.op("OrderedMapUnstage", &inputs[..2], &[], shared("dtypes"));
        let index = Tensor::from_slice([1], &[0i32]).unwrap();
        std::thread::scope(|scope| {
            for k in 0..2 {
                let (p, stage, unstage, index) = (&p, &stage, &unstage, &index);
                let mine = move || (0..KEYS).filter(move |key| key % 2 == k);
                scope.spawn(move || {
                    for key in mine() {
                        p.run_to_end(stage, &[&Tensor::scalar(key), index, &Tensor::scalar(key * key)]).unwrap();
                    }
                });
                scope.spawn(move || {
                    for key in mine() {
                        let tuple = p.run_to_end(unstage, &[&Tensor::scalar(key), index]).unwrap();
                        assert_eq!(values(&tuple), [key * key]);
                    }
                });
            }
        });
    });
}

/// An iterator over twice the numbers below `stop`, mapped by three threads and read ahead by one.
struct Doubled {
    pipeline: Pipeline,
    handle: Tensor,
    dataset: Tensor,
    start: Operation,
    next: Operation,
}

impl Doubled {
    fn new(stop: i64) -> Doubled {
        let p = Pipeline::new();
        let signed = |more: Vec<(String, AttrValue)>| {
            let signature = [types("output_types", 1), scalars("output_shapes", 1)];
            signature.into_iter().chain(more).collect::<Vec<_>>()
        };
        let one = |op: &Operation, inputs: &[&Tensor]| p.run_to_end(op, inputs).unwrap().remove(0);
        let [zero, stop, step] = [0, stop, 1].map(Tensor::scalar::<i64>);
        let range = one(&p.op("RangeDataset", &[DType::I64; 3], &[], signed(vec![])), &[&zero, &stop, &step]);
        let function = AttrValue::Func(Func { name: "twice".to_owned(), attrs: Default::default() });
        let mapped = vec![("f".to_owned(), function), ("Targuments".to_owned(), AttrValue::List(vec![]))];
        let map = p.add_map(signed(mapped));
        let mapped = one(&map, &[&range, &Tensor::scalar(3i32)]);
        let prefetch = p.op("PrefetchDataset", &[DType::Variant, DType::I64], &[], signed(vec![]));
        let dataset = one(&prefetch, &[&mapped, &Tensor::scalar(4i64)]);
        let empty = |name: &str| (name.to_owned(), AttrValue::Str(vec![]));
        let iterator = p.op("IteratorV2", &[], &[], signed(vec![empty("shared_name"), empty("container")]));
        let handle = one(&iterator, &[]);
        let start = p.op("MakeIterator", &[DType::Variant, DType::Resource], &[], vec![]);
        let next = p.op("IteratorGetNext", &[DType::Resource], &[], signed(vec![]));
        Doubled { pipeline: p, handle, dataset, start, next }
    }

    fn start(&self) {
        self.pipeline.run_to_end(&self.start, &[&self.dataset, &self.handle]).unwrap();
    }

    fn next(&self) -> Result<i64> {
        self.pipeline.run_to_end(&self.next, &[&self.handle])?[0].to_scalar()
    }
}

impl Pipeline {
    /// Returns a ParallelMapDataset without captured values.
    fn add_map(&self, attrs: Vec<(String, AttrValue)>) -> Operation {
        let given = |dtype| {
            let node = self.add("Given", vec![], vec![("dtype".to_owned(), AttrValue::Type(dtype))]);
            InputArg::One(OutputId { node: node.id, index: 0 })
        };
        let inputs = vec![given(DType::Variant), InputArg::List(vec![]), given(DType::I32)];
        let node = self.add("ParallelMapDataset", inputs, attrs);
        let input_types = &[DType::Variant, DType::I32];
        let kernel = node.op.kernel.unwrap()(&KernelInit { node: &node, input_types, resources: &self.resources });
        Operation { kernel: kernel.unwrap(), node }
    }
}

#[test]
fn threads_that_share_an_iterator_get_every_element_once_and_in_order() {
    ends(|| {
        let doubled = Doubled::new(500);
        for _ in 0..3 {
            doubled.start();
            let taken = Mutex::new(Vec::new());
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let mut mine = Vec::new();
                        let failure = loop {
                            match doubled.next() {
                                Ok(value) => mine.push(value),
                                Err(failure) => break failure,
                            }
                        };
                        assert_eq!(failure.code(), Code::OutOfRange);
                        assert!(mine.is_sorted());
                        taken.lock().extend(mine);
                    });
                }
            });
            let mut taken = taken.into_inner();
            taken.sort_unstable();
            assert_eq!(taken, (0..500).map(|v| 2 * v).collect::<Vec<_>>());
        }
    });
}

#[test]
fn an_iterator_may_be_started_anew_while_others_read_it() {
    ends(|| {
        let doubled = Doubled::new(1 << 40);
        doubled.start();
        let reads = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while reads.fetch_add(1, Ordering::Relaxed) < 1000 {
                        assert_eq!(doubled.next().unwrap() % 2, 0);
                    }
                });
            }
            for _ in 0..30 {
                doubled.start();
            }
        });
        doubled.start();
        assert_eq!([doubled.next().unwrap(), doubled.next().unwrap()], [0, 2]);
    });
}
