//! The attributes of an imported node: those of its op, those of any node, and those of newer programs.

use crate::attributes::{field, from_message, is_empty};
use ferroflow_graph::{AttrKind, AttrValue, BuildError, OpDef};
use ferroflow_proto::tensorflow::attr_value::Value;
use ferroflow_proto::tensorflow::{AttrValue as Message, NodeDef, OpList, TensorShapeProto};
use ferroflow_tensor::{Code, Status};
use rustc_hash::FxHashMap;

/// Attributes that, if true, request the errors that TF 1.x raises.
const ERRORS_OF_OLD: [&str; 1] = ["incompatible_shape_error"];
/// Attributes of newer TensorFlows that change no result: labels, and checks that TF 1.x does not make.
const LABELS: [&str; 4] = ["debug_name", "grad_a", "grad_b", "validate_shape"];
/// Before the names of nodes in `_class`.
const COLOCATED: &str = "loc:@";

/// Default values of attributes, by op and name, as the program that wrote a message had them.
pub type Defaults<'a> = FxHashMap<(&'a str, &'a str), &'a Message>;

pub fn defaults(ops: &OpList) -> Defaults<'_> {
    ops.op
        .iter()
        .flat_map(|op| op.attr.iter().map(move |attr| (op, attr)))
        .filter_map(|(op, attr)| Some(((op.name.as_str(), attr.name.as_str()), attr.default_value.as_ref()?)))
        .collect()
}

/// The attributes in a node's message.
#[derive(Default)]
pub struct Attrs<'a> {
    pub values: Vec<(String, AttrValue)>,
    /// The shapes of its outputs in the message.
    pub shapes: Option<&'a [TensorShapeProto]>,
    /// Positions of the nodes it is colocated with.
    pub partners: Vec<usize>,
}

/// Reads the attributes of a node. `named`: (position, name in the graph) of a node of the message.
///
/// Errors: `Value` for what its op does not have or holds otherwise; `Status` for tensors too large.
pub fn attrs<'a>(
    node: &'a NodeDef,
    op: &OpDef,
    defaults: &Defaults<'_>,
    named: impl Fn(&str) -> Option<(usize, &'a str)>,
) -> Result<Attrs<'a>, BuildError> {
    let mut attrs = Attrs::default();
    for (key, message) in &node.attr {
        match (key.as_str(), &message.value) {
            ("_class", Some(Value::List(list))) => {
                let groups = groups(node, &list.s, &named, &mut attrs.partners)?;
                attrs.values.push((key.clone(), AttrValue::List(groups)));
            }
            ("_output_shapes", value) => {
                attrs.shapes = Some(if let Some(Value::List(list)) = value { &list.shape } else { &[] });
            }
            _ => match op.attr(key) {
                Some(def) => {
                    let expected = if def.is_list { "list" } else { field_of(def.kind) };
                    let found = field(message);
                    if found != expected {
                        return Err(BuildError::Value(format!(
                            "Node '{}': AttrValue had value with type '{found}' when '{}' expected for attr '{key}'",
                            node.name,
                            def.type_name()
                        )));
                    }
                    attrs.values.push((key.clone(), value(node, key, message)?));
                }
                None if key.starts_with('_') => attrs.values.push((key.clone(), value(node, key, message)?)),
                None if may_be_dropped(&node.op, key, message, defaults) => {}
                None => {
                    return Err(BuildError::Value(format!(
                        "NodeDef mentions attr '{key}' not in op {}; NodeDef: '{}'. (Check whether your \
                         GraphDef-interpreting binary is up to date with your GraphDef-generating binary.)",
                        node.op, node.name
                    )));
                }
            },
        }
    }
    Ok(attrs)
}

/// Returns the field of a message that holds values of a kind.
fn field_of(kind: AttrKind) -> &'static str {
    match kind {
        AttrKind::Int => "i",
        AttrKind::Float => "f",
        AttrKind::Bool => "b",
        AttrKind::Str => "s",
        AttrKind::Type => "type",
        AttrKind::Shape => "shape",
        AttrKind::Tensor => "tensor",
        AttrKind::Func => "func",
    }
}

fn value(node: &NodeDef, key: &str, message: &Message) -> Result<AttrValue, BuildError> {
    from_message(message).map_err(|failure| {
        let words = format!("Node '{}': attr '{key}': {}", node.name, failure.message());
        match failure.code() {
            Code::ResourceExhausted => BuildError::Status(Status::resource_exhausted(words)),
            _ => BuildError::Value(words),
        }
    })
}

fn may_be_dropped(op: &str, key: &str, message: &Message, defaults: &Defaults<'_>) -> bool {
    if LABELS.contains(&key) {
        return true;
    }
    if let Some(default) = defaults.get(&(op, key)) {
        return *default == message;
    }
    // Newer TensorFlows write attributes that TF 1.x did not have; false, 0 and "" mean TF 1.x's behaviour.
    let is_true = matches!(message.value, Some(Value::B(true)));
    (is_true && ERRORS_OF_OLD.contains(&key)) || is_empty(message)
}

/// Returns `_class` with the names that nodes have in the graph.
fn groups<'a>(
    node: &NodeDef,
    groups: &[Vec<u8>],
    named: impl Fn(&str) -> Option<(usize, &'a str)>,
    partners: &mut Vec<usize>,
) -> Result<Vec<AttrValue>, BuildError> {
    let renamed = |group: &Vec<u8>| {
        let Some(partner) = group.strip_prefix(COLOCATED.as_bytes()) else {
            return Ok(AttrValue::Str(group.clone()));
        };
        let partner = String::from_utf8_lossy(partner);
        let Some((position, name)) = named(&partner) else {
            return Err(BuildError::Value(format!(
                "Node '{}' expects to be colocated with unknown node '{partner}'",
                node.name
            )));
        };
        if partner != node.name {
            partners.push(position);
        }
        Ok(AttrValue::Str(format!("{COLOCATED}{name}").into_bytes()))
    };
    groups.iter().map(renamed).collect()
}
