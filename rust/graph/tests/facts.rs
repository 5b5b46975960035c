//! Facts of ops and the library of shape rules; attributes, functions, and the bells of steps.

#![allow(clippy::unwrap_used)]

use ferroflow_graph::{
    AttrMap, AttrValue, Bell, Blocking, BuildError, Cancellation, Func, Function, Graph, InputArg, NodeSpec, Op, OpDef,
    OutputId, Registry, ShapeContext, no_functions, shape_rules,
};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{Code, DType, PartialShape, Result, Status, Tensor};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn defined(op: Op) -> Arc<OpDef> {
    let mut r = Registry::new();
    r.add(op);
    r.finish().unwrap().sorted()[0].clone()
}

#[test]
fn an_op_has_the_facts_that_its_definition_states() {
    let op = || Op::new("A");
    let state = |op: Op| {
        let op = defined(op);
        (op.has_effects(), op.keeps_state(), op.is_listed_stateful())
    };
    let cases = [
        (op(), (false, false, false)),
        (op().stateful(), (true, true, true)),
        (op().memoryless(), (true, false, true)),
        (op().only_checks(), (true, false, true)),
        (op().stateful().foreign(), (true, false, true)),
        (op().foreign(), (false, false, false)),
        (op().variable(), (true, false, true)),
        (op().input("x: resource"), (true, false, false)),
        (op().stateful().listed_stateful(false), (true, true, false)),
        (op().listed_stateful(true), (false, false, true)),
    ];
    for (k, (op, expected)) in cases.into_iter().enumerate() {
        assert_eq!(state(op), expected, "case {k}");
    }
    let writes = |op: Op| defined(op).may_write_in_functions();
    let f = || op().attr("n: int").attr("f: func");
    assert!(writes(f().blocks(Blocking::Code)));
    assert!(
        !writes(f().blocks(Blocking::Files)) && !writes(f()) && !writes(op().attr("n: int").blocks(Blocking::Code))
    );
    let hangs = [Blocking::Code, Blocking::Pipeline, Blocking::Files, Blocking::Decoding].map(Blocking::may_hang);
    assert_eq!(hangs, [true, true, false, false]);
    let two = defined(op().attr("n: int").attr("dtype: list(type) >= 1 = [DT_FLOAT]"));
    assert_eq!((two.attr("dtype").unwrap().minimum, two.attr("n").unwrap().minimum), (Some(1), None));
    assert_eq!(
        (two.attr("dtype").unwrap().type_name(), two.attr("n").unwrap().type_name()),
        ("list(type)".into(), "int".into())
    );
    assert!(two.attr("f").is_none() && defined(f()).attr("f").unwrap().type_name() == "func");
    let types = |text: &str| defined(op().attr(text)).attrs[0].allowed_types.clone();
    let numbers = types("T: numbertype");
    assert!([DType::F32, DType::BF16, DType::Complex64, DType::QI32, DType::U64].iter().all(|t| numbers.contains(t)));
    assert!([DType::String, DType::Bool, DType::Resource].iter().all(|t| !numbers.contains(t)));
    assert_eq!(types("T: quantizedtype"), [DType::QI8, DType::QU8, DType::QI32, DType::QI16, DType::QU16]);
}

proptest! {
    #[test]
    fn attributes_are_a_map_in_the_order_of_their_first_values(
        changes in prop::collection::vec((0..6u8, prop::option::weighted(0.7, any::<i64>())), 0..20),
    ) {
        let (mut attrs, mut model) = (AttrMap::default(), Vec::<(String, i64)>::new());
        for (name, value) in changes {
            let name = format!("a{name}");
            let place = model.iter().position(|(n, _)| *n == name);
            match (value, place) {
                (Some(value), place) => {
                    attrs.set(&*name, AttrValue::Int(value));
                    match place {
                        Some(place) => model[place].1 = value,
                        None => model.push((name, value)),
                    }
                }
                (None, place) => {
                    let removed = place.map(|place| AttrValue::Int(model.remove(place).1));
                    prop_assert_eq!(attrs.remove(&name), removed);
                }
            }
            let found: Vec<_> = attrs.iter().map(|(n, v)| (n.to_owned(), v.clone())).collect();
            let expected: Vec<_> = model.iter().map(|(n, v)| (n.clone(), AttrValue::Int(*v))).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!((attrs.len(), attrs.is_empty()), (model.len(), model.is_empty()));
        }
    }

    #[test]
    fn an_axis_counts_from_either_end(axis in -6..6i64, rank in 0..5usize) {
        let found = shape(Op::new("A").attr("axis: int").attr("rank: int").output("o: float").shape(|c| {
            let axis = c.axis(c.int("axis")?, c.int("rank")? as usize)?;
            c.set_output(0, PartialShape::vector(Some(axis)));
            Ok(())
        }), &[], vec![("axis", AttrValue::Int(axis)), ("rank", AttrValue::Int(rank as i64))]);
        let n = rank as i64;
        let expected = (-n..n).contains(&axis).then(|| vec![PartialShape::vector(Some(((axis + n) % n) as usize))]);
        prop_assert_eq!(found.ok(), expected);
    }
}

/// Returns the shapes of the outputs of a node of op A, whose inputs have these shapes and values.
fn shape(op: Op, inputs: &[Source], attrs: Vec<(&str, AttrValue)>) -> Result<Vec<PartialShape>, BuildError> {
    let mut r = Registry::new();
    let source = Op::new("Source").output("o: float").attr("shape: shape").shape(shape_rules::from_shape_attr);
    r.add(source);
    r.add(Op::new("Const").output("o: dtype").attr("value: tensor").attr("dtype: type"));
    r.add(op);
    let mut g = Graph::new(r.finish().unwrap());
    let mut add = |op: &str, inputs, attrs: Vec<(&str, AttrValue)>| {
        let name = format!("n{}", g.len());
        let attrs = attrs.into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        g.add_node(NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: "" })
    };
    let mut outputs = Vec::new();
    for input in inputs {
        let node = match input {
            Source::Shape(shape) => add("Source", vec![], vec![("shape", AttrValue::Shape(shape.clone()))])?,
            Source::Value(value) => {
                let dtype = AttrValue::Type(value.dtype());
                add("Const", vec![], vec![("value", AttrValue::Tensor(value.clone())), ("dtype", dtype)])?
            }
        };
        outputs.push(InputArg::One(OutputId { node, index: 0 }));
    }
    let node = add("A", outputs, attrs)?;
    Ok(g.node(node)?.outputs.iter().map(|o| o.shape.clone()).collect())
}

enum Source {
    Shape(PartialShape),
    Value(Tensor),
}

#[test]
fn shape_rules_give_what_their_names_say() {
    let of = |dims: &[Option<usize>]| PartialShape::from_dims(dims);
    let given = |dims: &[Option<usize>]| Source::Shape(PartialShape::from_dims(dims));
    let two = || Op::new("A").input("x: float").input("y: float").output("o: float");
    let inputs = || [given(&[Some(3), None]), given(&[Some(1), Some(4)])];
    let found = shape(two().shape(shape_rules::broadcast_binary), &inputs(), vec![]);
    assert_eq!(found, Ok(vec![of(&[Some(3), Some(4)])]));
    let inputs = || [given(&[Some(3), None]), given(&[None, Some(4)])];
    assert_eq!(shape(two().shape(shape_rules::merged), &inputs(), vec![]), Ok(vec![of(&[Some(3), Some(4)])]));
    assert_eq!(shape(two().shape(shape_rules::unchanged), &inputs(), vec![]), Ok(vec![of(&[Some(3), None])]));
    let scalars = shape(two().output("p: float").shape(shape_rules::scalar), &inputs(), vec![]);
    assert_eq!(scalars, Ok(vec![PartialShape::scalar(); 2]));
    let unknown = shape(two().output("p: float").shape(shape_rules::unknown), &inputs(), vec![]);
    assert_eq!(unknown, Ok(vec![PartialShape::unknown(); 2]));
    let differ = [given(&[Some(3)]), given(&[Some(4)])];
    for rule in [shape_rules::broadcast_binary, shape_rules::merged] {
        assert!(matches!(shape(two().shape(rule), &differ, vec![]), Err(BuildError::Value(_))));
    }
}

#[test]
fn a_shape_rule_sees_numbers_of_inputs_and_their_values() {
    let sees = |c: &mut ShapeContext<'_>| {
        assert_eq!((c.num_inputs(), c.num_outputs()), (3, 2));
        assert_eq!((c.input_type(0)?, c.input_type(1)?, c.input_handle(0)?), (DType::F32, DType::I32, None));
        assert!(c.input_value(0)?.is_none() && c.input_i64s(0)?.is_none() && c.input_i64(0)?.is_none());
        assert_eq!(c.input_value(1)?.map(|t| t.to_scalar::<i32>()), Some(Ok(7)));
        assert_eq!((c.input_i64s(1)?, c.input_i64(1)?), (Some(vec![7]), Some(7)));
        assert_eq!(c.input_i64s(2)?, Some(vec![5, 6]));
        assert!(c.input(3).is_err());
        c.input_i64(2).map(drop)
    };
    let op = Op::new("A").input("x: float").input("y: int32").input("z: int64").output("o: float").output("p: float");
    let inputs = [
        Source::Shape(PartialShape::scalar()),
        Source::Value(Tensor::scalar(7i32)),
        Source::Value(Tensor::from_slice([2], &[5i64, 6]).unwrap()),
    ];
    let refused = shape(op.shape(sees), &inputs, vec![]).unwrap_err().to_string();
    assert!(refused.starts_with("Input must be scalar but has 2 elements for 'n3' (op: 'A')"), "{refused}");
}

#[test]
fn errors_show_their_message() {
    assert_eq!(BuildError::value("a").to_string(), "a");
    assert_eq!(BuildError::type_error("b").to_string(), "b");
    assert!(BuildError::from(Status::new(Code::NotFound, "c")).to_string().contains('c'));
    assert_eq!(BuildError::from(Status::invalid_argument("d")), BuildError::Value("d".to_owned()));
}

#[test]
fn a_library_has_each_name_once() {
    let g = Graph::new(Registry::new().finish().unwrap());
    let function = || Function {
        name: "f".to_owned(),
        graph: Arc::new(RwLock::new(Graph::new(g.registry().clone()))),
        arguments: vec![],
        results: vec![],
        effects: vec![],
    };
    assert!(!g.functions().contains("f"));
    assert_eq!(g.functions().get("f").err().unwrap().message(), "Function f is not defined.");
    g.functions().add(function()).unwrap();
    assert!(g.functions().contains("f") && !g.functions().contains("g"));
    assert_eq!(g.functions().get("f").unwrap().name, "f");
    assert_eq!(g.functions().add(function()).unwrap_err().code(), Code::AlreadyExists);
    let outside = no_functions();
    assert_eq!(outside.registry().err().unwrap().code(), Code::Unimplemented);
    assert_eq!(outside.definition("f").err().unwrap().code(), Code::Unimplemented);
    assert_eq!(outside.clone().instance("f").err().unwrap().code(), Code::Unimplemented);
    assert_eq!(outside.beside(Arc::default()).err().unwrap().code(), Code::Unimplemented);
}

#[test]
fn the_nodes_of_a_graph_are_listed_with_their_colocation_and_a_touch_is_a_change() {
    let mut r = Registry::new();
    r.add(Op::new("A"));
    let mut g = Graph::new(r.finish().unwrap());
    let class = ["loc:@a", "other", "loc:@b/c"].map(|s| AttrValue::Str(s.as_bytes().to_vec()));
    for (name, attrs) in [("a", vec![]), ("b", vec![("_class".to_owned(), AttrValue::List(class.to_vec()))])] {
        let spec = NodeSpec { op: "A", name, inputs: vec![], control_inputs: vec![], attrs, device: "" };
        g.add_node(spec).unwrap();
    }
    assert_eq!(g.nodes().iter().map(|n| &*n.name).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!([0, 1].map(|id| g.node(id).unwrap().colocation()), [vec![], vec!["a".to_owned(), "b/c".to_owned()]]);
    let func = Func { name: "f".to_owned(), attrs: AttrMap::default() };
    g.set_attr(0, "_f", AttrValue::Func(func.clone())).unwrap();
    assert_eq!(g.node(0).unwrap().attrs.func("_f"), Ok(func));
    let version = g.version();
    g.touch();
    assert!(g.version() > version);
}

#[test]
fn a_bell_wakes_the_first_waker_and_each_listener_hears_new_rings() {
    let (bell, woken) = (Bell::default(), Arc::new(AtomicUsize::new(0)));
    let mut heard = 0;
    assert!(!bell.rang(&mut heard));
    let counter = woken.clone();
    bell.wake_by(move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    let counter = woken.clone();
    bell.wake_by(move || {
        counter.fetch_add(100, Ordering::Relaxed);
    });
    bell.ring();
    bell.ring();
    assert_eq!(woken.load(Ordering::Relaxed), 2);
    assert!(bell.rang(&mut heard) && !bell.rang(&mut heard));
    bell.ring();
    assert!(bell.rang(&mut heard));
}

#[test]
fn a_step_is_cancelled_from_its_first_reason_on() {
    let step = Cancellation::new();
    assert!(!step.is_cancelled());
    step.cancel(Status::cancelled("a"));
    assert!(step.is_cancelled());
}
