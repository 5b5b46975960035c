//! TensorFlow's words for a node whose inputs do not fit its op.

use ferroflow_graph::{ArgType, AttrValue, Graph, OpDef, OutputId};
use ferroflow_proto::tensorflow::DataType;
use ferroflow_tensor::DType;

/// Expected inputs are listed up to this number: attributes may state any.
const MOST_LISTED: usize = 1 << 16;

/// Returns the fault of a node's inputs; `None` if they are right, or if the attributes do not decide them.
pub fn misfit(
    graph: &Graph,
    op: &OpDef,
    attrs: &[(String, AttrValue)],
    inputs: &[OutputId],
    named: &str,
    name: &str,
) -> Option<String> {
    let expected = expected(op, attrs)?;
    if expected.len() != inputs.len() {
        let listed: Vec<String> = expected.iter().map(|&(dtype, is_ref)| word(dtype, is_ref)).collect();
        return Some(format!(
            "NodeDef expected inputs '{}' do not match {} inputs specified; op {}; NodeDef: '{named}'",
            listed.join(", "),
            inputs.len(),
            op.name
        ));
    }
    for (i, (&(dtype, is_ref), &input)) in expected.iter().zip(inputs).enumerate() {
        let found = graph.output(input).ok()?;
        if found.dtype != dtype || (is_ref && !found.is_ref) {
            return Some(format!(
                "Input {i} of node {name} was passed {} from {}:{} incompatible with expected {}.",
                word(found.dtype, found.is_ref),
                graph.node(input.node).ok()?.name,
                input.index,
                word(dtype, is_ref)
            ));
        }
    }
    None
}

/// Returns (type, is reference) of each input.
fn expected(op: &OpDef, attrs: &[(String, AttrValue)]) -> Option<Vec<(DType, bool)>> {
    let value = |name: &str| {
        let given = attrs.iter().find(|(n, _)| n == name).map(|(_, v)| v);
        given.or_else(|| op.attr(name)?.default.as_ref())
    };
    let mut expected = Vec::new();
    for arg in &op.inputs {
        let types = match &arg.ty {
            ArgType::Fixed(dtype) => vec![*dtype],
            ArgType::Attr(name) => match value(name)? {
                AttrValue::Type(dtype) => vec![*dtype],
                AttrValue::List(items) => items.iter().map(dtype_of).collect::<Option<_>>()?,
                _ => return None,
            },
        };
        let count = match &arg.number_attr {
            None => 1,
            Some(name) => match value(name)? {
                AttrValue::Int(count) => usize::try_from(*count).unwrap_or(0),
                _ => return None,
            },
        };
        if types.len().checked_mul(count).is_none_or(|n| n > MOST_LISTED) {
            return None;
        }
        expected.extend((0..count).flat_map(|_| &types).map(|&dtype| (dtype, arg.is_ref)));
    }
    Some(expected)
}

fn dtype_of(value: &AttrValue) -> Option<DType> {
    if let AttrValue::Type(dtype) = value { Some(*dtype) } else { None }
}

/// Returns TF's short name of a type: `float`, `int32_ref`.
fn word(dtype: DType, is_ref: bool) -> String {
    let name = DataType::try_from(dtype.number()).map_or("", |t| t.as_str_name());
    let word = name.trim_start_matches("DT_").to_lowercase();
    if is_ref { format!("{word}_ref") } else { word }
}
