//! A kernel's view of its node: inputs, outputs, variables, resources, and work that ends later.

#![allow(clippy::unwrap_used)]

use ferroflow_graph::{
    AttrValue, Cancellation, Graph, Kernel, KernelContext, KernelInit, Node, NodeSpec, Op, Pending, RefAccess,
    Registry, ResourceHandle, ResourceName, Resources, Step, Unnamed, Variable, Variables, kernel, no_functions,
    reference_tensor, resource_kernel,
};
use ferroflow_tensor::threads::{Threads, watched};
use ferroflow_tensor::{Code, DType, PartialShape, Result, Shape, Status, Tensor, bail};
use proptest::prelude::*;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn node(op: Op, attrs: Vec<(&str, AttrValue)>) -> Arc<Node> {
    let mut r = Registry::new();
    r.add(op);
    let mut g = Graph::new(r.finish().unwrap());
    let op = g.registry().sorted()[0].name.clone();
    let attrs = attrs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let spec = NodeSpec { op: &op, name: "n", inputs: vec![], control_inputs: vec![], attrs, device: "" };
    let id = g.add_node(spec).unwrap();
    g.node(id).unwrap().clone()
}

fn no_value(_: usize, variable: &Variable) -> Status {
    variable.uninitialized()
}

fn plain() -> Arc<Node> {
    node(Op::new("Plain"), vec![])
}

/// State of a step for one call of a kernel.
#[derive(Default)]
struct World {
    cancellation: Cancellation,
    resources: Resources,
    locals: Resources,
}

impl World {
    fn step(&self) -> Step<'_> {
        Step {
            threads: Threads::single(),
            cancellation: &self.cancellation,
            resources: &self.resources,
            locals: &self.locals,
            functions: no_functions(),
            rendezvous: None,
        }
    }

    /// Calls `f` with the context of a node that has these inputs and variables, and `outputs` outputs.
    fn call<R>(
        &self,
        inputs: &mut [Tensor],
        handles: &[Option<Arc<Variable>>],
        read_later: u64,
        f: impl FnOnce(KernelContext<'_>) -> R,
    ) -> (R, Vec<Option<Tensor>>) {
        let (step, node, mut outputs) = (self.step(), plain(), vec![None, None]);
        let variables = Variables { handles, read_later, written: SmallVec::new() };
        let result = f(KernelContext::new(&step, &node, inputs, &mut outputs, variables));
        (result, outputs)
    }
}

fn float(value: f32) -> Tensor {
    Tensor::scalar(value)
}

fn number(value: &Option<Tensor>) -> Option<f32> {
    value.as_ref().map(|t| t.to_scalar().unwrap())
}

fn variable(name: &str, value: Option<f32>) -> Arc<Variable> {
    let variable = Variable::new(name, DType::F32);
    *variable.lock() = value.map(float);
    Arc::new(variable)
}

fn add(to: &mut Tensor, x: f32) -> Result<()> {
    to.slice_mut::<f32>()?[0] += x;
    Ok(())
}

/// Returns the error's code and message.
fn failure<T>(result: Result<T>) -> (Code, String) {
    let e = result.err().unwrap();
    (e.code(), e.message().to_owned())
}

#[test]
fn an_input_is_taken_once_and_as_its_only_owner() {
    let world = World::default();
    let shared = float(1.0);
    let mut inputs = [shared.clone(), float(2.0)];
    let (_, outputs) = world.call(&mut inputs, &[], 0, |mut ctx| {
        assert_eq!((ctx.num_inputs(), ctx.num_node_inputs(), ctx.num_outputs(), ctx.name()), (2, 0, 2, "n"));
        add(&mut ctx.take_unique(0).unwrap(), 5.0).unwrap();
        assert_eq!(ctx.input(0).unwrap().dtype(), DType::Bool, "an empty tensor is left");
        assert_eq!(ctx.take(1).unwrap().to_scalar::<f32>(), Ok(2.0));
        assert_eq!((failure(ctx.take(2)).0, failure(ctx.input(2)).0), (Code::Internal, Code::Internal));
        ctx.inputs_mut()[0] = float(3.0);
        assert_eq!(ctx.input(0).unwrap().to_scalar::<f32>(), Ok(3.0));
        ctx.set_output(1, float(7.0));
        ctx.set_output(2, float(8.0));
    });
    assert_eq!(shared.to_scalar::<f32>(), Ok(1.0), "another reader holds it");
    assert_eq!((number(&outputs[0]), number(&outputs[1])), (None, Some(7.0)));
    let (all, _) = world.call(&mut [float(1.0), float(2.0)], &[], 0, |mut ctx| {
        let all: Vec<f32> = ctx.take_inputs().iter().map(|t| t.to_scalar().unwrap()).collect();
        assert!(ctx.inputs().len() == 2 && ctx.inputs().iter().all(|t| t.dtype() == DType::Bool));
        all
    });
    assert_eq!(all, [1.0, 2.0]);
}

#[test]
fn blocking_work_runs_at_once_unless_the_executor_takes_it() {
    let world = World::default();
    let work = |_: &Cancellation| Ok(smallvec![float(1.0), float(2.0)]);
    let (_, outputs) = world.call(&mut [], &[], 0, |mut ctx| {
        ctx.run_blocking(work).unwrap();
        assert!(ctx.take_work().is_none() && ctx.take_pending().is_none());
    });
    assert_eq!((number(&outputs[0]), number(&outputs[1])), (Some(1.0), Some(2.0)));
    let (left, outputs) = world.call(&mut [], &[], 0, |mut ctx| {
        ctx.offload_blocking_work();
        ctx.run_blocking(work).unwrap();
        let left = ctx.take_work();
        assert!(ctx.take_work().is_none());
        left
    });
    assert!(outputs.iter().all(Option::is_none));
    assert_eq!(left.unwrap()(&world.cancellation).unwrap().len(), 2);
    let (ran, _) = world.call(&mut [], &[], 0, |mut ctx| ctx.run_blocking(|_| bail!(Aborted, "no")));
    assert_eq!(failure(ran), (Code::Aborted, "no".to_owned()));
}

struct Never;

impl Pending for Never {
    fn poll(&mut self) -> Option<Result<SmallVec<[Tensor; 2]>>> {
        None
    }
}

#[test]
fn what_waits_is_taken_once_and_is_no_work() {
    let world = World::default();
    world.call(&mut [], &[], 0, |mut ctx| {
        ctx.wait_for(Never);
        assert!(ctx.take_work().is_none());
        let pending = ctx.take_pending().unwrap();
        assert_eq!(pending.cancelled(), "Step was cancelled");
        assert!(ctx.take_pending().is_none());
    });
}

#[test]
fn a_kernel_ends_by_the_reason_of_its_step() {
    let world = World::default();
    let check = || world.call(&mut [], &[], 0, |ctx| ctx.check_cancelled()).0;
    assert_eq!(check(), Ok(()));
    // The watch of a step cancels it when a signal or a time limit ends it.
    let stop = || {
        world.cancellation.cancel(Status::deadline_exceeded("late"));
        true
    };
    assert_eq!(failure(watched(&stop, check)), (Code::DeadlineExceeded, "late".to_owned()));
    assert_eq!(failure(check()).0, Code::DeadlineExceeded);
}

proptest! {
    #[test]
    fn updates_change_the_variables_and_note_the_versions_that_are_read(
        starts in prop::array::uniform3(prop::option::weighted(0.9, 0..100i32)),
        which in prop::array::uniform2(0..3usize),
        read_later in 0..8u64,
        fails in prop::bool::weighted(0.2),
        assigns in any::<bool>(),
    ) {
        let world = World::default();
        let starts = starts.map(|s| s.map(|s| s as f32));
        let handles: Vec<_> = (0..3).map(|k| Some(variable(&format!("v{k}"), starts[k]))).collect();
        let held: Vec<_> = handles.iter().flatten().map(|v| v.read()).collect();
        let mut inputs = [const { 0.0 }; 3].map(float);
        let last = which[1];
        let ((done, written), _) = world.call(&mut inputs, &handles, read_later, |mut ctx| {
            let change = |t: &mut Tensor| if fails { bail!(Aborted, "no") } else { add(t, 10.0) };
            let done = if which[0] != last {
                ctx.update_many(which, no_value, |[a, b], _| add(a, 1.0).and_then(|()| change(b)))
            } else if assigns {
                let give = |value: &mut Option<Tensor>| *value = Some(float(-1.0));
                ctx.assign(last, |value, _| if fails { bail!(Aborted, "no") } else { give(value); Ok(()) })
            } else {
                ctx.update(last, |t, _| change(t))
            };
            (done, ctx.into_written())
        });
        let assigned = which[0] == last && assigns;
        let uninitialized = which.iter().find(|&&k| starts[k].is_none() && !assigned);
        let valid = !fails && uninitialized.is_none();
        prop_assert_eq!(done.is_ok(), valid);
        if let Some(k) = uninitialized {
            let message = format!("Attempting to use uninitialized value v{k}");
            prop_assert_eq!(failure(done), (Code::FailedPrecondition, message));
        }
        let mut expected = starts;
        if valid && which[0] != last {
            expected[which[0]] = expected[which[0]].map(|x| x + 1.0);
        }
        if valid {
            expected[last] = if assigned { Some(-1.0) } else { expected[last].map(|x| x + 10.0) };
        }
        for (k, (variable, held)) in handles.iter().flatten().zip(&held).enumerate() {
            if valid {
                prop_assert_eq!(number(&variable.read()), expected[k]);
            }
            prop_assert_eq!(number(held), starts[k], "a reader holds the value of before");
        }
        let mut noted: Vec<_> = written.iter().map(|(k, t)| (*k, t.to_scalar::<f32>().unwrap())).collect();
        noted.sort_by_key(|(k, _)| *k);
        let of = if which[0] == last { &which[1..] } else { &which[..] };
        let mut versions: Vec<_> = of.iter().filter(|&&k| valid && read_later >> k & 1 == 1).collect();
        versions.sort();
        prop_assert_eq!(noted, versions.into_iter().map(|&k| (k, expected[k].unwrap())).collect::<Vec<_>>());
    }
}

#[test]
fn a_variable_that_is_named_twice_is_refused() {
    let (world, v) = (World::default(), variable("v", Some(1.0)));
    let handles = [Some(v.clone()), Some(variable("w", Some(2.0))), Some(v)];
    let (done, _) = world.call(&mut [], &handles, 0, |mut ctx| ctx.update_many([0, 1, 2], no_value, |_, _| Ok(())));
    let message = "n updates variable v through two of its inputs".to_owned();
    assert_eq!(failure(done), (Code::InvalidArgument, message));
}

#[test]
fn updates_of_the_same_variables_in_any_order_lose_nothing_and_end() {
    let world = World::default();
    let all: Vec<_> = (0..3).map(|k| Some(variable(&format!("v{k}"), Some(0.0)))).collect();
    std::thread::scope(|scope| {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let (world, all) = (&world, &all);
            scope.spawn(move || {
                let handles = order.map(|k| all[k].clone());
                for _ in 0..500 {
                    let update = |mut ctx: KernelContext<'_>| {
                        ctx.update_many([0, 1, 2], no_value, |all, _| all.into_iter().try_for_each(|t| add(t, 1.0)))
                    };
                    world.call(&mut [], &handles, 0, update).0.unwrap();
                }
            });
        }
    });
    for variable in all.iter().flatten() {
        assert_eq!(number(&variable.read()), Some(2000.0));
    }
}

#[test]
fn a_variable_is_found_by_its_reference_or_its_handle() {
    let world = World::default();
    let name = ResourceName { container: String::new(), name: "h".into() };
    let by_handle = Arc::new(Variable::of_handle(&name, DType::F32));
    let handle = || ResourceHandle::new(name.clone(), by_handle.clone()).into_tensor().unwrap();
    let by_reference = variable("r", Some(1.0));
    let handles = [Some(by_reference.clone()), None, None];
    let mut inputs = [float(0.0), handle(), float(0.0)];
    world.call(&mut inputs, &handles, 0, |mut ctx| {
        assert!(Arc::ptr_eq(&ctx.variable(0).unwrap(), &by_reference));
        assert!(Arc::ptr_eq(&ctx.variable(1).unwrap(), &by_handle));
        let message = "Input 2 of n is not a variable's reference".to_owned();
        assert_eq!(failure(ctx.variable(2)), (Code::InvalidArgument, message));
        let message = "Error while reading resource variable h from Container: localhost. This could mean that the \
                       variable was uninitialized. Not found: Resource localhost/h/N10tensorflow3VarE does not exist.";
        assert_eq!(failure(ctx.read_handle(1, DType::F32)), (Code::FailedPrecondition, message.to_owned()));
    });
    *by_handle.lock() = Some(float(3.0));
    let mut inputs = [float(4.0), handle(), handle()];
    world.call(&mut inputs, &handles, 0, |mut ctx| {
        ctx.read_handle(0, DType::F32).unwrap();
        ctx.read_handle(1, DType::F32).unwrap();
        assert_eq!(ctx.input(0).unwrap().to_scalar::<f32>(), Ok(4.0), "the plan has put the value here");
        assert_eq!(ctx.input(1).unwrap().to_scalar::<f32>(), Ok(3.0));
        let message = "Trying to read variable with wrong dtype. Expected int32 got float32".to_owned();
        assert_eq!(failure(ctx.read_handle(2, DType::I32)), (Code::InvalidArgument, message));
    });
}

#[test]
fn each_step_has_a_temporary_variable_of_its_own() {
    let shared = Arc::new(Variable::temporary("t", DType::F32, Shape::from([2])));
    let (first, second) = (Resources::new(), Resources::new());
    assert!(shared.is_temporary() && !variable("v", None).is_temporary());
    let of_first = shared.in_step(&first).unwrap();
    assert!(Arc::ptr_eq(&of_first, &shared.in_step(&first).unwrap()));
    assert!(!Arc::ptr_eq(&of_first, &shared.in_step(&second).unwrap()));
    *of_first.lock() = Some(float(5.0));
    assert_eq!(number(&shared.read_in_step(&first).unwrap()), Some(5.0));
    let zeros = shared.read_in_step(&second).unwrap().unwrap();
    assert_eq!(zeros.slice::<f32>().unwrap(), [0.0, 0.0]);
    assert!(!shared.is_initialized() && of_first.is_initialized());
    let permanent = variable("v", Some(1.0));
    assert!(Arc::ptr_eq(&permanent, &permanent.in_step(&first).unwrap()));
}

fn named(op: Op) -> Op {
    op.attr("container: string = ''").attr("shared_name: string = ''")
}

fn text(text: &str) -> AttrValue {
    AttrValue::Str(text.as_bytes().to_vec())
}

#[test]
fn a_resource_has_the_name_that_its_node_gives() {
    let of = |container: &str, shared: &str, unnamed| {
        let attrs = vec![("container", text(container)), ("shared_name", text(shared))];
        ResourceName::of_node(&node(named(Op::new("Queue")).output("o: resource"), attrs), unnamed)
    };
    let name = |container: &str, name: &str| Ok(ResourceName { container: container.into(), name: name.into() });
    assert_eq!(of("", "", Unnamed::NodeName), name("", "n"));
    assert_eq!(of("c.1/d-e", "s", Unnamed::NodeName), name("c.1/d-e", "s"));
    assert_eq!(of("c", "s", Unnamed::Private), name("c", "s"));
    let (first, second) = (of("", "", Unnamed::Private).unwrap(), of("", "", Unnamed::Private).unwrap());
    assert!(first != second && first.name.starts_with('_') && first.name.ends_with("_n"));
    let message = "shared_name cannot start with '_':_s".to_owned();
    assert_eq!(failure(of("", "_s", Unnamed::NodeName)), (Code::InvalidArgument, message));
    for container in ["-a", "/a", "a b", "a_b", "\u{e9}"] {
        let message = format!("container contains invalid characters: {container}");
        assert_eq!(failure(of(container, "", Unnamed::NodeName)), (Code::InvalidArgument, message));
    }
}

#[test]
fn a_resource_is_made_once_and_again_after_its_container_is_cleared() {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let make = |init: &KernelInit<'_>| -> Result<Box<dyn Kernel>> {
        let check = |made: &u32| if *made == 2 { bail!(InvalidArgument, "not this") } else { Ok(()) };
        resource_kernel(init, Unnamed::NodeName, |_, _| Ok(MADE.fetch_add(1, Ordering::Relaxed)), check)
    };
    for (output, dtype) in [("o: resource", DType::Resource), ("o: Ref(string)", DType::String)] {
        MADE.store(0, Ordering::Relaxed);
        let node = node(named(Op::new("Queue")).output(output), vec![("container", text("c"))]);
        let world = World::default();
        let kernel = make(&KernelInit { node: &node, input_types: &[], resources: &world.resources }).unwrap();
        let run = || {
            let (ran, outputs) = world.call(&mut [], &[], 0, |mut ctx| kernel.compute(&mut ctx));
            ran.map(|()| outputs[0].clone().unwrap())
        };
        let reading = |reference: Tensor| {
            let found = world.call(&mut [reference], &[], 0, |ctx| ctx.resource::<u32>(0)).0;
            found.map(|resource| *resource)
        };
        let first = run().unwrap();
        assert_eq!((first.dtype(), reading(first.clone())), (dtype, Ok(0)));
        assert_eq!(reading(run().unwrap()), Ok(0));
        world.resources.clear("other");
        assert_eq!(reading(run().unwrap()), Ok(0));
        world.resources.clear("c");
        assert_eq!(reading(run().unwrap()), Ok(1));
        // A handle keeps its resource; a reference finds what has the name now.
        assert_eq!(reading(first), Ok(if dtype == DType::Resource { 0 } else { 1 }));
        world.resources.clear_all();
        assert_eq!(failure(run()), (Code::InvalidArgument, "not this".to_owned()));
    }
}

#[test]
fn a_name_is_forgotten_whatever_has_it() {
    let (r, name) = (Resources::new(), ResourceName { container: "c".into(), name: "n".into() });
    assert!(!r.forget(&name));
    for (container, n) in [("c", "n"), ("c", "m"), ("d", "n")] {
        r.lookup_or_create(container, n, || Ok(1u32)).unwrap();
        r.lookup_or_create(container, n, || Ok(1u64)).unwrap();
    }
    assert!(r.forget(&name) && !r.forget(&name));
    let known = |container, n| (r.lookup::<u32>(container, n).is_some(), r.lookup::<u64>(container, n).is_some());
    assert_eq!([known("c", "n"), known("c", "m"), known("d", "n")], [(false, false), (true, true), (true, true)]);
}

#[test]
fn a_reference_finds_the_steps_own_resource_first() {
    let (world, name) = (World::default(), ResourceName { container: "c".into(), name: "n".into() });
    let find = || {
        let mut inputs = [reference_tensor(&name).unwrap()];
        world.call(&mut inputs, &[], 0, |ctx| ctx.resource::<u32>(0)).0.map(|found| *found)
    };
    assert_eq!(failure(find()), (Code::NotFound, "Resource c/n/u32 does not exist.".to_owned()));
    world.resources.insert(&name, Arc::new(1u32));
    assert_eq!(find(), Ok(1));
    world.locals.insert(&name, Arc::new(2u32));
    assert_eq!(find(), Ok(2));
    let mut inputs = [Tensor::from_strings([1], vec![b"c"[..].into()]).unwrap()];
    let found = world.call(&mut inputs, &[], 0, |ctx| ctx.resource::<u32>(0)).0;
    let message = "Resource handle must have 2 elements, but had shape: [1]".to_owned();
    assert_eq!(failure(found), (Code::InvalidArgument, message));
}

#[test]
fn a_variable_is_shared_by_name_within_its_type() {
    let r = Resources::new();
    let variable = |op: Op, dtype, shared: &str| {
        let op = named(op.attr("dtype: type"));
        r.variable(&node(op, vec![("dtype", AttrValue::Type(dtype)), ("shared_name", text(shared))]))
    };
    let reference = || Op::new("VariableV2").output("ref: Ref(dtype)");
    let handle = || Op::new("VarHandleOp").output("handle: resource");
    let v = variable(reference(), DType::F32, "v").unwrap();
    assert!(Arc::ptr_eq(&v, &variable(reference(), DType::F32, "v").unwrap()));
    assert_eq!((&*v.name, v.dtype, v.is_initialized()), ("v", DType::F32, false));
    assert_eq!(v.uninitialized().message(), "Attempting to use uninitialized value v");
    let message = "Variable v exists with type float32, but n names it with type int32".to_owned();
    assert_eq!(failure(variable(reference(), DType::I32, "v")), (Code::InvalidArgument, message));
    let h = variable(handle(), DType::F32, "h").unwrap();
    assert!(h.is_of_handle() && !v.is_of_handle());
    assert!(
        h.uninitialized().message().starts_with("Error while reading resource variable h from Container: localhost")
    );
    let through = |op: Op| node(op, vec![]).op.clone();
    let missing = |variable: &Variable, op: Op| {
        let status = variable.missing_for(&through(op));
        (status.code(), status.message().to_owned())
    };
    let not_found = (Code::NotFound, "Resource localhost/h/N10tensorflow3VarE does not exist.".to_owned());
    assert_eq!((h.not_found().code(), h.not_found().message().to_owned()), not_found);
    assert_eq!(v.not_found().code(), Code::FailedPrecondition);
    for access in [RefAccess::Read, RefAccess::Write] {
        assert_eq!(missing(&h, Op::new("Update").handles(access)), not_found);
    }
    assert_eq!(missing(&h, Op::new("Read").snapshot()).0, Code::FailedPrecondition);
    assert_eq!(missing(&v, Op::new("Update").handles(RefAccess::Write)).0, Code::FailedPrecondition);
    let temporary = |shape: PartialShape, name: &str| {
        let op = Op::new("TemporaryVariable").output("ref: Ref(dtype)").attr("dtype: type").attr("shape: shape");
        let op = op.attr("var_name: string = ''");
        let attrs = vec![("dtype", AttrValue::Type(DType::F32)), ("shape", AttrValue::Shape(shape))];
        r.variable(&node(op, [attrs, vec![("var_name", text(name))]].concat()))
    };
    let (own, given) =
        (temporary(PartialShape::scalar(), "").unwrap(), temporary(PartialShape::scalar(), "t").unwrap());
    assert_eq!((&*own.name, &*given.name, own.is_temporary()), ("n", "t", true));
    let message = "The shape of temporary variable n must be known".to_owned();
    assert_eq!(failure(temporary(PartialShape::unknown(), "")), (Code::InvalidArgument, message));
}

#[test]
fn a_constructor_reports_types_without_a_kernel() {
    let node = node(Op::new("Odd").output("o: float").attr("k: int = 5"), vec![]);
    let resources = Resources::new();
    let init = KernelInit { node: &node, input_types: &[DType::F32, DType::I8], resources: &resources };
    assert_eq!((init.input_type(1), init.output_type(0)), (Ok(DType::I8), Ok(DType::F32)));
    assert_eq!(init.int("k"), Ok(5));
    assert_eq!((failure(init.input_type(2)).0, failure(init.output_type(1)).0), (Code::Internal, Code::Internal));
    let message = "No OpKernel was registered to support Op 'Odd' with these types: [float, int8]";
    assert_eq!(init.unsupported().message(), message);
    assert!(kernel(|_| Ok(())).is_ok());
}
