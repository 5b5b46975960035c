//! Ops without kernels, each showing one form of argument: TensorFlow registers them for tests of graph building and import.

use ferroflow_graph::{Op, Registry};

/// Name, inputs, outputs, attributes.
type Schema = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const SCHEMAS: &[Schema] = &[
    ("A", &[], &["out: float"], &[]),
    ("B", &[], &["out: float"], &[]),
    ("None", &[], &[], &[]),
    ("IntOutput", &[], &["a: int32"], &[]),
    ("Int64Output", &[], &["out: int64"], &[]),
    ("FloatOutput", &[], &["a: float"], &[]),
    ("RefOutput", &[], &["a: Ref(int32)"], &[]),
    ("TwoIntOutputs", &[], &["a: int32", "b: int32"], &[]),
    ("TwoFloatOutputs", &[], &["a: float", "b: float"], &[]),
    ("FiveFloatOutputs", &[], &["a: float", "b: float", "c: float", "d: float", "e: float"], &[]),
    ("IntOutputFloatOutput", &[], &["a: int32", "b: float"], &[]),
    ("FloatOutputStringOutput", &[], &["a: float", "b: string"], &[]),
    ("RefOutputFloatOutput", &[], &["a: Ref(float)", "b: float"], &[]),
    ("IntInput", &["a: int32"], &[], &[]),
    ("FloatInput", &["a: float"], &[], &[]),
    ("TwoIntInputs", &["a: int32", "b: int32"], &[], &[]),
    ("TwoFloatInputs", &["a: float", "b: float"], &[], &[]),
    ("IntInputFloatInput", &["a: int32", "b: float"], &[], &[]),
    ("RefInputIntInput", &["a: Ref(int32)", "b: int32"], &[], &[]),
    ("RefInputFloatInput", &["a: Ref(float)", "b: float"], &[], &[]),
    ("IntInputIntOutput", &["a: int32"], &["b: int32"], &[]),
    ("TwoFloatInputsFloatOutput", &["a: float", "b: float"], &["c: float"], &[]),
    ("TwoFloatInputsIntOutput", &["a: float", "b: float"], &["c: int32"], &[]),
    ("RefInputFloatInputIntOutput", &["a: Ref(float)", "b: float"], &["c: int32"], &[]),
    ("Foo1", &["a: float", "b: int32", "c: int32"], &["d: float", "e: int32"], &[]),
    ("Foo2", &["a: float", "b: string", "c: string"], &["d: float", "e: int32"], &[]),
    ("Foo3", &["a: float", "b: string", "c: float"], &["d: float", "e: int32"], &[]),
    ("TestStringOutput", &["input: float"], &["output1: float", "output2: string"], &[]),
    ("ListInput", &["a: N * T"], &[], &["N: int >= 1", "T: type"]),
    ("ListOutput", &[], &["a: T"], &["T: list(type) >= 1"]),
    ("MixedStruct", &[], &["a: n_a * int32", "b: float"], &["n_a: int >= 0"]),
    ("Unary", &["a: T"], &["b: T"], &["T: type"]),
    ("RefIn", &["a: Ref(T)"], &[], &["T: type"]),
    ("RefOut", &[], &["a: Ref(T)"], &["T: type"]),
    ("OpWithDefaultAttr", &[], &["a: int32"], &["default_float: float = 123.0"]),
    ("OpWithFutureDefaultAttr", &[], &[], &[]),
    ("IntAttr", &[], &["out: int64"], &["foo: int = 1"]),
    ("StringListAttr", &[], &[], &["a: list(string)", "b: string"]),
    ("FuncAttr", &[], &[], &["f: func"]),
];

pub(crate) fn register(r: &mut Registry) {
    for (name, inputs, outputs, attrs) in SCHEMAS {
        let op = Op::new(name).doc("Computes nothing: it is for tests of graph building and import.");
        let op = inputs.iter().fold(op, |op, text| op.input(text));
        let op = outputs.iter().fold(op, |op, text| op.output(text));
        r.add(attrs.iter().fold(op, |op, text| op.attr(text)));
    }
}
