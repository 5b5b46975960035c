//! Examples, JSON, lines of values and tensors of any content: every value or a refusal, never a panic.
//!
//! The first byte chooses the parser; the rest is what it reads.

#![no_main]

mod node;
mod registry;

use ferroflow_graph::AttrValue;
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::{Example, Feature, SequenceExample, TensorProto, feature::Kind};
use ferroflow_tensor::{Bytes, DType, PartialShape, Tensor};
use libfuzzer_sys::fuzz_target;
use node::{Node, text};
use std::sync::LazyLock;

/// Features that differ in their number of values, by their types.
const SPARSE: [(&str, DType); 3] = [("s", DType::String), ("f", DType::F32), ("i", DType::I64)];
/// Dense features with the shape of one value; `?` is any number of rows.
const DENSE: [(&str, DType, &[Option<usize>]); 3] =
    [("d", DType::F32, &[Some(2)]), ("n", DType::I64, &[]), ("r", DType::String, &[None, Some(2)])];
/// The most elements that a tensor under test has: a few bytes may say that one value is repeated without end.
const MAX_ELEMENTS: i64 = 1 << 20;

fn list<T>(items: impl IntoIterator<Item = T>, of: impl Fn(T) -> AttrValue) -> AttrValue {
    AttrValue::List(items.into_iter().map(of).collect())
}

fn types(dtypes: impl IntoIterator<Item = DType>) -> AttrValue {
    list(dtypes, AttrValue::Type)
}

fn keys<'a>(keys: impl IntoIterator<Item = &'a str>) -> AttrValue {
    list(keys, |key| AttrValue::Str(key.into()))
}

fn shapes<'a>(shapes: impl IntoIterator<Item = &'a [Option<usize>]>) -> AttrValue {
    list(shapes, |dims| AttrValue::Shape(PartialShape::from_dims(dims)))
}

fn strings(values: &[&[u8]]) -> Tensor {
    Tensor::from_strings([values.len()], values.iter().map(|&v| v.into()).collect()).unwrap()
}

/// Returns the elements of a tensor, one after the other.
fn elements(tensor: &Tensor) -> Vec<Bytes> {
    match tensor.bytes() {
        Some(bytes) => bytes.chunks_exact(tensor.dtype().size()).map(Bytes::from).collect(),
        None => tensor.strings().unwrap().to_vec(),
    }
}

fn defaults() -> [Tensor; 3] {
    [Tensor::from_slice([2], &[0.5f32, 1.5]).unwrap(), Tensor::scalar(7i64), strings(&[b"-"])]
}

static SINGLE: LazyLock<Node> = LazyLock::new(|| {
    let inputs: Vec<_> = [DType::String].into_iter().chain(DENSE.map(|d| d.1)).collect();
    let attrs = [
        ("num_sparse", AttrValue::Int(SPARSE.len() as i64)),
        ("sparse_keys", keys(SPARSE.map(|s| s.0))),
        ("sparse_types", types(SPARSE.map(|s| s.1))),
        ("dense_keys", keys(DENSE.map(|d| d.0))),
        ("Tdense", types(DENSE.map(|d| d.1))),
        ("dense_shapes", shapes(DENSE.map(|d| d.2))),
    ];
    Node::new("ParseSingleExample", &inputs, &attrs)
});

static BATCH: LazyLock<Node> = LazyLock::new(|| {
    let mut inputs = vec![DType::String; 2 + SPARSE.len() + DENSE.len()];
    inputs.extend(DENSE.map(|d| d.1));
    let attrs = [
        ("Nsparse", AttrValue::Int(SPARSE.len() as i64)),
        ("Ndense", AttrValue::Int(DENSE.len() as i64)),
        ("sparse_types", types(SPARSE.map(|s| s.1))),
        ("Tdense", types(DENSE.map(|d| d.1))),
        ("dense_shapes", shapes(DENSE.map(|d| d.2))),
    ];
    Node::new("ParseExample", &inputs, &attrs)
});

fn single(message: &[u8]) -> Option<Vec<Tensor>> {
    let mut inputs = vec![text(message)];
    inputs.extend(defaults());
    SINGLE.run(&inputs)
}

fn batch(messages: &[&[u8]]) -> Option<Vec<Tensor>> {
    let mut inputs = vec![strings(messages), strings(&[])];
    inputs.extend(SPARSE.map(|s| text(s.0.as_bytes())));
    inputs.extend(DENSE.map(|d| text(d.0.as_bytes())));
    inputs.extend(defaults());
    BATCH.run(&inputs)
}

/// Returns a feature's values; `None` if they are of another type.
fn values(feature: Option<&Feature>, dtype: DType) -> Option<Vec<Bytes>> {
    let Some(kind) = feature.and_then(|f| f.kind.as_ref()) else { return Some(Vec::new()) };
    match (kind, dtype) {
        (Kind::BytesList(list), DType::String) => Some(list.value.iter().map(|v| v[..].into()).collect()),
        (Kind::FloatList(list), DType::F32) => Some(list.value.iter().map(|v| v.to_le_bytes()[..].into()).collect()),
        (Kind::Int64List(list), DType::I64) => Some(list.value.iter().map(|v| v.to_le_bytes()[..].into()).collect()),
        _ => None,
    }
}

/// Returns the expected outputs of `single` that hold values; `None` if the example must be refused.
fn expected(example: &Example) -> Option<Vec<Vec<Bytes>>> {
    let feature = |key: &str| example.features.as_ref().and_then(|f| f.feature.get(key));
    let mut all = Vec::new();
    for (key, dtype) in SPARSE {
        all.push(values(feature(key), dtype)?);
    }
    for ((key, dtype, dims), default) in DENSE.into_iter().zip(defaults()) {
        let found = values(feature(key), dtype)?;
        let has_kind = feature(key).is_some_and(|f| f.kind.is_some());
        let row: usize = dims.iter().flatten().product();
        let fits = if dims.first() == Some(&None) { found.len() % row == 0 } else { found.len() == row || !has_kind };
        if !fits {
            return None;
        }
        let is_default = dims.first() != Some(&None) && !has_kind;
        all.push(if is_default { elements(&default) } else { found });
    }
    Some(all)
}

/// Returns the outputs that hold the values of sparse features and the dense ones.
fn value_outputs(outputs: &[Tensor]) -> Vec<Vec<Bytes>> {
    let (sparse, dense) = (&outputs[SPARSE.len()..2 * SPARSE.len()], &outputs[3 * SPARSE.len()..]);
    sparse.iter().chain(dense).map(elements).collect()
}

fn twice(values: Vec<Vec<Bytes>>) -> Vec<Vec<Bytes>> {
    values.into_iter().map(|v| [v.clone(), v].concat()).collect()
}

fn example(message: &[u8]) {
    let one = single(message).map(|o| value_outputs(&o));
    let two = batch(&[message, message]).map(|o| value_outputs(&o));
    assert_eq!(two, one.map(twice));
    if let Ok(example) = Example::decode(message) {
        let written = single(&example.encode_to_vec()).map(|o| value_outputs(&o));
        assert_eq!(written, expected(&example), "{example:?}");
    }
}

static SINGLE_SEQUENCE: LazyLock<Node> = LazyLock::new(|| {
    let mut inputs = vec![DType::String; 2 + 2 * (SPARSE.len() + 2)];
    inputs.extend([DType::F32, DType::I64, DType::String]);
    Node::new("ParseSingleSequenceExample", &inputs, &sequence_attrs())
});

static SEQUENCE_BATCH: LazyLock<Node> = LazyLock::new(|| {
    let mut attrs = sequence_attrs();
    attrs.extend([
        ("feature_list_dense_missing_assumed_empty", keys(["n"])),
        ("context_sparse_keys", keys(SPARSE.map(|s| s.0))),
        ("context_dense_keys", keys(DENSE[..2].iter().map(|d| d.0))),
        ("feature_list_sparse_keys", keys(SPARSE.map(|s| s.0))),
        ("feature_list_dense_keys", keys(DENSE[..2].iter().map(|d| d.0))),
    ]);
    Node::new("ParseSequenceExample", &[DType::String, DType::String, DType::F32, DType::I64], &attrs)
});

fn sequence_attrs() -> Vec<(&'static str, AttrValue)> {
    let (sparse, dense) = (types(SPARSE.map(|s| s.1)), types(DENSE[..2].iter().map(|d| d.1)));
    let shapes = shapes(DENSE[..2].iter().map(|d| d.2));
    vec![
        ("Ncontext_sparse", AttrValue::Int(3)),
        ("Ncontext_dense", AttrValue::Int(2)),
        ("Nfeature_list_sparse", AttrValue::Int(3)),
        ("Nfeature_list_dense", AttrValue::Int(2)),
        ("context_sparse_types", sparse.clone()),
        ("Tcontext_dense", dense.clone()),
        ("context_dense_shapes", shapes.clone()),
        ("feature_list_sparse_types", sparse),
        ("feature_list_dense_types", dense),
        ("feature_list_dense_shapes", shapes),
    ]
}

fn sequence(message: &[u8]) {
    let [floats, int, _] = defaults();
    let mut inputs = vec![text(message), strings(&[b"n"])];
    for _ in ["context", "feature lists"] {
        inputs.extend(SPARSE.map(|s| text(s.0.as_bytes())));
        inputs.extend(DENSE[..2].iter().map(|d| text(d.0.as_bytes())));
    }
    inputs.extend([floats.clone(), int.clone(), text(b"name")]);
    let one = SINGLE_SEQUENCE.run(&inputs);
    let two = SEQUENCE_BATCH.run(&[strings(&[message, message]), strings(&[]), floats, int]);
    if let (Some(one), Some(two)) = (one, two) {
        // Values of sparse features and dense ones: of the context, and of the lists.
        for i in [3, 4, 5, 9, 10, 14, 15, 16, 20, 21] {
            let one = elements(&one[i]);
            assert_eq!(elements(&two[i]), [one.clone(), one].concat(), "output {i}");
        }
    }
    if let Ok(example) = SequenceExample::decode(message) {
        inputs[0] = text(&example.encode_to_vec());
        SINGLE_SEQUENCE.run(&inputs);
    }
}

static JSON: LazyLock<Node> = LazyLock::new(|| Node::new("DecodeJSONExample", &[DType::String], &[]));

fn json(message: &[u8]) {
    if let Some(outputs) = JSON.run(&[text(message)]) {
        Example::decode(&outputs[0].strings().unwrap()[0][..]).unwrap();
    }
}

static WORDS: LazyLock<Node> =
    LazyLock::new(|| Node::new("DecodeCSV", &[DType::String; 4], &[("OUT_TYPE", types([DType::String; 3]))]));

static COLUMNS: LazyLock<Node> = LazyLock::new(|| {
    let dtypes = [DType::F32, DType::F64, DType::I32, DType::I64];
    let inputs: Vec<_> = [DType::String].into_iter().chain(dtypes).collect();
    let attrs = [
        ("OUT_TYPE", types(dtypes)),
        ("field_delim", AttrValue::Str(b";".into())),
        ("use_quote_delim", AttrValue::Bool(false)),
        ("na_value", AttrValue::Str(b"NA".into())),
        ("select_cols", list([0, 1, 3, 4], AttrValue::Int)),
    ];
    Node::new("DecodeCSV", &inputs, &attrs)
});

/// Checks that the fields of a line, each quoted, are a line with the same fields.
fn csv(line: &[u8]) {
    let (zero, empty) = (Tensor::scalar(0f32), strings(&[b""]));
    COLUMNS.run(&[text(line), zero, Tensor::scalar(0f64), Tensor::scalar(0i32), Tensor::scalar(0i64)]);
    let words = |line: &[u8]| WORDS.run(&[text(line), empty.clone(), empty.clone(), empty.clone()]);
    let Some(fields) = words(line) else { return };
    let quoted = |field: &Tensor| {
        let doubled = field.strings().unwrap()[0].split(|&b| b == b'"').collect::<Vec<_>>().join(&b"\"\""[..]);
        [b"\"", &doubled[..], b"\""].concat()
    };
    let again = words(&fields.iter().map(quoted).collect::<Vec<_>>().join(&b','));
    assert_eq!(
        again.unwrap().iter().map(elements).collect::<Vec<_>>(),
        fields.iter().map(elements).collect::<Vec<_>>()
    );
}

/// Checks that a tensor is the same after it was written and read again.
fn tensor(message: &[u8]) {
    let Ok(proto) = TensorProto::decode(message) else { return };
    let Some(dtype) = DType::from_number(proto.dtype).filter(|d| d.is_plain() || *d == DType::String) else { return };
    let sizes = proto.tensor_shape.iter().flat_map(|shape| &shape.dim).map(|dim| dim.size);
    if sizes.fold(1i64, i64::saturating_mul) > MAX_ELEMENTS {
        return;
    }
    let parse = Node::new("ParseTensor", &[DType::String], &[("out_type", AttrValue::Type(dtype))]);
    let Some(found) = parse.run(&[text(message)]) else { return };
    let written = Node::new("SerializeTensor", &[dtype], &[]).run(&found).unwrap();
    let again = parse.run(&written).unwrap();
    assert_eq!((again[0].shape(), elements(&again[0])), (found[0].shape(), elements(&found[0])));
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else { return };
    match choice % 5 {
        0 => example(rest),
        1 => sequence(rest),
        2 => json(rest),
        3 => csv(rest),
        _ => tensor(rest),
    }
});
