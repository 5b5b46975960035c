"""Internal functions for loops, optimizers and decoders of programs: they agree with the public ones."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow.contrib.seq2seq.python.ops import attention_wrapper, decoder, helper
from ferroflow.python.framework import common_shapes, graph_util_impl
from ferroflow.python.ops import image_ops_impl, metrics_impl, rnn
from ferroflow.python.training import optimizer
from ferroflow.python.util import object_identity

_DIMENSIONS = st.lists(st.integers(1, 3), max_size=3)


def test_a_confusion_matrix_grows_with_each_batch():
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.placeholder(tf.int32, [None])
        weights = tf.fill(tf.shape(labels), 0.5)
        matrix, update = metrics_impl._streaming_confusion_matrix(labels, labels * 0, 2, weights)
        session.run(tf.local_variables_initializer())
        for batch in ([0, 1], [1, 1]):
            session.run(update, {labels: batch})
        np.testing.assert_array_equal(session.run(matrix), [[0.5, 0], [1.5, 0]])


@pytest.mark.parametrize("skips", [True, False])
def test_a_loop_of_steps_is_dynamic_rnn(skips):
    values = np.random.RandomState(1).normal(size=(3, 2, 4)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        cell, lengths = tf.nn.rnn_cell.GRUCell(5), tf.constant([3, 1])
        expected, last = tf.nn.dynamic_rnn(cell, values, lengths, dtype=tf.float32, time_major=True)
        state, outputs = tf.zeros([2, 5]), []
        for time in range(3):

            def call(time=time, state=state):
                with tf.variable_scope("rnn", reuse=True):
                    return cell(tf.constant(values[time]), state)

            least, most = tf.reduce_min(lengths), tf.reduce_max(lengths)
            zeros = tf.zeros([2, 5])
            output, state = rnn._rnn_step(tf.constant(time), lengths, least, most, zeros, state, call, 5, skips)
            outputs.append(output)
        session.run(tf.global_variables_initializer())
        found, expected, state, last = session.run([tf.stack(outputs), expected, state, last])
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(state, last)


def test_reversed_sequences_end_where_they_began():
    with tf.Graph().as_default(), tf.Session() as session:
        steps = [tf.constant([[time], [time + 10]]) for time in range(3)]
        backwards = rnn._reverse_seq(steps, tf.constant([3, 2]))
        np.testing.assert_array_equal(np.squeeze(session.run(backwards), -1), [[2, 11], [1, 10], [0, 12]])
    assert rnn._infer_state_dtype(None, [tf.zeros([1]), tf.zeros([2])]) is tf.float32


def test_attention_of_a_wrapper_is_computed_attention():
    memory = np.random.RandomState(2).normal(size=(2, 3, 4)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        mechanism = tf.contrib.seq2seq.LuongAttention(4, memory)
        query = tf.constant(memory[:, 0])
        attention, alignments, state = attention_wrapper._compute_attention(mechanism, query, None, None)
        session.run(tf.global_variables_initializer())
        attention, alignments, state = session.run([attention, alignments, state])
    np.testing.assert_allclose(attention, np.einsum("bt,btd->bd", alignments, memory), rtol=1e-5)
    np.testing.assert_array_equal(alignments, state)


def test_outputs_of_a_decoder_start_as_zeros():
    with tf.Graph().as_default(), tf.Session() as session:
        zeros = decoder._create_zero_outputs((tf.TensorShape([3]), tf.TensorShape([])), (tf.float32, tf.int32), 2)
        assert [part.dtype for part in zeros] == [tf.float32, tf.int32]
        assert [part.shape for part in session.run(zeros)] == [(2, 3), (2,)]
        rows = helper._unstack_ta(tf.constant([[1, 2], [3, 4]]))
        np.testing.assert_array_equal(session.run(rows.read(1)), [3, 4])


@pytest.mark.parametrize("resource", [True, False])
@pytest.mark.parametrize("sparse", [True, False])
def test_an_update_of_a_target_is_that_of_apply_gradients(resource, sparse):
    with tf.Graph().as_default(), tf.Session() as session:
        first, second = (tf.get_variable(n, initializer=[1.0, 2.0, 3.0], use_resource=resource) for n in "ab")
        gradient = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([1, 1])) if sparse else tf.constant([1.0] * 3)
        descent = tf.train.GradientDescentOptimizer(0.5)
        descent._prepare()
        processor = optimizer._get_processor(first)
        updates = [processor.update_op(descent, gradient), descent.apply_gradients([(gradient, second)])]
        session.run(tf.global_variables_initializer())
        session.run(updates)
        np.testing.assert_array_equal(*session.run([first, second]))
        assert tf.gradients(first * 2.0, processor.target())[0] is not None


def test_tensors_are_targets_without_updates():
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        processor = optimizer._get_processor(x)
        assert processor.target() is x
        with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
            processor.update_op(tf.train.GradientDescentOptimizer(1.0), x)
        with pytest.raises(NotImplementedError, match="unsupported type"):
            optimizer._get_processor("x")


@given(_DIMENSIONS, _DIMENSIONS)
def test_static_shapes_broadcast_as_those_of_numpy(left, right):
    shapes = tf.TensorShape(left), tf.TensorShape(right)
    try:
        expected = list(np.broadcast_shapes(tuple(left), tuple(right)))
    except ValueError:
        assert not common_shapes.is_broadcast_compatible(*shapes)
        with pytest.raises(ValueError, match=r"[Ii]ncompatible"):
            common_shapes.broadcast_shape(*shapes)
        return
    assert common_shapes.is_broadcast_compatible(*shapes)
    assert common_shapes.broadcast_shape(*shapes).as_list() == expected
    assert common_shapes.broadcast_shape(shapes[0], tf.TensorShape(None)).ndims is None


def test_images_are_checked_for_three_dimensions():
    with tf.Graph().as_default():
        image = tf.zeros([2, 3, 4])
        assert image_ops_impl._Check3DImage(image) == []
        assert image_ops_impl._ImageDimensions(image, 3) == [2, 3, 4]
        with pytest.raises(ValueError, match="three-dimensional"):
            image_ops_impl._Check3DImage(image[0])
        with pytest.raises(ValueError, match="fully defined"):
            image_ops_impl._Check3DImage(tf.placeholder(tf.float32, [None, 3, 1]))
        assert len(image_ops_impl._Check3DImage(tf.placeholder(tf.float32, [None, 3, 1]), False)) == 1
        flipped = image_ops_impl.fix_image_flip_shape(tf.placeholder(tf.float32), tf.placeholder(tf.float32))
        assert flipped.shape.as_list() == [None, None, None]


def test_nodes_that_others_need_are_found():
    with tf.Graph().as_default() as graph:
        a, unused = tf.constant(1.0, name="a"), tf.constant(2.0, name="unused")
        with tf.control_dependencies([a]), tf.colocate_with(unused):
            tf.identity(a, name="b")
    needs, nodes, places = graph_util_impl._extract_graph_summary(graph.as_graph_def())
    assert graph_util_impl._bfs_for_reachable_nodes(["b"], needs) == {"a", "b", "unused"}
    assert sorted(nodes) == sorted(places) == ["a", "b", "unused"]
    assert [graph_util_impl._node_name(name) for name in ("a:1", "^a", "a")] == ["a"] * 3
    with pytest.raises(AssertionError, match="c is not in graph"):
        graph_util_impl._assert_nodes_are_present(nodes, ["a", "c"])


class _Equal:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


@pytest.mark.parametrize("kind", ["", "Weak"])
def test_elements_are_compared_by_identity(kind):
    a, b = _Equal(), _Equal()
    found = getattr(object_identity, f"ObjectIdentity{kind}Set")([a, a, b])
    assert len(found) == 2
    assert a in found
    assert _Equal() not in found
    assert [*found.intersection([a])] == [a]
    assert len(found.difference([a])) == 1
    found.discard(a)
    table = getattr(object_identity, f"ObjectIdentity{kind}{'Key' * bool(kind)}Dictionary")()
    table[a], table[b] = 1, 2
    assert (table[a], table[b], len(table)) == (1, 2, 2)
    del a
    assert len(table) == (1 if kind else 2)
    assert object_identity.Reference(b) == object_identity.Reference(b) != object_identity.Reference(_Equal())
