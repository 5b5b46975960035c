//! Nodes are added: attributes come from inputs or defaults, outputs from attributes, and every misfit is refused.

#![allow(clippy::unwrap_used)]

use ferroflow_graph::{
    ArgDef, AttrValue, BuildError, Graph, HandleSource, HandleType, InputArg, NodeId, NodeSpec, Op, OutputId, Registry,
    shape_rules,
};
use ferroflow_tensor::{Code, DType, PartialShape, bail};
use std::sync::Arc;

fn registry() -> Arc<Registry> {
    let mut r = Registry::new();
    r.add(Op::new("Source").output("o: T").attr("T: type"));
    r.add(Op::new("Variable").output("ref: Ref(T)").attr("T: type").variable());
    r.add(Op::new("Assign").input("ref: Ref(T)").output("same: Ref(T)").attr("T: type"));
    r.add(Op::new("Pair").input("x: T").input("y: T").output("z: T").attr("T: {float, int32}"));
    r.add(Op::new("Text").input("x: string").output("o: float"));
    r.add(Op::new("Each").input("xs: N * T").output("ys: N * T").attr("N: int >= 2").attr("T: type"));
    r.add(Op::new("Zip").input("a: N * float").input("b: N * float").attr("N: int"));
    r.add(Op::new("Mixed").input("xs: Ts").output("ys: Ts").attr("Ts: list(type) >= 1"));
    r.add(Op::new("Alike").input("a: Ts").input("b: Ts").attr("Ts: list(type)"));
    r.add(
        Op::new("Options")
            .attr("mode: {'SAME', 'VALID'} = 'SAME'")
            .attr("depth: int >= 1 = 3")
            .attr("ksize: list(int) >= 2 = [1, 2]")
            .attr("kinds: list({float, int32}) = [DT_FLOAT]")
            .attr("rate: float = 0.5")
            .attr("flag: bool = true")
            .attr("size: shape = { unknown_rank: true }"),
    );
    r.add(Op::new("Many").output("o: N * float").attr("N: int"));
    r.add(Op::new("Spectrum").input("x: R").output("o: C").attr("R: type").attr("C: type").paired_types("R", "C"));
    r.add(Op::new("Signal").input("x: C").output("o: R").attr("R: type").attr("C: type").paired_types("R", "C"));
    r.add(Op::new("Bad").input("x: float").output("o: float").shape(|_| bail!(InvalidArgument, "too flat")));
    r.add(Op::new("Broken").shape(|_| bail!(Internal, "no rule")));
    r.finish().unwrap()
}

fn graph() -> Graph {
    Graph::new(registry())
}

fn one(node: NodeId) -> InputArg {
    InputArg::One(OutputId { node, index: 0 })
}

fn list(nodes: &[NodeId]) -> InputArg {
    InputArg::List(nodes.iter().map(|&node| OutputId { node, index: 0 }).collect())
}

fn add(g: &mut Graph, op: &str, inputs: Vec<InputArg>, attrs: Vec<(&str, AttrValue)>) -> Result<NodeId, BuildError> {
    let name = format!("n{}", g.len());
    let attrs = attrs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    g.add_node(NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: "" })
}

fn source(g: &mut Graph, dtype: DType) -> NodeId {
    add(g, "Source", vec![], vec![("T", AttrValue::Type(dtype))]).unwrap()
}

fn types(g: &Graph, node: NodeId) -> Vec<DType> {
    g.node(node).unwrap().outputs.iter().map(|o| o.dtype).collect()
}

/// Adds a node that is refused; the graph stays as it is.
fn refused(g: &mut Graph, op: &str, inputs: Vec<InputArg>, attrs: Vec<(&str, AttrValue)>) -> BuildError {
    let (length, version) = (g.len(), g.version());
    let failure = add(g, op, inputs, attrs).unwrap_err();
    assert_eq!((g.len(), g.version()), (length, version), "{op}: {failure}");
    failure
}

fn type_error(message: &str) -> BuildError {
    BuildError::Type(message.to_owned())
}

fn value_error(message: &str) -> BuildError {
    BuildError::Value(message.to_owned())
}

#[test]
fn inputs_decide_attributes_and_attributes_the_outputs() {
    let mut g = graph();
    let (float, int, text) = (source(&mut g, DType::F32), source(&mut g, DType::I32), source(&mut g, DType::String));
    let each = add(&mut g, "Each", vec![list(&[int, int, int])], vec![]).unwrap();
    assert_eq!(types(&g, each), [DType::I32; 3]);
    assert_eq!(g.node(each).unwrap().attrs.int("N"), Ok(3));
    assert_eq!(g.node(each).unwrap().attrs.dtype("T"), Ok(DType::I32));
    let mixed = add(&mut g, "Mixed", vec![list(&[text, float])], vec![]).unwrap();
    assert_eq!(types(&g, mixed), [DType::String, DType::F32]);
    assert_eq!(g.node(mixed).unwrap().attrs.dtypes("Ts"), Ok(vec![DType::String, DType::F32]));
    assert_eq!(g.consumers(text), [(mixed, 0)]);
    assert_eq!(g.consumers(float), [(mixed, 1)]);
    assert_eq!(g.consumers(int), [(each, 0), (each, 1), (each, 2)]);
    let given = vec![("T", AttrValue::Type(DType::F32)), ("_mark", AttrValue::Int(7))];
    let pair = add(&mut g, "Pair", vec![one(float), one(float)], given).unwrap();
    assert_eq!(g.node(pair).unwrap().attrs.int("_mark"), Ok(7));
    assert_eq!(types(&g, pair), [DType::F32]);
    let empty = add(&mut g, "Alike", vec![list(&[]), list(&[])], vec![]).unwrap();
    assert_eq!(g.node(empty).unwrap().attrs.dtypes("Ts"), Ok(vec![]));
}

#[test]
fn references_stay_references_and_pass_as_values() {
    let mut g = graph();
    let variable = add(&mut g, "Variable", vec![], vec![("T", AttrValue::Type(DType::F32))]).unwrap();
    let assign = add(&mut g, "Assign", vec![one(variable)], vec![]).unwrap();
    let pair = add(&mut g, "Pair", vec![one(assign), one(variable)], vec![]).unwrap();
    let is_ref = |node| g.node(node).unwrap().outputs[0].is_ref;
    assert_eq!([is_ref(variable), is_ref(assign), is_ref(pair)], [true, true, false]);
    let failure = refused(&mut g, "Assign", vec![one(pair)], vec![]);
    let message = "'Assign' Op requires that input 'ref' be a mutable tensor (e.g.: a tf.Variable)";
    assert_eq!(failure, type_error(message));
}

#[test]
fn defaults_hold_unless_a_value_is_given_that_the_op_allows() {
    let mut g = graph();
    let node = add(&mut g, "Options", vec![], vec![]).unwrap();
    let attrs = &g.node(node).unwrap().attrs;
    assert_eq!((attrs.str("mode"), attrs.int("depth")), (Ok("SAME".to_owned()), Ok(3)));
    assert_eq!((attrs.ints("ksize"), attrs.dtypes("kinds")), (Ok(vec![1, 2]), Ok(vec![DType::F32])));
    assert_eq!((attrs.float("rate"), attrs.bool("flag")), (Ok(0.5), Ok(true)));
    assert_eq!(attrs.shape("size"), Ok(PartialShape::unknown()));
    let given = || {
        let types = vec![AttrValue::Type(DType::I32), AttrValue::Type(DType::F32)];
        [
            ("mode", AttrValue::Str(b"VALID".to_vec())),
            ("depth", AttrValue::Int(1)),
            ("ksize", AttrValue::List(vec![AttrValue::Int(0); 2])),
            ("kinds", AttrValue::List(types)),
            ("flag", AttrValue::Bool(false)),
        ]
    };
    let node = add(&mut g, "Options", vec![], given().to_vec()).unwrap();
    for (name, value) in given() {
        assert_eq!(g.node(node).unwrap().attrs.get(name), Some(&value));
    }
    let forbidden = [
        (
            "mode",
            AttrValue::Str(b"FULL".to_vec()),
            value_error("Attr 'mode' of 'Options' Op passed string 'FULL' not in: \"SAME\", \"VALID\"."),
        ),
        ("depth", AttrValue::Int(0), value_error("Attr 'depth' of 'Options' Op passed 0 less than minimum 1.")),
        (
            "ksize",
            AttrValue::List(vec![AttrValue::Int(5)]),
            value_error("Attr 'ksize' of 'Options' Op passed list of length 1 less than minimum 2."),
        ),
        (
            "kinds",
            AttrValue::List(vec![AttrValue::Type(DType::F32), AttrValue::Type(DType::String)]),
            type_error(
                "Value passed to attr 'kinds' has DataType string not in list of allowed values: float32, int32",
            ),
        ),
        ("rate", AttrValue::Int(1), type_error("attr 'rate' of op Options should be float, got int")),
        ("flag", AttrValue::Float(1.0), type_error("attr 'flag' of op Options should be bool, got float")),
        ("size", AttrValue::Bool(true), type_error("attr 'size' of op Options should be shape, got bool")),
        ("ksize", AttrValue::Int(2), type_error("attr 'ksize' of op Options should be list(int), got int")),
        (
            "ksize",
            AttrValue::List(vec![AttrValue::Int(1), AttrValue::Str(vec![])]),
            type_error("attr 'ksize' of op Options should be list(int), got string"),
        ),
        ("mode", AttrValue::Type(DType::F32), type_error("attr 'mode' of op Options should be string, got type")),
        ("other", AttrValue::Int(1), type_error("Options got an unexpected attr 'other' (n2)")),
    ];
    for (name, value, expected) in forbidden {
        assert_eq!(refused(&mut g, "Options", vec![], vec![(name, value)]), expected);
    }
    assert_eq!(refused(&mut g, "Source", vec![], vec![]), type_error("No argument for attr T of op Source (n2)"));
}

#[test]
fn inputs_that_do_not_fit_the_op_or_each_other_are_refused() {
    let mut g = graph();
    let (f, i, t) = (source(&mut g, DType::F32), source(&mut g, DType::I32), source(&mut g, DType::String));
    let two = vec![one(f), one(i)];
    let float = |name| vec![(name, AttrValue::Type(DType::F32))];
    let floats = vec![("Ts", AttrValue::List(vec![AttrValue::Type(DType::F32)]))];
    let cases = [
        ("Pair", vec![one(f)], vec![], "Pair takes 2 inputs, got 1"),
        ("Each", vec![one(f)], vec![], "Expected list for 'xs' argument to 'Each' Op, not a tensor."),
        ("Text", vec![list(&[t])], vec![], "List of Tensors when single Tensor expected"),
        (
            "Text",
            vec![one(f)],
            vec![],
            "Input 'x' of 'Text' Op has type float32 that does not match expected type of string.",
        ),
        (
            "Pair",
            two,
            vec![],
            "Input 'y' of 'Pair' Op has type int32 that does not match type float32 of argument 'x'.",
        ),
        (
            "Pair",
            vec![one(t), one(t)],
            vec![],
            "Value passed to parameter 'x' has DataType string not in list of allowed values: float32, int32",
        ),
        (
            "Pair",
            vec![one(i), one(i)],
            float("T"),
            "Input 'x' of 'Pair' Op has type int32 that does not match expected type of float32.",
        ),
        (
            "Each",
            vec![list(&[f, i])],
            vec![],
            "Tensors in list passed to 'xs' of 'Each' Op have types [float32, int32] that don't all match (float32 and int32).",
        ),
        (
            "Mixed",
            vec![list(&[f, i])],
            floats,
            "Input 'xs' of 'Mixed' Op has type [float32, int32] that does not match expected type of [float32].",
        ),
        (
            "Alike",
            vec![list(&[f, i]), list(&[i])],
            vec![],
            "Input 'b' of 'Alike' Op has type [int32] that does not match type [float32, int32] of argument 'a'.",
        ),
    ];
    for (op, inputs, attrs, message) in cases {
        assert_eq!(refused(&mut g, op, inputs, attrs), type_error(message));
    }
    let cases = [
        (
            "Zip",
            vec![list(&[f]), list(&[f, f])],
            vec![],
            "List argument 'b' to 'Zip' Op with length 2 must match length 1 of argument 'a'.",
        ),
        (
            "Zip",
            vec![list(&[f]), list(&[f])],
            vec![("N", AttrValue::Int(3))],
            "List argument 'a' to 'Zip' Op with length 1 must match length 3 of attr 'N'.",
        ),
        ("Each", vec![list(&[f])], vec![], "Attr 'N' of 'Each' Op passed 1 less than minimum 2."),
        ("Mixed", vec![list(&[])], vec![], "Attr 'Ts' of 'Mixed' Op passed list of length 0 less than minimum 1."),
        ("Bad", vec![one(f)], vec![], "too flat for 'n3' (op: 'Bad') with input shapes: ?."),
    ];
    for (op, inputs, attrs, message) in cases {
        assert_eq!(refused(&mut g, op, inputs, attrs), value_error(message));
    }
    for (inputs, code) in
        [(vec![one(9)], Code::Internal), (vec![InputArg::One(OutputId { node: f, index: 1 })], Code::Internal)]
    {
        assert!(matches!(refused(&mut g, "Text", inputs, vec![]), BuildError::Status(s) if s.code() == code));
    }
    assert!(matches!(refused(&mut g, "None", vec![], vec![]), BuildError::Status(s) if s.code() == Code::NotFound));
    assert!(matches!(refused(&mut g, "Broken", vec![], vec![]), BuildError::Status(s) if s.message() == "no rule"));
}

#[test]
fn a_name_is_taken_once_and_control_inputs_exist() {
    let mut g = graph();
    let spec = |name, control_inputs| {
        let attrs = vec![("T".to_owned(), AttrValue::Type(DType::F32))];
        NodeSpec { op: "Source", name, inputs: vec![], control_inputs, attrs, device: "" }
    };
    let first = g.add_node(spec("a", vec![])).unwrap();
    assert_eq!(g.add_node(spec("a", vec![])), Err(value_error("Duplicate node name in graph: 'a'")));
    assert_eq!(g.add_node(spec("b", vec![1])), Err(value_error("control input 1 of 'b' is not in the graph")));
    let second = g.add_node(spec("b", vec![first, first])).unwrap();
    assert_eq!(g.node(second).unwrap().control_inputs.as_slice(), [first]);
}

#[test]
fn the_number_of_outputs_has_a_bound() {
    let mut g = graph();
    let many = |n| vec![("N", AttrValue::Int(n))];
    for n in [-1, 0, 1, 5] {
        let node = add(&mut g, "Many", vec![], many(n)).unwrap();
        assert_eq!(types(&g, node).len() as i64, n.max(0));
    }
    let message = "Many with 1048577 outputs: a node has at most 1048576";
    assert_eq!(refused(&mut g, "Many", vec![], many((1 << 20) + 1)), value_error(message));
    let full = add(&mut g, "Many", vec![], many(1 << 20)).unwrap();
    assert!(g.add_output(full, DType::F32, PartialShape::scalar()).is_err());
    assert_eq!(g.node(full).unwrap().outputs.len(), 1 << 20);
}

#[test]
fn a_complex_type_belongs_to_its_real_type() {
    let mut g = graph();
    let (f32, c128) = (source(&mut g, DType::F32), source(&mut g, DType::Complex128));
    let attr = |name, dtype| vec![(name, AttrValue::Type(dtype))];
    let spectrum = add(&mut g, "Spectrum", vec![one(f32)], attr("C", DType::Complex64)).unwrap();
    assert_eq!(types(&g, spectrum), [DType::Complex64]);
    let signal = add(&mut g, "Signal", vec![one(c128)], attr("R", DType::F64)).unwrap();
    assert_eq!(types(&g, signal), [DType::F64]);
    assert_eq!(
        refused(&mut g, "Spectrum", vec![one(f32)], attr("C", DType::Complex128)),
        type_error("Input 'x' of 'Spectrum' Op has type float32 that does not match expected type of float64.")
    );
    assert_eq!(
        refused(&mut g, "Signal", vec![one(c128)], attr("R", DType::F32)),
        type_error("Input 'x' of 'Signal' Op has type complex128 that does not match expected type of complex64.")
    );
}

#[test]
fn the_type_behind_a_handle_goes_where_the_handle_goes() {
    let known = HandleType::new(DType::F32, PartialShape::vector(Some(3)));
    let mut r = Registry::new();
    let variable = Op::new("Variable").output("handle: resource").attr("dtype: type").attr("shape: shape");
    r.add(variable.variable());
    let list = Op::new("List").output("handle: resource").output("flow: float").attr("dtype: type");
    r.add(list.handle_source(HandleSource::Attrs(|attrs| {
        Some(HandleType::new(attrs.dtype("dtype").ok()?, PartialShape::unknown()))
    })));
    let through = |name| Op::new(name).input("handle: resource").output("same: resource");
    r.add(through("Alias").alias());
    r.add(through("First").handle_source(HandleSource::FirstInput));
    r.add(through("Other"));
    r.add(
        Op::new("Read")
            .input("handle: resource")
            .output("value: float")
            .handles(ferroflow_graph::RefAccess::Read)
            .shape(shape_rules::unchanged),
    );
    let write = Op::new("Write").input("handle: resource").input("value: float").output("same: float");
    r.add(write.handles(ferroflow_graph::RefAccess::Write).shape(|c| {
        let shape = c.input(1)?.clone();
        c.set_output(0, shape);
        Ok(())
    }));
    r.add(Op::new("Inspect").input("handle: resource").output("o: float").shape(|c| {
        let known = c.input_handle(0)?.map(|h| h.shape.clone());
        // A handle is a scalar of its own, whatever it stands for.
        c.input(0)?.with_rank(0)?;
        c.set_output(0, known.unwrap_or(PartialShape::scalar()));
        Ok(())
    }));
    let mut g = Graph::new(r.finish().unwrap());
    let dtype = ("dtype", AttrValue::Type(DType::F32));
    let shape = ("shape", AttrValue::Shape(known.shape.clone()));
    let variable = add(&mut g, "Variable", vec![], vec![dtype.clone(), shape]).unwrap();
    let list = add(&mut g, "List", vec![], vec![dtype]).unwrap();
    let behind = |g: &Graph, node, index| g.output(OutputId { node, index }).unwrap().handle.as_deref().cloned();
    assert_eq!(behind(&g, variable, 0), Some(known.clone()));
    assert_eq!(behind(&g, list, 0), Some(HandleType::new(DType::F32, PartialShape::unknown())));
    assert_eq!(behind(&g, list, 1), None);
    let mut last = variable;
    for op in ["Alias", "First", "Alias"] {
        last = add(&mut g, op, vec![one(last)], vec![]).unwrap();
        assert_eq!(behind(&g, last, 0), Some(known.clone()), "{op}");
    }
    let read = add(&mut g, "Read", vec![one(last)], vec![]).unwrap();
    assert_eq!(g.output(OutputId { node: read, index: 0 }).unwrap().shape, known.shape);
    let write = add(&mut g, "Write", vec![one(last), one(read)], vec![]).unwrap();
    assert_eq!(g.output(OutputId { node: write, index: 0 }).unwrap().shape, known.shape);
    let scalar = OutputId { node: last, index: 0 };
    g.replace_shape(scalar, PartialShape::scalar()).unwrap();
    let inspect = add(&mut g, "Inspect", vec![one(last)], vec![]).unwrap();
    assert_eq!(g.output(OutputId { node: inspect, index: 0 }).unwrap().shape, known.shape);
    g.replace_shape(scalar, PartialShape::vector(None)).unwrap();
    assert!(add(&mut g, "Inspect", vec![one(last)], vec![]).is_err());
    let other = add(&mut g, "Other", vec![one(last)], vec![]).unwrap();
    assert_eq!(behind(&g, other, 0), None);
    let read = add(&mut g, "Read", vec![one(other)], vec![]).unwrap();
    assert_eq!(g.output(OutputId { node: read, index: 0 }).unwrap().shape, PartialShape::unknown());
}

#[test]
fn the_inputs_of_a_message_are_grouped_by_argument() {
    let mut g = graph();
    let f = source(&mut g, DType::F32);
    let id = |index| OutputId { node: f, index };
    let sizes = |group: Result<Vec<InputArg>, BuildError>| {
        group.map(|args| {
            let number = |arg: &InputArg| match arg {
                InputArg::One(_) => None,
                InputArg::List(l) => Some(l.len()),
            };
            args.iter().map(number).collect::<Vec<_>>()
        })
    };
    let n = |n| vec![("N".to_owned(), AttrValue::Int(n))];
    let ts = |n| vec![("Ts".to_owned(), AttrValue::List(vec![AttrValue::Type(DType::F32); n]))];
    let all: Vec<_> = (0..6).map(id).collect();
    assert_eq!(sizes(g.group_inputs("Zip", &n(2), &all[..4])), Ok(vec![Some(2), Some(2)]));
    assert_eq!(sizes(g.group_inputs("Alike", &ts(3), &all)), Ok(vec![Some(3), Some(3)]));
    assert_eq!(sizes(g.group_inputs("Pair", &[], &all[..2])), Ok(vec![None, None]));
    let failures = [
        (g.group_inputs("Pair", &[], &all[..1]), "NodeDef of op Pair lacks input 'y'"),
        (g.group_inputs("Pair", &[], &all[..3]), "NodeDef of op Pair has 3 inputs, more than its arguments"),
        (g.group_inputs("Zip", &n(2), &all[..3]), "NodeDef of op Zip has too few inputs for list 'b'"),
        (g.group_inputs("Zip", &n(-1), &all), "NodeDef of op Zip has too few inputs for list 'a'"),
        (g.group_inputs("Zip", &[], &all), "NodeDef of op Zip has too few inputs for list 'a'"),
        (g.group_inputs("Alike", &n(2), &all), "NodeDef of op Alike has too few inputs for list 'a'"),
    ];
    for (failure, message) in failures {
        assert_eq!(failure.unwrap_err(), value_error(message));
    }
}

#[test]
fn faulty_and_repeated_definitions_are_reported() {
    let fault = |op: Op| {
        let mut r = Registry::new();
        r.add(op);
        r.finish().err().map(|e| e.message().to_owned())
    };
    assert_eq!(fault(Op::new("A").input("x: N * T").attr("N: int").attr("T: type")), None);
    assert_eq!(fault(Op::new("A").input("x: T")).unwrap(), "schema of A: argument x names no attr T");
    assert_eq!(fault(Op::new("A").input("x: T").attr("T: int")).unwrap(), "schema of A: argument x names no attr T");
    assert_eq!(fault(Op::new("A").output("x: N * float")).unwrap(), "schema of A: argument x names no attr N");
    assert!(fault(Op::new("A").input("x float")).unwrap().starts_with("schema of A: expected ':'"));
    let mut r = Registry::new();
    r.add(Op::new("A"));
    r.add(Op::new("A"));
    assert_eq!(r.finish().err().unwrap().message(), "op A is defined twice");
    let mut r = Registry::new();
    r.add_over_handles("A");
    assert_eq!(r.finish().err().unwrap().message(), "op A is not defined");
    let mut r = Registry::new();
    r.add_renamed("A", "B");
    assert_eq!(r.finish().err().unwrap().message(), "op A is not defined");
}

#[test]
fn a_twin_over_handles_has_no_references() {
    let mut r = Registry::new();
    r.add(Op::new("Add").input("ref: Ref(T)").input("x: T").output("same: Ref(T)").output("sum: T").attr("T: type"));
    r.add_over_handles("Add");
    r.add_renamed("Add", "Plus");
    let r = r.finish().unwrap();
    let names = |args: &[ArgDef]| args.iter().map(|a| a.name.to_string()).collect::<Vec<_>>();
    let twin = r.get("ResourceAdd").unwrap();
    assert_eq!((names(&twin.inputs), names(&twin.outputs)), (vec!["ref".into(), "x".into()], vec!["sum".into()]));
    assert!(!twin.inputs[0].is_ref && twin.takes_handles && twin.has_effects());
    assert_eq!(r.get("Plus").map(|op| &*op.name), Some("Plus"));
    let sorted: Vec<_> = r.sorted().iter().map(|op| op.name.to_string()).collect();
    assert_eq!(sorted, ["Add", "Plus", "ResourceAdd"]);
}
