"""The private parts of a graph that programs of TensorFlow 1.15 use: tables of nodes, and constructors of handles."""

import copy

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def copied_def(op, name):
    message = copy.deepcopy(op.node_def)
    message.name = name
    return message


def test_nodes_are_found_by_name_and_by_id(graph):
    a = tf.constant(1.0, name="a")
    b = tf.add(a, 2.0, name="b")
    by_name, by_id = graph._nodes_by_name, graph._nodes_by_id
    assert list(by_name) == ["a", "b/y", "b"]
    assert by_name["b"] is b.op
    assert "b" in by_name
    assert "B" not in by_name
    assert "b:0" not in by_name
    assert by_name.get("c") is None
    with pytest.raises(KeyError):
        by_name["c"]
    assert list(by_name.values()) == graph.get_operations()
    assert [by_id[key] for key in sorted(by_id)] == graph.get_operations()
    assert by_id[b.op._id] is b.op
    for absent in (-1, 3, "a"):
        assert absent not in by_id
    tf.no_op(name="c")
    assert len(by_name) == len(by_id) == graph._version == graph._last_id == 4


def test_tables_hold_imported_nodes(graph):
    with tf.Graph().as_default() as other:
        tf.add(tf.constant(1.0, name="a"), 2.0, name="b")
    tf.import_graph_def(other.as_graph_def(), name="in")
    assert list(graph._nodes_by_name) == ["in/a", "in/b/y", "in/b"]
    assert graph._nodes_by_name["in/b"].inputs[0].op is graph._nodes_by_name["in/a"]


def test_an_operation_is_made_from_its_node_def(graph):
    a = tf.constant(1.0, name="a")
    b = tf.add(a, 2.0, name="b")
    with tf.name_scope("not_here"), tf.device("/cpu:0"), tf.control_dependencies([b]), tf.colocate_with(a):
        c = tf.Operation(
            copied_def(b.op, "c"), graph, list(b.op.inputs), [tf.float32], [a, a.op], None, a.op, b.op.op_def
        )
    assert (c.name, c.type, c.device, c.control_inputs, c._original_op) == ("c", "Add", "", [a.op], a.op)
    assert c.colocation_groups() == [b"loc:@c"]
    assert graph._nodes_by_name["c"] is c
    assert graph.get_operations()[-1] is c
    assert c.traceback[-2][0].endswith("test_internal_tables.py")
    with tf.Session() as session:
        assert session.run(c.outputs[0]) == 3
    assert tf.identity(a, name="c").op.name == "c_1"


def test_attributes_devices_and_lists_of_a_node_def_are_kept(graph):
    parts = [tf.constant([float(i)]) for i in range(3)]
    joined = tf.concat(parts, 0)
    message = copied_def(joined.op, "again")
    message.device = "/job:worker/cpu:0"
    again = tf.Operation(message, graph, list(joined.op.inputs))
    assert again.device == "/job:worker/cpu:0"
    assert again.get_attr("N") == 3
    weights = tf.constant([[1, 2], [3, 4]], name="weights")
    same = tf.Operation(copied_def(weights.op, "same"), graph)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(same.outputs[0]), [[1, 2], [3, 4]])


def test_an_operation_made_in_a_branch_runs_with_it(graph):
    x = tf.constant(2.0)
    model = tf.square(x)
    made = []

    def branch():
        made.append(tf.Operation(copied_def(model.op, "inside"), graph, [x]))
        return made[0].outputs[0]

    result = tf.cond(tf.placeholder_with_default(True, []), branch, lambda: x)
    assert made[0]._get_control_flow_context() is not None
    assert made[0].inputs[0] is not x
    with tf.Session() as session:
        assert session.run(result) == 4


def add_of(graph, **changes):
    b = tf.add(tf.constant(1.0), 2.0, name="b")
    arguments = {"node_def": copied_def(b.op, "c"), "g": graph, "inputs": list(b.op.inputs)} | changes
    return tf.Operation(**arguments)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"node_def": "Add"}, TypeError, "node_def needs to be a NodeDef: Add"),
        ({"g": "graph"}, TypeError, "g needs to be a Graph: graph"),
        ({"inputs": (1, 2)}, TypeError, "inputs needs to be a list of Tensors"),
        ({"inputs": [1, 2]}, TypeError, "input needs to be a Tensor: 1"),
        ({"inputs": []}, ValueError, "lacks input 'x'"),
        ({"input_types": [tf.int32, tf.int32]}, TypeError, "In op 'c', input types .* are not compatible with"),
        ({"control_inputs": [3]}, TypeError, "Control input must be an Operation, a Tensor, or IndexedSlices: 3"),
        (
            {"node_def": tf.NodeDef(name="b", op="NoOp"), "inputs": None},
            ValueError,
            "Duplicate node name in graph: 'b'",
        ),
        ({"node_def": tf.NodeDef(name="_b", op="NoOp"), "inputs": None}, ValueError, "'_b' is not a valid node name"),
        ({"node_def": tf.NodeDef(name="c", op="Absent"), "inputs": None}, tf.errors.NotFoundError, "Absent"),
    ],
)
def test_what_no_operation_can_be_made_of_is_refused(graph, changes, error, words):
    with pytest.raises(error, match=words):
        add_of(graph, **changes)


def test_a_finalized_graph_and_tensors_of_another_are_refused(graph):
    with tf.Graph().as_default():
        elsewhere = tf.constant(1.0)
    with pytest.raises(ValueError, match="same graph"):
        add_of(graph, inputs=[elsewhere, elsewhere])
    b = tf.add(1.0, 2.0)
    message = copied_def(b.op, "c")
    graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        tf.Operation(message, graph, list(b.op.inputs))


def test_a_tensor_made_of_an_operation_is_its_output():
    op = tf.constant(1.0).op
    assert tf.Tensor(op, 0, tf.float32) is op.outputs[0]
    with pytest.raises(TypeError, match="op needs to be an Operation: 1"):
        tf.Tensor(1, 0, tf.float32)
    with pytest.raises(IndexError):
        tf.Tensor(op, 1, tf.float32)


def test_handles_and_graphs_have_tf_names_for_what_they_hold(graph):
    with graph.gradient_override_map({"Square": "Other"}), graph.container("here"):
        assert graph._gradient_override_map == {"Square": "Other"}
        assert graph._container == "here"
    assert graph._gradient_override_map == {}
    a = tf.constant(1.0, name="a")
    with graph._original_op(a.op):
        b = tf.add(a, 2.0)
        assert graph._default_original_op is a.op
    assert b.op._original_op is a.op
    assert graph._default_original_op is None
    assert tf.add(a, 2.0).op._original_op is None
    assert b.op._inputs == b.op.inputs
    assert b.op._control_inputs == []
    assert b.op._node_def == b.op.node_def
    assert b.op._op_def == b.op.op_def == graph._get_op_def(b.op.type)
    assert b._value_index == 0
    b.op._set_attr("note", 3)
    assert b.op.get_attr("note") == 3
    assert "a" in graph._names_in_use
