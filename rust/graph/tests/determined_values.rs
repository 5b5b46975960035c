//! Values and shapes that the graph alone determines are those that a step would compute; everything else is unknown.

#![allow(clippy::unwrap_used)]

use ferroflow_graph::{AttrValue, Graph, InputArg, NodeSpec, Op, OutputId, Registry, kernel, shape_rules};
use ferroflow_tensor::{DType, PartialShape, Tensor};
use proptest::prelude::*;

/// A vector of dimensions, as nodes of a graph compute it.
#[derive(Clone, Debug)]
enum Dims {
    Shape(Vec<Option<usize>>),
    Constant(Vec<i32>),
    Pack(Vec<Option<i32>>),
    Concat(Vec<Dims>),
    Cast(Box<Dims>),
    Slice(Box<Dims>, Slice),
}

#[derive(Clone, Copy, Debug)]
struct Slice {
    begin: Option<i32>,
    end: Option<i32>,
    stride: i32,
}

fn dims() -> impl Strategy<Value = Dims> {
    let known = || prop::option::weighted(0.7, 0..9usize);
    let number = || prop_oneof![Just(-1), 0..9i32];
    let leaf = prop_oneof![
        prop::collection::vec(known(), 0..5).prop_map(Dims::Shape),
        prop::collection::vec(number(), 0..5).prop_map(Dims::Constant),
        prop::collection::vec(prop::option::weighted(0.7, number()), 1..5).prop_map(Dims::Pack),
    ];
    leaf.prop_recursive(4, 16, 3, move |inner| {
        let slice = (prop::option::of(-6..6i32), prop::option::of(-6..6i32), 1..4i32)
            .prop_map(|(begin, end, stride)| Slice { begin, end, stride });
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Dims::Concat),
            inner.clone().prop_map(|d| Dims::Cast(Box::new(d))),
            (inner, slice).prop_map(|(d, s)| Dims::Slice(Box::new(d), s)),
        ]
    })
}

/// Returns the dimensions that a step may compute; None for those that it alone decides.
fn expected(dims: &Dims) -> Vec<Option<usize>> {
    match dims {
        Dims::Shape(dims) => dims.clone(),
        Dims::Constant(values) => values.iter().map(|&d| usize::try_from(d).ok()).collect(),
        Dims::Pack(parts) => parts.iter().map(|d| d.and_then(|d| usize::try_from(d).ok())).collect(),
        Dims::Concat(parts) => parts.iter().flat_map(expected).collect(),
        Dims::Cast(dims) => expected(dims),
        Dims::Slice(dims, s) => {
            let all = expected(dims);
            let n = all.len() as i32;
            let place = |bound: i32| (if bound < 0 { bound + n } else { bound }).clamp(0, n) as usize;
            let (begin, end) = (s.begin.map_or(0, place), s.end.map_or(all.len(), place));
            (begin..end).step_by(s.stride as usize).map(|i| all[i]).collect()
        }
    }
}

fn registry() -> Registry {
    let mut r = Registry::new();
    r.add(Op::new("Const").output("output: dtype").attr("value: tensor").attr("dtype: type").shape(|c| {
        let shape = c.tensor("value")?.shape().into();
        c.set_output(0, shape);
        Ok(())
    }));
    let source = Op::new("Source").output("output: int32").attr("shape: shape = { unknown_rank: true }");
    r.add(source.shape(shape_rules::from_shape_attr));
    let of_shape = |name: &str| {
        Op::new(name).input("x: int32").output("output: out_type").attr("out_type: {int32, int64} = DT_INT32")
    };
    r.add(of_shape("Shape").shape(|c| {
        let rank = c.input(0)?.rank();
        c.set_output(0, PartialShape::vector(rank));
        Ok(())
    }));
    r.add(of_shape("Size").shape(shape_rules::scalar));
    r.add(of_shape("Rank").shape(shape_rules::scalar));
    r.add(
        Op::new("Pack").input("values: N * T").output("output: T").attr("N: int").attr("T: type").attr("axis: int = 0"),
    );
    r.add(Op::new("ConcatV2").input("values: N * int32").input("axis: int32").output("output: int32").attr("N: int"));
    r.add(Op::new("Cast").input("x: int32").output("y: int32").shape(shape_rules::unchanged));
    let masks = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"];
    let slice = ["input: int32", "begin: int32", "end: int32", "strides: int32"];
    let slice = slice.into_iter().fold(Op::new("StridedSlice").output("output: int32"), Op::input);
    r.add(masks.into_iter().fold(slice, |op, mask| op.attr(&format!("{mask}: int = 0"))));
    r.add(Op::new("Fill").input("dims: int32").output("output: float").shape(shape_rules::from_shape_input));
    let shapes = Op::new("ShapeN").input("x: N * int32").output("o: N * int32").attr("N: int");
    r.add(shapes.shape(|c| {
        for i in 0..c.num_outputs() {
            let rank = c.input(i)?.rank();
            c.set_output(i, PartialShape::vector(rank));
        }
        Ok(())
    }));
    let next = |name: &str| {
        Op::new(name).input("x: int32").output("y: int32").shape(shape_rules::unchanged).kernel(|_| {
            kernel(|ctx| {
                let x = ctx.input(0)?.to_scalar::<i32>()?;
                ctx.set_output(0, Tensor::scalar(x + 1));
                Ok(())
            })
        })
    };
    r.add(next("Next"));
    r.add(next("Stateful").stateful());
    r.add(next("Foreign").foreign());
    r.add(next("PlaceholderWithDefault"));
    r.add(Op::new("Switch").input("data: int32").input("pred: bool").output("f: int32").output("t: int32"));
    let partial = Op::new("Partial").input("x: int32").output("output: float");
    r.add(partial.shape(|c| {
        let known = c.input_partial_i64s(0)?;
        let dims = known.map(|all| all.into_iter().map(|d| d.map(|d| d as usize)).collect::<Vec<_>>());
        c.set_output(0, dims.map_or(PartialShape::unknown(), |dims| PartialShape::from_dims(&dims)));
        Ok(())
    }));
    r
}

fn graph() -> Graph {
    Graph::new(registry().finish().unwrap())
}

fn add(g: &mut Graph, op: &str, inputs: Vec<InputArg>, attrs: Vec<(&str, AttrValue)>) -> OutputId {
    let name = format!("n{}", g.len());
    let attrs = attrs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let node = g.add_node(NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: "" }).unwrap();
    OutputId { node, index: 0 }
}

fn one(output: OutputId) -> InputArg {
    InputArg::One(output)
}

fn constant(g: &mut Graph, value: Tensor) -> OutputId {
    let dtype = value.dtype();
    add(g, "Const", vec![], vec![("value", AttrValue::Tensor(value)), ("dtype", AttrValue::Type(dtype))])
}

fn vector(g: &mut Graph, values: &[i32]) -> OutputId {
    constant(g, Tensor::from_slice([values.len()], values).unwrap())
}

fn source(g: &mut Graph, shape: PartialShape) -> OutputId {
    add(g, "Source", vec![], vec![("shape", AttrValue::Shape(shape))])
}

fn built(g: &mut Graph, dims: &Dims) -> OutputId {
    match dims {
        Dims::Shape(dims) => {
            let x = source(g, PartialShape::from_dims(dims));
            add(g, "Shape", vec![one(x)], vec![])
        }
        Dims::Constant(values) => vector(g, values),
        Dims::Pack(parts) => {
            let parts = parts.iter().map(|part| match part {
                Some(d) => constant(g, Tensor::scalar(*d)),
                None => source(g, PartialShape::scalar()),
            });
            let parts = parts.collect();
            add(g, "Pack", vec![InputArg::List(parts)], vec![])
        }
        Dims::Concat(parts) => {
            let parts = parts.iter().map(|part| built(g, part)).collect();
            let axis = constant(g, Tensor::scalar(0i32));
            add(g, "ConcatV2", vec![InputArg::List(parts), one(axis)], vec![])
        }
        Dims::Cast(dims) => {
            let dims = built(g, dims);
            add(g, "Cast", vec![one(dims)], vec![])
        }
        Dims::Slice(dims, s) => {
            let dims = built(g, dims);
            // Bounds behind a mask are not read.
            let bounds = [s.begin.unwrap_or(3), s.end.unwrap_or(1), s.stride].map(|bound| vector(g, &[bound]));
            let masks = [("begin_mask", s.begin), ("end_mask", s.end)];
            let masks = masks.map(|(name, bound)| (name, AttrValue::Int(bound.is_none().into())));
            add(g, "StridedSlice", [dims, bounds[0], bounds[1], bounds[2]].map(one).into(), masks.into())
        }
    }
}

fn values(t: Option<Tensor>) -> Option<(DType, Vec<i64>)> {
    t.map(|t| (t.dtype(), t.to_i64s().unwrap()))
}

proptest! {
    #[test]
    fn a_vector_of_dimensions_gives_the_shape_that_a_step_would_compute(dims in dims()) {
        let mut g = graph();
        let node = built(&mut g, &dims);
        prop_assert_eq!(g.constant_as_shape(node).unwrap(), PartialShape::from_dims(&expected(&dims)));
    }

    #[test]
    fn size_and_rank_and_shape_are_known_as_far_as_the_shape_is(
        dims in prop::collection::vec(prop::option::weighted(0.8, 0..9usize), 0..4),
        wide in any::<bool>(),
    ) {
        let mut g = graph();
        let x = source(&mut g, PartialShape::from_dims(&dims));
        let dtype = if wide { DType::I64 } else { DType::I32 };
        let mut of = |op| {
            let node = add(&mut g, op, vec![one(x)], vec![("out_type", AttrValue::Type(dtype))]);
            values(g.constant_value(node))
        };
        let all: Option<Vec<i64>> = dims.iter().map(|d| d.map(|d| d as i64)).collect();
        prop_assert_eq!(of("Rank"), Some((dtype, vec![dims.len() as i64])));
        prop_assert_eq!(of("Size"), all.as_ref().map(|all| (dtype, vec![all.iter().product()])));
        prop_assert_eq!(of("Shape"), all.map(|all| (dtype, all)));
    }

    #[test]
    fn packed_vectors_are_known_one_by_one(
        parts in prop::collection::vec(prop::option::of(0..9i32), 1..5),
        each in 1..4usize,
    ) {
        let mut g = graph();
        let rows = parts.iter().map(|d| match d {
            Some(d) => vector(&mut g, &vec![*d; each]),
            None => source(&mut g, PartialShape::vector(Some(each))),
        });
        let rows = rows.collect();
        let pack = add(&mut g, "Pack", vec![InputArg::List(rows)], vec![]);
        let shape = PartialShape::from_dims(&[Some(parts.len()), Some(each)]);
        g.merge_shape(pack, &shape).unwrap();
        let partial = add(&mut g, "Partial", vec![one(pack)], vec![]);
        let known: Vec<_> = parts.iter().flat_map(|d| vec![d.map(|d| d as usize); each]).collect();
        prop_assert_eq!(&g.output(partial).unwrap().shape, &PartialShape::from_dims(&known));
    }

    #[test]
    fn packed_values_are_known_one_by_one(parts in prop::collection::vec(prop::option::of(0..9i32), 1..6)) {
        let mut g = graph();
        let pack = built(&mut g, &Dims::Pack(parts.clone()));
        let partial = add(&mut g, "Partial", vec![one(pack)], vec![]);
        let known: Vec<_> = parts.iter().map(|d| d.map(|d| d as usize)).collect();
        prop_assert_eq!(&g.output(partial).unwrap().shape, &PartialShape::from_dims(&known));
    }
}

#[test]
fn only_pure_ops_of_constants_have_values() {
    let mut g = graph();
    let three = constant(&mut g, Tensor::scalar(3i32));
    let next = add(&mut g, "Next", vec![one(three)], vec![]);
    let after = add(&mut g, "Next", vec![one(next)], vec![]);
    assert_eq!(values(g.constant_value(after)), Some((DType::I32, vec![5])));
    for op in ["Stateful", "Foreign", "PlaceholderWithDefault"] {
        let open = add(&mut g, op, vec![one(three)], vec![]);
        let reader = add(&mut g, "Next", vec![one(open)], vec![]);
        assert_eq!((g.constant_value(open).is_some(), g.constant_value(reader).is_some()), (false, false), "{op}");
    }
    let fed = source(&mut g, PartialShape::scalar());
    assert!(g.constant_value(fed).is_none());
    let failing = vector(&mut g, &[1, 2]);
    let failing = add(&mut g, "Next", vec![one(failing)], vec![]);
    assert!(g.constant_value(failing).is_none(), "a kernel that fails gives no value");
}

#[test]
fn a_switch_has_a_value_at_the_output_that_is_taken() {
    let mut g = graph();
    let data = constant(&mut g, Tensor::scalar(3i32));
    for taken in [false, true] {
        let pred = constant(&mut g, Tensor::scalar(taken));
        let switch = add(&mut g, "Switch", vec![one(data), one(pred)], vec![]);
        for index in 0..2 {
            let value = g.constant_value(OutputId { index, ..switch });
            assert_eq!(value.is_some(), (index == 1) == taken);
        }
    }
}

#[test]
fn large_values_and_long_chains_are_left_to_the_step() {
    let mut g = graph();
    let known = |g: &mut Graph, n: usize| {
        let x = source(g, PartialShape::vector(Some(n)));
        let dims = vector(g, &vec![1; n]);
        let cast = add(g, "Cast", vec![one(dims)], vec![]);
        let partial = add(g, "Partial", vec![one(x)], vec![]);
        let fill = add(g, "Fill", vec![one(cast)], vec![]);
        (g.output(partial).unwrap().shape.rank(), g.output(fill).unwrap().shape.rank())
    };
    assert_eq!(known(&mut g, 4096), (Some(4096), Some(4096)));
    assert_eq!(known(&mut g, 4097).0, None);
    let mut last = constant(&mut g, Tensor::scalar(0i32));
    for k in 1..=300 {
        last = add(&mut g, "Next", vec![one(last)], vec![]);
        assert_eq!(values(g.constant_value(last)), (k <= 256).then(|| (DType::I32, vec![k])));
    }
}

#[test]
fn dimensions_below_minus_one_are_refused() {
    let mut g = graph();
    let bad = vector(&mut g, &[2, -2]);
    assert_eq!(g.constant_as_shape(bad).unwrap_err().message(), "Dimension -2 must be >= -1");
}

#[test]
fn an_unknown_vector_has_the_rank_of_its_length() {
    let mut g = graph();
    let mut filled = |shape| {
        let dims = source(&mut g, shape);
        let fill = add(&mut g, "Fill", vec![one(dims)], vec![]);
        g.output(fill).unwrap().shape.clone()
    };
    assert_eq!(filled(PartialShape::vector(Some(3))), PartialShape::unknown_of_rank(3));
    assert_eq!(filled(PartialShape::vector(None)), PartialShape::unknown());
    assert_eq!(filled(PartialShape::unknown()), PartialShape::unknown());
}

#[test]
fn a_slice_with_unknown_bounds_or_another_form_is_unknown() {
    let mut g = graph();
    let x = source(&mut g, PartialShape::from_dims(&[Some(2), Some(3)]));
    let dims = add(&mut g, "Shape", vec![one(x)], vec![]);
    let unknown = source(&mut g, PartialShape::vector(Some(1)));
    let mut sliced = |bounds: [i32; 3], open: Option<usize>, masks: &[&str]| {
        let mut inputs = vec![dims];
        inputs.extend(bounds.map(|b| vector(&mut g, &[b])));
        if let Some(i) = open {
            inputs[i] = unknown;
        }
        let masks = masks.iter().map(|&mask| (mask, AttrValue::Int(1))).collect();
        let node = add(&mut g, "StridedSlice", inputs.into_iter().map(one).collect(), masks);
        g.constant_as_shape(node).unwrap()
    };
    assert_eq!(sliced([0, 1, 1], None, &[]), PartialShape::from_dims(&[Some(2)]));
    for open in 1..4 {
        assert_eq!(sliced([0, 1, 1], Some(open), &[]).rank(), None);
    }
    let all = ["ellipsis_mask", "new_axis_mask", "shrink_axis_mask"];
    for masks in [&all[..1], &all[1..2], &all[2..], &all[..2], &all[1..]] {
        assert_eq!(sliced([0, 1, 1], None, masks).rank(), None, "{masks:?}");
    }
    for stride in [0, -1] {
        assert_eq!(sliced([1, 0, stride], None, &[]).rank(), None, "stride {stride}");
    }
}

#[test]
fn each_of_several_shapes_is_known_as_far_as_it_is() {
    let mut g = graph();
    let shapes = [&[Some(2), None][..], &[Some(3)], &[None, Some(4), Some(5)]].map(PartialShape::from_dims);
    let sources = shapes.iter().map(|shape| source(&mut g, shape.clone())).collect();
    let all = add(&mut g, "ShapeN", vec![InputArg::List(sources)], vec![]);
    for (index, shape) in (0..).zip(&shapes) {
        assert_eq!(g.constant_as_shape(OutputId { index, ..all }).unwrap(), *shape);
    }
    assert_eq!(values(g.constant_value(OutputId { index: 1, ..all })), Some((DType::I32, vec![3])));
}

#[test]
fn a_long_chain_of_dimensions_ends_as_unknown() {
    let mut g = graph();
    let x = source(&mut g, PartialShape::from_dims(&[None, Some(7)]));
    let mut last = add(&mut g, "Shape", vec![one(x)], vec![]);
    for _ in 0..255 {
        last = add(&mut g, "Cast", vec![one(last)], vec![]);
    }
    assert_eq!(g.constant_as_shape(last).unwrap(), PartialShape::from_dims(&[None, Some(7)]));
    last = add(&mut g, "Cast", vec![one(last)], vec![]);
    assert_eq!(g.constant_as_shape(last).unwrap(), PartialShape::unknown_of_rank(2));
}

#[test]
fn what_is_set_of_a_shape_holds_where_its_parts_are_unknown() {
    let mut g = graph();
    let parts = (0..2).map(|_| source(&mut g, PartialShape::unknown())).collect();
    let pack = add(&mut g, "Pack", vec![InputArg::List(parts)], vec![]);
    g.merge_shape(pack, &PartialShape::vector(Some(2))).unwrap();
    let partial = add(&mut g, "Partial", vec![one(pack)], vec![]);
    assert_eq!(g.output(partial).unwrap().shape, PartialShape::unknown_of_rank(2));
    // The length that is set of a branch's output holds for the shape, too.
    let (dims, pred) = (source(&mut g, PartialShape::unknown()), constant(&mut g, Tensor::scalar(true)));
    let switch = add(&mut g, "Switch", vec![one(dims), one(pred)], vec![]);
    g.merge_shape(switch, &PartialShape::vector(Some(3))).unwrap();
    let fill = add(&mut g, "Fill", vec![one(switch)], vec![]);
    assert_eq!(g.output(fill).unwrap().shape, PartialShape::unknown_of_rank(3));
}
