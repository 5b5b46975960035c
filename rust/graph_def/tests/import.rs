//! A GraphDef becomes a graph: names, order, mapped inputs, what scopes change, and the faults that are refused.

#![allow(clippy::unwrap_used)]

use ferroflow_graph::{BuildError, Graph, NodeId, NodeSpec, Op, OutputId, Registry};
use ferroflow_graph_def::{Around, Draft, Imported, Nowhere, Request, Sources, import, node_defs};
use ferroflow_proto::Message;
use ferroflow_proto::tensorflow::attr_value::{ListValue, Value};
use ferroflow_proto::tensorflow::{AttrValue, GraphDef, NameAttrList, NodeDef};
use ferroflow_sync::RwLock;
use ferroflow_tensor::{Code, DType};
use std::sync::Arc;

fn registry() -> Arc<Registry> {
    let mut registry = Registry::new();
    registry.add(Op::new("Out").output("a: int32"));
    registry.add(Op::new("In").input("a: int32").output("b: int32"));
    registry.add(Op::new("Sum").input("inputs: N * T").output("sum: T").attr("N: int >= 1").attr("T: type"));
    registry.add(Op::new("Call").attr("f: func"));
    registry.add(Op::new("Merge").input("inputs: N * T").output("a: T").attr("N: int >= 1").attr("T: type"));
    registry.add(Op::new("NextIteration").input("a: T").output("b: T").attr("T: type"));
    registry.finish().unwrap()
}

fn graph() -> RwLock<Graph> {
    RwLock::new(Graph::new(registry()))
}

fn attr(value: Value) -> AttrValue {
    AttrValue { value: Some(value) }
}

/// Returns `"name Op input input"`
fn node(text: &str) -> NodeDef {
    let mut words = text.split(' ').map(str::to_owned);
    let (name, op) = (words.next().unwrap(), words.next().unwrap());
    let mut node = NodeDef { name, op, input: words.collect(), ..Default::default() };
    if node.op == "Sum" || node.op == "Merge" {
        node.attr.insert("N".into(), attr(Value::I(node.input.iter().filter(|i| !i.starts_with('^')).count() as i64)));
    }
    if ["Sum", "Merge", "NextIteration"].contains(&&*node.op) {
        node.attr.insert("T".into(), attr(Value::Type(DType::I32.number())));
    }
    node
}

fn message(nodes: &[&str]) -> GraphDef {
    GraphDef { node: nodes.iter().map(|text| node(text)).collect(), ..Default::default() }
}

fn imported<'a>(graph: &RwLock<Graph>, message: &'a GraphDef, scope: &'a str) -> Result<Imported<'a>, BuildError> {
    let request = Request { message, scope, sources: Sources::default(), producer: None };
    import(graph, request, &mut Nowhere)
}

fn names(graph: &RwLock<Graph>) -> Vec<String> {
    graph.read().nodes().iter().map(|n| n.name.to_string()).collect()
}

fn failure(nodes: &[&str]) -> BuildError {
    imported(&graph(), &message(nodes), "").err().unwrap()
}

#[test]
fn nodes_come_after_what_they_read_and_else_in_the_order_of_the_message() {
    let graph = graph();
    imported(&graph, &message(&["c In b", "b In a", "z Out", "a Out ^z"]), "").unwrap();
    assert_eq!(names(&graph), ["z", "a", "b", "c"]);
    let graph = graph.into_inner();
    let reads = |name: &str| graph.node(graph.find(name).unwrap()).unwrap().clone();
    assert_eq!(reads("c").inputs.as_slice(), [OutputId { node: graph.find("b").unwrap(), index: 0 }]);
    assert_eq!(reads("a").control_inputs.as_slice(), [graph.find("z").unwrap()]);
}

#[test]
fn names_in_use_by_nodes_and_scopes_get_numbers_that_nobody_has() {
    let graph = graph();
    imported(&graph, &message(&["a Out", "s/b Out"]), "").unwrap();
    imported(&graph, &message(&["a Out", "a_1 Out", "s In a"]), "").unwrap();
    assert_eq!(names(&graph), ["a", "s/b", "a_2", "a_1", "s_1"]);
    let message = message(&["a Out"]);
    let again = imported(&graph, &message, "s/").unwrap();
    assert_eq!(graph.read().find("s/a"), again.find("a"));
    assert_eq!(again.find("b"), None);
}

#[test]
fn a_graph_comes_back_as_the_message_it_was_made_of() {
    let mut made = message(&["a Out", "b In a", "c Sum a b:0 ^a"]);
    made.node[1].device = "/device:CPU:0".into();
    let of_function = [("g".to_owned(), attr(Value::I(7)))].into();
    let mut call = node("d Call");
    call.attr.insert("f".into(), attr(Value::Func(NameAttrList { name: "body".into(), attr: of_function })));
    let groups = ListValue { s: vec![b"loc:@a".to_vec()], ..Default::default() };
    call.attr.insert("_class".into(), attr(Value::List(groups)));
    made.node.push(call);
    let graph = graph();
    imported(&graph, &made, "").unwrap();
    let (bytes, left) = node_defs(&graph.read(), 0, false).unwrap();
    made.node[2].input[1] = "b".into();
    assert_eq!(GraphDef::decode(&bytes[..]).unwrap(), made);
    assert!(left.is_empty());
}

#[test]
fn mapped_inputs_take_the_place_of_nodes_and_unknown_ones_are_refused() {
    let graph = graph();
    let outside = graph.write().add_node(spec("outside", "Out")).unwrap();
    let message = message(&["b In a:3 ^w", "a Out"]);
    let mapped = |extra: Option<&str>| {
        let mut sources = Sources::default();
        sources.map_output("a", 3, OutputId { node: outside, index: 0 });
        sources.map_control("w", outside);
        if let Some(name) = extra {
            sources.map_output(name, 1, OutputId { node: outside, index: 0 });
        }
        Request { message: &message, scope: "", sources, producer: None }
    };
    let made = import(&graph, mapped(None), &mut Nowhere).unwrap();
    let b = graph.read().node(made.find("b").unwrap()).unwrap().clone();
    assert_eq!(b.inputs.as_slice(), [OutputId { node: outside, index: 0 }]);
    assert_eq!(b.control_inputs.as_slice(), [outside]);
    for name in ["a", "x"] {
        let refused = import(&graph, mapped(Some(name)), &mut Nowhere).err().unwrap();
        let words = format!("Attempted to map inputs that were not found in graph_def: [{name}:1]");
        assert_eq!(refused, BuildError::Value(words));
    }
}

#[test]
fn the_next_value_of_a_loop_variable_comes_after_the_variable() {
    let graph = graph();
    let message = message(&["a Out", "m Merge a n", "n NextIteration m"]);
    let made = imported(&graph, &message, "").unwrap();
    assert!(made.has_flow);
    assert_eq!(made.nodes().count(), 3);
    let merge = graph.read().node(made.find("m").unwrap()).unwrap().clone();
    assert_eq!(merge.inputs[1].node, made.find("n").unwrap());
}

fn spec<'a>(name: &'a str, op: &'a str) -> NodeSpec<'a> {
    NodeSpec { op, name, inputs: Vec::new(), control_inputs: Vec::new(), attrs: Vec::new(), device: "" }
}

/// Adds a node before each node, which then waits for it.
struct Escort<'a> {
    graph: &'a RwLock<Graph>,
    seen: Vec<(NodeId, usize, Option<String>)>,
}

impl Around for Escort<'_> {
    type Error = BuildError;

    fn device(&mut self, requested: Option<&str>) -> Result<String, BuildError> {
        Ok(format!("/job:worker{}", requested.unwrap_or("?")))
    }

    fn admit(&mut self, draft: &mut Draft<'_>) -> Result<(), BuildError> {
        let name = format!("before_{}", draft.name);
        draft.control_inputs.push(self.graph.write().add_node(spec(&name, "Out"))?);
        Ok(())
    }

    fn may_undo(&self) -> bool {
        false
    }

    fn added(&mut self, node: NodeId, outputs: usize, device: Option<&str>) -> Result<(), BuildError> {
        self.seen.push((node, outputs, device.map(str::to_owned)));
        Ok(())
    }
}

#[test]
fn scopes_change_what_nodes_wait_for_and_where_they_are() {
    let graph = graph();
    let mut message = message(&["a Out", "b In a"]);
    message.node[1].device = "/task:1".into();
    let request = Request { message: &message, scope: "", sources: Sources::default(), producer: None };
    let mut escort = Escort { graph: &graph, seen: Vec::new() };
    import(&graph, request, &mut escort).unwrap();
    assert_eq!(escort.seen, [(1, 1, Some(String::new())), (3, 1, Some("/task:1".into()))]);
    assert_eq!(names(&graph), ["before_a", "a", "before_b", "b"]);
    let b = graph.read().node(3).unwrap().clone();
    assert_eq!((&*b.device, b.control_inputs.as_slice()), ("/job:worker/task:1", &[2][..]));
}

#[test]
fn unregistered_ops_are_all_listed_and_nothing_is_added() {
    let graph = graph();
    let failure = imported(&graph, &message(&["a Out", "b Nope", "c Nada", "d Nope"]), "").err().unwrap();
    let BuildError::Status(status) = failure else { panic!("{failure}") };
    assert_eq!(status.code(), Code::NotFound);
    let words = "Op type not registered 'Nada' (node 'c'), 'Nope' (node 'b') in this build of ferroflow.";
    assert_eq!(status.message(), words);
    assert!(graph.read().is_empty());
}

#[test]
fn malformed_messages_are_refused_in_tensorflows_words() {
    for (nodes, words) in [
        (&["a Out", "a Out"][..], "Node 'a' is not unique"),
        (&["_a Out"], "Node '_a': Node name contains invalid characters"),
        (&["a In b:0"], "Node 'a': Unknown input node 'b:0'"),
        (&["a Out ^b"], "Node 'a': Unknown input node '^b'"),
        (&["a Out", "b In ^a a"], "Node 'b': Control dependencies must come after regular dependencies"),
        (&["a In b", "b In a"], "2 nodes in a cycle, 'a' among them"),
        (&["a Out", "m Merge n", "n NextIteration m"], "Node 'm': a loop variable without a first value"),
        (
            &["a Out", "b In a:99999999999999999999"],
            "Node 'b': Connecting to invalid output 4294967295 of source node a which has 1 outputs",
        ),
        (
            &["a Out", "b In a a"],
            "NodeDef expected inputs 'int32' do not match 2 inputs specified; op In; NodeDef: 'b'",
        ),
    ] {
        assert_eq!(failure(nodes), BuildError::Value(words.into()));
    }
}

#[test]
fn a_failed_import_leaves_the_graph_as_it_was() {
    let graph = graph();
    let outside = graph.write().add_node(spec("outside", "Out")).unwrap();
    for nodes in [
        &["a In y", "x Out", "b In x:7"][..],
        &["a In y", "b In a a"],
        &["a Out", "b In a"],
        &["a Out", "m Merge a n", "n NextIteration m:9"],
    ] {
        let message = message(nodes);
        let mut sources = Sources::default();
        sources.map_output("y", 0, OutputId { node: outside, index: 0 });
        let request = Request { message: &message, scope: "", sources, producer: None };
        let version = graph.read().version();
        assert!(import(&graph, request, &mut Nowhere).is_err());
        let mut graph = graph.write();
        assert_eq!((graph.len(), graph.find("a"), graph.consumers(outside)), (1, None, &[][..]));
        assert!(graph.version() > version);
        let again = graph.add_node(spec("a", "Out")).unwrap();
        assert_eq!(again, 1);
        graph.truncate(1);
    }
}

#[test]
fn nodes_that_an_import_did_not_add_keep_it_from_removing_its_own() {
    let graph = graph();
    let message = message(&["a Out", "b In a:1"]);
    let request = Request { message: &message, scope: "", sources: Sources::default(), producer: None };
    let mut escort = Escort { graph: &graph, seen: Vec::new() };
    assert!(import(&graph, request, &mut escort).is_err());
    assert_eq!(names(&graph), ["before_a", "a"]);
}

#[test]
fn a_number_of_inputs_too_large_to_list_is_refused_too() {
    let mut message = message(&["a Out", "b Sum a"]);
    message.node[1].attr.insert("N".into(), attr(Value::I(i64::MAX)));
    assert!(matches!(imported(&graph(), &message, ""), Err(BuildError::Value(_))));
}
