"""`tf.contrib.graph_editor`: views, selections, copies, and changes to what operations read."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow.contrib import graph_editor as ge


@pytest.fixture
def graph():
    """a and b into c; c and d into e and f, which h reads."""
    with tf.Graph().as_default() as made:
        a, b = tf.constant([1.0, 1.0], name="a"), tf.constant([2.0, 2.0], name="b")
        with tf.name_scope("foo"):
            c = tf.add(a, b, name="c")
            d = tf.constant([3.0, 3.0], name="d")
            e, f = tf.add(c, d, name="e"), tf.subtract(c, d, name="f")
            with tf.control_dependencies([c]):
                tf.multiply(e, f, name="h")
        yield made


def op(graph, name):
    return graph.get_operation_by_name(name)


def value(graph, name, feeds=None):
    with tf.Session(graph=graph) as sess:
        return sess.run(f"{name}:0", feeds).tolist()


def test_a_view_has_the_tensors_at_its_boundary(graph):
    view = ge.sgv(op(graph, "foo/c"), op(graph, "foo/e"))
    assert [t.name for t in view.inputs] == ["a:0", "b:0", "foo/d:0"]
    assert [t.name for t in view.outputs] == ["foo/c:0", "foo/e:0"]
    assert [o.name for o in view.consumers()] == ["foo/f", "foo/h"]
    assert [t.name for t in view.remap_inputs([2, 0]).inputs] == ["foo/d:0", "a:0"]
    with pytest.raises(ValueError, match="repetition"):
        view.remap_inputs([0, 0])
    with pytest.raises(ValueError, match="range"):
        view.remap_outputs([5])
    assert "foo/e" in str(view)
    assert len(ge.sgv_scope("foo", graph).ops) == 5
    assert not ge.SubGraphView()


def test_selections(graph):
    assert [o.name for o in ge.select_ops("^foo/[ef]$", graph=graph)] == ["foo/e", "foo/f"]
    assert [t.name for t in ge.select_ts("(?#ts)^foo/[ef]:0$", graph=graph)] == ["foo/e:0", "foo/f:0"]
    controls = ge.ControlOutputs(graph)
    assert op(graph, "foo/h") in controls.get(op(graph, "foo/c"))
    assert len(ge.get_ops_ios(op(graph, "foo/c"))) == 4
    assert len(ge.get_ops_ios(op(graph, "foo/c"), control_ios=controls)) == 5
    inputs, outputs, inside = ge.compute_boundary_ts([op(graph, "foo/c"), op(graph, "foo/e")])
    assert ([t.name for t in inputs], len(outputs), [t.name for t in inside]) == (
        ["a:0", "b:0", "foo/d:0"],
        2,
        ["foo/c:0"],
    )
    with pytest.raises(ValueError, match="graph"):
        ge.select_ops("foo")
    with pytest.raises(TypeError, match="ControlOutputs"):
        ge.get_forward_walk_ops(op(graph, "a"), control_outputs=True)


def test_swapped_and_rerouted_tensors(graph):
    before = value(graph, "foo/h")
    e, f = op(graph, "foo/e").outputs[0], op(graph, "foo/f").outputs[0]
    assert ge.swap_ts(e, f) == 2
    assert [t.name for t in op(graph, "foo/h").inputs] == ["foo/f:0", "foo/e:0"]
    assert value(graph, "foo/h") == before
    assert ge.reroute_ts(e, f) == 1
    assert value(graph, "foo/h") == [36.0, 36.0]
    with pytest.raises(ValueError, match="sizes"):
        ge.reroute_ts([e, f], [e])
    with graph.as_default():
        other = tf.constant([1, 2])
    with pytest.raises(ValueError, match="Dtypes"):
        ge.reroute_ts(other, e)


def test_detached_parts_read_placeholders(graph):
    view, inputs, outputs = ge.detach(ge.sgv(op(graph, "foo/c")), control_ios=ge.ControlOutputs(graph))
    assert [t.op.name for t in inputs] == ["geph__a_0", "geph__b_0"]
    assert op(graph, "foo/h").control_inputs == []
    assert value(graph, "foo/c", {t: [5.0, 6.0] for t in inputs}) == [10.0, 12.0]
    assert value(graph, "foo/e", {t: [1.0, 1.0] for t in outputs}) == [4.0, 4.0]
    assert view.ops == [op(graph, "foo/c")]


def test_a_bypassed_operation_is_left_out(graph):
    ge.bypass(ge.sgv(op(graph, "foo/f")).remap_inputs([0]))
    assert value(graph, "foo/h") == [18.0, 18.0]


def test_a_copy_computes_the_same(graph):
    other = tf.Graph()
    _, info = ge.copy(graph, other, dst_scope="copied")
    copied = info.transformed(op(graph, "foo/h"))
    assert copied.name == "copied/foo/h"
    assert info.original(copied) is op(graph, "foo/h")
    assert [c.name for c in copied.control_inputs] == ["copied/foo/c"]
    assert value(other, "copied/foo/h") == value(graph, "foo/h")


def test_replaced_tensors_change_what_depends_on_them():
    with tf.Graph().as_default() as graph:
        a, w = tf.constant(1.0, name="a"), tf.Variable(2.0, name="w")
        c = tf.identity(a * w, name="c")
        new = tf.constant(5.0)
        found = ge.graph_replace({"c": c, "w": w.value()}, {a: new})
        assert found["w"] is w.value()
        with pytest.raises(ValueError, match="connected"):
            ge.graph_replace(w.value(), {a: new})
        with tf.Session(graph=graph) as sess:
            sess.run(tf.global_variables_initializer())
            assert sess.run([c, found["c"]]) == [2.0, 10.0]


def test_loops_and_conditionals_are_copied():
    with tf.Graph().as_default() as graph:
        limit, choice = tf.placeholder(tf.int32, []), tf.placeholder(tf.bool, [])
        _, total = tf.while_loop(lambda i, _: i <= limit, lambda i, s: (i + 1, s + i), [1, 0])
        result = tf.cond(choice, lambda: total * 2, lambda: total)
    other = tf.Graph()
    _, info = ge.copy(graph, other)
    with tf.Session(graph=other) as sess:
        feeds = {info.transformed(limit): 10, info.transformed(choice): True}
        assert sess.run(info.transformed(result), feeds) == 110
        assert sess.run(info.transformed(result), feeds | {info.transformed(choice): False}) == 55


def test_a_handler_adds_to_a_copy(graph):
    copier = ge.Transformer()

    def doubled(info, op, inputs):
        made, outputs = ge.copy_op_handler(info, op, inputs)
        if op.type != "Add":
            return made, outputs
        with info.graph_.as_default():
            return made, [outputs[0] * 2.0]

    copier.transform_op_handler = doubled
    other = tf.Graph()
    _, info = copier(graph, other, "")
    with tf.Session(graph=other) as sess:
        assert sess.run(info.transformed(op(graph, "foo/e").outputs[0])).tolist() == [18.0, 18.0]


_OPERATIONS = (tf.add, tf.subtract, tf.multiply, tf.maximum)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_copies_of_any_graph_compute_the_same(data):
    with tf.Graph().as_default() as graph:
        tensors = [tf.constant(np.arange(3.0) + n) for n in range(2)]
        for _ in range(data.draw(st.integers(1, 12))):
            function = data.draw(st.sampled_from(_OPERATIONS))
            tensors.append(function(*(data.draw(st.sampled_from(tensors)) for _ in range(2))))
    other = tf.Graph()
    _, info = ge.copy(graph, other, dst_scope=data.draw(st.sampled_from(["", "inner"])))
    with tf.Session(graph=graph) as sess, tf.Session(graph=other) as copied:
        for one, two in zip(sess.run(tensors), copied.run(info.transformed(tensors)), strict=True):
            np.testing.assert_array_equal(one, two)
