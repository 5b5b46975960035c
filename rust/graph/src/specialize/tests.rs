//! Tests of the shapes that follow from feeds, variables, lists and arrays.

use super::*;
use crate::attr::AttrValue;
use crate::facts::ElementsPart;
use crate::graph::{InputArg, NodeSpec};
use crate::op_def::Op;
use crate::registry::Registry;
use crate::shape_rules;

fn graph() -> Graph {
    let mut r = Registry::new();
    let shaped = |op: Op| op.attr("shape: shape").shape(shape_rules::from_shape_attr);
    r.add(shaped(Op::new("Placeholder").output("output: float")));
    r.add(shaped(Op::new("Variable").output("ref: Ref(float)").stateful().variable()));
    r.add(shaped(Op::new("Ones").output("output: float")));
    r.add(Op::new("Neg").input("x: float").output("y: float").shape(shape_rules::unchanged));
    r.add(Op::new("Add").input("x: float").input("y: float").output("z: float").shape(shape_rules::broadcast_binary));
    r.add(Op::new("Enter").input("x: float").output("y: float").flow(Flow::Enter));
    r.add(Op::new("NextIteration").input("x: float").output("y: float").flow(Flow::NextIteration));
    let merge = Op::new("Merge").input("x: N * float").output("y: float").output("index: int32").attr("N: int");
    r.add(merge.flow(Flow::Merge));
    let assign = Op::new("Assign").input("ref: Ref(float)").input("value: float").output("out: Ref(float)");
    r.add(assign.attr("validate_shape: bool = true").may_reshape_variable().shape(shape_rules::merged));
    r.add(Op::new("EmptyList").output("list: variant").elements(ElementsPart::EmptyList));
    let push = Op::new("Push").input("list: variant").input("x: float").output("longer: variant");
    r.add(push.elements(ElementsPart::Push));
    let pop = Op::new("Pop").input("list: variant").output("shorter: variant").output("x: float");
    r.add(pop.elements(ElementsPart::Pop));
    r.add(Op::new("Array").input("size: float").output("handle: resource").elements(ElementsPart::MakeArray));
    let gradients = Op::new("Gradients").input("handle: resource").output("of: resource").attr("source: string = 'g'");
    r.add(gradients.elements(ElementsPart::MakeGradients));
    for (name, part) in [("Write", ElementsPart::Write), ("WriteRows", ElementsPart::WriteRows)] {
        let op = Op::new(name).input("handle: resource").input("index: float").input("x: float");
        r.add(op.output("flow: float").elements(part));
    }
    let read = Op::new("Read").input("handle: resource").input("flow: float").output("x: float");
    r.add(read.elements(ElementsPart::Read));
    r.add(Op::new("Call").input("handle: resource").output("y: float"));
    Graph::new(r.finish().unwrap())
}

fn add(g: &mut Graph, op: &str, inputs: Vec<InputArg>, attrs: Vec<(&str, AttrValue)>) -> OutputId {
    let name = format!("n{}", g.len());
    let attrs = attrs.into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
    let node = g.add_node(NodeSpec { op, name: &name, inputs, control_inputs: vec![], attrs, device: "" }).unwrap();
    OutputId { node, index: 0 }
}

fn of(g: &mut Graph, op: &str, inputs: &[OutputId]) -> OutputId {
    add(g, op, inputs.iter().map(|o| InputArg::One(*o)).collect(), vec![])
}

fn shaped(g: &mut Graph, op: &str, dims: &[Option<usize>]) -> OutputId {
    add(g, op, vec![], vec![("shape", AttrValue::Shape(PartialShape::from_dims(dims)))])
}

fn specialized(g: &Graph, feeds: &[(OutputId, &[usize])], variable: Option<&[usize]>) -> Option<Graph> {
    let nodes: Vec<NodeId> = (0..g.len() as NodeId).collect();
    let feeds: Vec<_> = feeds.iter().map(|(o, s)| (*o, Shape::new(s))).collect();
    g.specialized(&nodes, &feeds, &|_| variable.map(Shape::new))
}

fn shape(g: &Graph, o: OutputId) -> String {
    g.output(o).unwrap().shape.to_string()
}

#[test]
fn shapes_follow_from_feeds_and_variables_and_not_from_what_a_program_states() {
    let mut g = graph();
    let (x, v) = (shaped(&mut g, "Placeholder", &[None, Some(3)]), shaped(&mut g, "Variable", &[None]));
    let sum = of(&mut g, "Add", &[x, v]);
    let stated = of(&mut g, "Neg", &[sum]);
    g.merge_shape(stated, &PartialShape::from_dims(&[Some(9), Some(3)])).unwrap();
    let s = specialized(&g, &[(x, &[5, 3])], Some(&[3])).unwrap();
    assert_eq!((shape(&s, v), shape(&s, sum), shape(&s, stated)), ("[3]".into(), "[5,3]".into(), "[5,3]".into()));
    assert!(s.is_specialized() && !g.is_specialized());
    assert!(specialized(&g, &[(x, &[5, 3])], None).is_none(), "a variable without a value");
}

#[test]
fn a_fed_result_has_the_shape_that_is_fed() {
    let mut g = graph();
    let one = shaped(&mut g, "Ones", &[Some(2)]);
    let result = of(&mut g, "Neg", &[one]);
    let s = specialized(&g, &[(one, &[4])], None).unwrap();
    assert_eq!((shape(&s, one), shape(&s, result)), ("[4]".into(), "[4]".into()));
}

#[test]
fn a_loop_variable_has_what_all_iterations_share() {
    for (added, expected) in [(&[][..], "[5,1]"), (&[4][..], "[5,?]"), (&[2, 5, 1][..], "<unknown>")] {
        let mut g = graph();
        let x = shaped(&mut g, "Placeholder", &[None, None]);
        let y = shaped(&mut g, "Placeholder", &[]);
        let enter = of(&mut g, "Enter", &[x]);
        let merge = add(&mut g, "Merge", vec![InputArg::List(vec![enter, enter])], vec![]);
        let next = of(&mut g, "Add", &[merge, y]);
        let next = of(&mut g, "NextIteration", &[next]);
        g.update_input(merge.node, 1, next).unwrap();
        let s = specialized(&g, &[(x, &[5, 1]), (y, added)], None).unwrap();
        assert_eq!(shape(&s, merge), expected);
    }
}

#[test]
fn a_step_that_may_reshape_a_variable_has_no_shapes() {
    for (validates, value, relies) in [(true, &[3][..], true), (false, &[3], true), (false, &[4], false)] {
        let mut g = graph();
        let (x, v) = (shaped(&mut g, "Placeholder", &[None]), shaped(&mut g, "Variable", &[Some(3)]));
        let inputs = vec![InputArg::One(v), InputArg::One(x)];
        add(&mut g, "Assign", inputs, vec![("validate_shape", AttrValue::Bool(validates))]);
        assert_eq!(specialized(&g, &[(x, value)], Some(&[3])).is_some(), relies);
    }
}

#[test]
fn edges_from_later_nodes_are_refused() {
    let mut g = graph();
    let x = shaped(&mut g, "Placeholder", &[None]);
    let early = of(&mut g, "Neg", &[x]);
    let late = of(&mut g, "Neg", &[x]);
    g.update_input(early.node, 0, late).unwrap();
    assert!(specialized(&g, &[(x, &[3])], None).is_none());
}

#[test]
fn what_is_popped_from_a_list_has_what_all_that_was_pushed_shares() {
    for (pushed, expected) in
        [(&[&[2, 3][..]][..], "[2,3]"), (&[&[2, 3], &[4, 3]], "[?,3]"), (&[&[2], &[2, 1]], "<unknown>")]
    {
        let mut g = graph();
        let mut list = of(&mut g, "EmptyList", &[]);
        let mut feeds = Vec::new();
        for shape in pushed {
            let x = shaped(&mut g, "Placeholder", &[]);
            feeds.push((x, *shape));
            list = of(&mut g, "Push", &[list, x]);
        }
        let popped = of(&mut g, "Pop", &[list]);
        let again = of(&mut g, "Pop", &[popped]);
        let s = specialized(&g, &feeds, None).unwrap();
        for node in [popped.node, again.node] {
            assert_eq!(shape(&s, OutputId { node, index: 1 }), expected);
        }
    }
}

#[test]
fn what_is_read_from_an_array_has_what_all_that_is_written_shares_whatever_the_order() {
    for (written, rows, expected) in [
        (&[2, 3][..], &[7, 2, 3][..], "[2,3]"),
        (&[2, 3], &[7, 4, 3], "[?,3]"),
        (&[2, 3], &[7], "<unknown>"),
        (&[], &[7], "[]"),
    ] {
        let mut g = graph();
        let (x, y) = (shaped(&mut g, "Placeholder", &[]), shaped(&mut g, "Placeholder", &[]));
        let array = of(&mut g, "Array", &[x]);
        let read = of(&mut g, "Read", &[array, x]);
        let gradients = of(&mut g, "Gradients", &[array]);
        let read_gradient = of(&mut g, "Read", &[gradients, x]);
        of(&mut g, "Write", &[array, x, x]);
        of(&mut g, "WriteRows", &[array, x, y]);
        let s = specialized(&g, &[(x, written), (y, rows)], None).unwrap();
        assert_eq!((shape(&s, read).as_str(), shape(&s, read_gradient).as_str()), (expected, expected));
    }
}

#[test]
fn an_array_that_others_may_write_has_elements_of_any_shape() {
    for (called, expected) in [(false, "[2]"), (true, "<unknown>")] {
        let mut g = graph();
        let x = shaped(&mut g, "Placeholder", &[]);
        let (array, other) = (of(&mut g, "Array", &[x]), of(&mut g, "Array", &[x]));
        of(&mut g, "Write", &[array, x, x]);
        let read = of(&mut g, "Read", &[array, x]);
        of(&mut g, "Call", &[if called { array } else { other }]);
        let s = specialized(&g, &[(x, &[2])], None).unwrap();
        assert_eq!(shape(&s, read), expected);
    }
}
