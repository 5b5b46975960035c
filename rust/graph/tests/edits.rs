//! A graph is edited at random and compared with a model: nodes, readers, control edges, devices, shapes, version.

#![allow(clippy::unwrap_used)]

use ferroflow_graph::{AttrValue, BuildError, Graph, InputArg, NodeId, NodeSpec, Op, OutputId, Registry, shape_rules};
use ferroflow_tensor::{DType, PartialShape};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A change of the graph. Numbers of nodes are taken modulo their number plus one, so that some are not in the graph.
#[derive(Clone, Debug)]
enum Edit {
    Add { inputs: Vec<u32>, controls: Vec<u32> },
    UpdateInput { node: u32, position: usize, to: u32 },
    AddControls { node: u32, sources: Vec<u32> },
    SetControls { node: u32, sources: Vec<u32> },
    SetDevice { node: u32, device: u8 },
    SetAttr { node: u32, value: i64 },
    AddOutput { node: u32 },
    MergeShape { node: u32, dims: [Option<usize>; 2] },
    ReplaceShape { node: u32, dims: [Option<usize>; 2] },
    Truncate { length: u32 },
    Touch,
}

#[derive(Clone, Debug, PartialEq)]
struct Modelled {
    inputs: Vec<NodeId>,
    controls: Vec<NodeId>,
    device: String,
    attr: Option<i64>,
    shapes: Vec<PartialShape>,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let nodes = || prop::collection::vec(any::<u32>(), 0..4);
    let dims = || any::<[Option<bool>; 2]>().prop_map(|dims| dims.map(|d| d.map(usize::from)));
    let edit = prop_oneof![
        4 => (nodes(), nodes()).prop_map(|(inputs, controls)| Edit::Add { inputs, controls }),
        2 => (any::<u32>(), 0..4usize, any::<u32>())
            .prop_map(|(node, position, to)| Edit::UpdateInput { node, position, to }),
        1 => (any::<u32>(), nodes()).prop_map(|(node, sources)| Edit::AddControls { node, sources }),
        1 => (any::<u32>(), nodes()).prop_map(|(node, sources)| Edit::SetControls { node, sources }),
        1 => (any::<u32>(), 0..3u8).prop_map(|(node, device)| Edit::SetDevice { node, device }),
        1 => (any::<u32>(), any::<i64>()).prop_map(|(node, value)| Edit::SetAttr { node, value }),
        1 => any::<u32>().prop_map(|node| Edit::AddOutput { node }),
        2 => (any::<u32>(), dims()).prop_map(|(node, dims)| Edit::MergeShape { node, dims }),
        1 => (any::<u32>(), dims()).prop_map(|(node, dims)| Edit::ReplaceShape { node, dims }),
        1 => any::<u32>().prop_map(|length| Edit::Truncate { length }),
        1 => Just(Edit::Touch),
    ];
    prop::collection::vec(edit, 1..40)
}

fn graph() -> Graph {
    let mut r = Registry::new();
    r.add(Op::new("Join").input("inputs: N * float").output("output: float").attr("N: int >= 0").shape(|c| {
        c.set_output(0, PartialShape::unknown_of_rank(2));
        Ok(())
    }));
    r.add(Op::new("Scalar").output("output: int32").shape(shape_rules::scalar));
    Graph::new(r.finish().unwrap())
}

fn output(node: NodeId) -> OutputId {
    OutputId { node, index: 0 }
}

/// Adds what is new to a list, in order.
fn extend(list: &mut Vec<NodeId>, new: &[NodeId]) {
    for &node in new {
        if !list.contains(&node) {
            list.push(node);
        }
    }
}

/// Makes an edit; the model changes only if the edit is valid, and the graph must say the same.
fn apply(g: &mut Graph, model: &mut Vec<Modelled>, edit: &Edit) {
    let n = model.len() as u32;
    let pick = |node: u32| node % (n + 1);
    let picked = |nodes: &[u32]| nodes.iter().map(|&node| pick(node)).collect::<Vec<_>>();
    let all_known = |nodes: &[u32]| nodes.iter().all(|&node| node < n);
    let (valid, done) = match edit {
        Edit::Add { inputs, controls } => {
            let (inputs, controls) = (picked(inputs), picked(controls));
            let device = format!("/cpu:{}", n % 2);
            let spec = NodeSpec {
                op: "Join",
                name: &format!("n{n}"),
                inputs: vec![InputArg::List(inputs.iter().map(|&node| output(node)).collect())],
                control_inputs: controls.clone(),
                attrs: vec![],
                device: &device,
            };
            let valid = all_known(&inputs) && all_known(&controls);
            if valid {
                let shapes = vec![PartialShape::unknown_of_rank(2)];
                let mut node = Modelled { inputs, controls: vec![], device: device.clone(), attr: None, shapes };
                extend(&mut node.controls, &controls);
                model.push(node);
            }
            (valid, g.add_node(spec).map(|id| assert_eq!(id, n)))
        }
        &Edit::UpdateInput { node, position, to } => {
            let (node, to) = (pick(node), pick(to));
            let valid = all_known(&[node, to]) && position < model[node as usize].inputs.len();
            if valid {
                model[node as usize].inputs[position] = to;
            }
            (valid, g.update_input(node, position, output(to)))
        }
        Edit::AddControls { node, sources } => {
            let (node, sources) = (pick(*node), picked(sources));
            let valid = node < n && all_known(&sources);
            if valid {
                extend(&mut model[node as usize].controls, &sources);
            }
            (valid, g.add_control_inputs(node, &sources))
        }
        Edit::SetControls { node, sources } => {
            let (node, sources) = (pick(*node), picked(sources));
            let valid = node < n && all_known(&sources);
            if valid {
                model[node as usize].controls.clear();
                extend(&mut model[node as usize].controls, &sources);
            }
            (valid, g.set_control_inputs(node, &sources))
        }
        Edit::SetDevice { node, device } => {
            let (node, device) = (pick(*node), format!("/cpu:{device}"));
            if let Some(node) = model.get_mut(node as usize) {
                node.device.clone_from(&device);
            }
            (node < n, g.set_device(node, &device))
        }
        &Edit::SetAttr { node, value } => {
            let node = pick(node);
            if let Some(node) = model.get_mut(node as usize) {
                node.attr = Some(value);
            }
            (node < n, g.set_attr(node, "_mark", AttrValue::Int(value)))
        }
        Edit::AddOutput { node } => {
            let node = pick(*node);
            if let Some(node) = model.get_mut(node as usize) {
                node.shapes.push(PartialShape::scalar());
            }
            (node < n, g.add_output(node, DType::I32, PartialShape::scalar()))
        }
        Edit::MergeShape { node, dims } => {
            let (node, shape) = (pick(*node), PartialShape::from_dims(dims));
            let merged = model.get(node as usize).and_then(|node| node.shapes[0].merge(&shape).ok());
            if let Some(merged) = &merged {
                model[node as usize].shapes[0] = merged.clone();
            }
            (merged.is_some(), g.merge_shape(output(node), &shape))
        }
        Edit::ReplaceShape { node, dims } => {
            let (node, shape) = (pick(*node), PartialShape::from_dims(dims));
            if let Some(node) = model.get_mut(node as usize) {
                node.shapes[0] = shape.clone();
            }
            (node < n, g.replace_shape(output(node), shape))
        }
        &Edit::Truncate { length } => {
            // A node may read one that was made later. Only what no earlier node reads may go.
            let reads = |m: &Modelled| m.inputs.iter().chain(&m.controls).copied().max().unwrap_or(0);
            let length = (pick(length)..).find(|&l| model[..l.min(n) as usize].iter().all(|m| reads(m) < l.max(1)));
            let length = length.unwrap_or(n).min(n) as usize;
            model.truncate(length);
            g.truncate(length);
            (true, Ok(()))
        }
        Edit::Touch => {
            g.touch();
            (true, Ok(()))
        }
    };
    assert_eq!(done.is_ok(), valid, "{edit:?}: {done:?}");
}

fn assert_same(g: &Graph, model: &[Modelled]) {
    assert_eq!((g.len(), g.is_empty()), (model.len(), model.is_empty()));
    for (id, expected) in (0..).zip(model) {
        let node = g.node(id).unwrap();
        let found = Modelled {
            inputs: node.inputs.iter().map(|o| o.node).collect(),
            controls: node.control_inputs.to_vec(),
            device: node.device.to_string(),
            attr: node.attrs.int("_mark").ok(),
            shapes: node.outputs.iter().map(|o| o.shape.clone()).collect(),
        };
        assert_eq!(found, *expected, "node {id}");
        assert_eq!((node.id, g.find(&format!("n{id}"))), (id, Some(id)));
        let before: BTreeSet<_> = expected.inputs.iter().chain(&expected.controls).collect();
        assert_eq!(node.predecessors().collect::<BTreeSet<_>>(), before.into_iter().copied().collect());
        let mut readers: Vec<_> = (0..)
            .zip(model)
            .flat_map(|(reader, m)| (0..).zip(&m.inputs).map(move |(position, &from)| (from, (reader, position))))
            .filter_map(|(from, reader)| (from == id).then_some(reader))
            .collect();
        let mut consumers = g.consumers(id).to_vec();
        readers.sort_unstable();
        consumers.sort_unstable();
        assert_eq!(consumers, readers, "readers of node {id}");
    }
    assert!(g.node(model.len() as NodeId).is_err() && g.find("none").is_none());
}

proptest! {
    #[test]
    fn a_graph_is_what_its_edits_made_and_every_edit_raises_its_version(edits in edits()) {
        let (mut g, mut model) = (graph(), Vec::new());
        for edit in &edits {
            let (version, before) = (g.version(), model.clone());
            apply(&mut g, &mut model, edit);
            assert_same(&g, &model);
            prop_assert!(before == model || g.version() > version, "{edit:?} leaves the plans of before valid");
        }
    }
}

#[test]
fn an_input_is_replaced_by_one_of_its_type_alone() {
    let mut g = graph();
    let add = |g: &mut Graph, op: &str, name: &str, inputs: Vec<InputArg>| {
        g.add_node(NodeSpec { op, name, inputs, control_inputs: vec![], attrs: vec![], device: "" }).unwrap()
    };
    let float = add(&mut g, "Join", "float", vec![InputArg::List(vec![])]);
    let reader = add(&mut g, "Join", "reader", vec![InputArg::List(vec![output(float)])]);
    let int = add(&mut g, "Scalar", "int", vec![]);
    let refused = g.update_input(reader, 0, output(int));
    let message = "Cannot replace an input of type float32 by one of type int32";
    assert_eq!(refused, Err(BuildError::Type(message.to_owned())));
    assert_eq!((g.consumers(float), g.consumers(int)), (&[(reader, 0)][..], &[][..]));
    let refused = g.merge_shape(output(int), &PartialShape::vector(None));
    assert_eq!(refused, Err(BuildError::Value("Shapes [] and [?] are not compatible".to_owned())));
    assert!(g.output(OutputId { node: int, index: 1 }).is_err());
}
