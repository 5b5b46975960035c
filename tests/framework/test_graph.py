"""A graph: its elements by name, its collections, its flags, its end."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from deprecations import logs_deprecation

import ferroflow as tf
from ferroflow._src.framework import graph as graph_module


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_elements_are_found_by_name(graph):
    c = tf.constant(1, name="scope/c")
    assert graph.get_tensor_by_name("scope/c:0") is c
    assert graph.get_operation_by_name("scope/c") is c.op
    assert graph.as_graph_element("scope/c") is c.op
    assert graph.as_graph_element(b"scope/c:0") is c


def test_handles_are_the_same_objects_every_time(graph):
    c = tf.constant(1)
    d = tf.identity(c)
    assert d.op.inputs[0] is c
    assert c.consumers() == [d.op]
    assert graph.get_operations() == [c.op, d.op]
    assert {c: 1}[d.op.inputs[0]] == 1


@pytest.mark.parametrize(
    ("look", "error", "words"),
    [
        (lambda g: g.get_tensor_by_name("c"), ValueError, "refers to an Operation, not a Tensor"),
        (lambda g: g.get_tensor_by_name("absent"), ValueError, r"looks like an \(invalid\) Operation name"),
        (lambda g: g.get_tensor_by_name("absent:0"), KeyError, "does not exist in the graph"),
        (lambda g: g.get_tensor_by_name("c:1"), KeyError, "exists but only has 1 outputs"),
        (lambda g: g.get_tensor_by_name("c:x"), ValueError, "looks a like a Tensor name, but is not a valid one"),
        (lambda g: g.get_tensor_by_name(3), TypeError, "Tensor names are strings"),
        (lambda g: g.get_operation_by_name("c:0"), ValueError, "appears to refer to a Tensor, not a Operation"),
        (lambda g: g.get_operation_by_name("absent"), KeyError, "refers to an Operation not in the graph"),
        (lambda g: g.get_operation_by_name(3), TypeError, "Operation names are strings"),
        (lambda g: g.as_graph_element(3), TypeError, "Can not convert a int into a Tensor or Operation"),
        (lambda g: g.as_graph_element("c", False, False), ValueError, "can't both be False"),
    ],
)
def test_a_name_that_means_nothing_here_says_why(graph, look, error, words):
    tf.constant(1, name="c")
    with pytest.raises(error, match=words):
        look(graph)


def test_elements_of_another_graph_are_refused(graph):
    with tf.Graph().as_default():
        other = tf.constant(1)
    with pytest.raises(ValueError, match="is not an element of this graph"):
        graph.as_graph_element(other)
    with pytest.raises(ValueError, match="is not an element of this graph"):
        graph.as_graph_element(other.op)


def test_an_object_may_stand_for_an_element(graph):
    c = tf.constant(1)

    class Stand:
        def _as_graph_element(self):
            return c

    assert graph.as_graph_element(Stand()) is c


def test_collections_keep_order_and_copies_are_the_callers(graph):
    graph.add_to_collection("k", 1)
    tf.add_to_collection("k", 2)
    assert tf.get_collection("k") == [1, 2]
    tf.get_collection("k").append(3)
    assert tf.get_collection("k") == [1, 2]
    tf.get_collection_ref("k").append(3)
    assert tf.get_collection("k") == [1, 2, 3]
    graph.clear_collection("k")
    assert tf.get_collection("k") == []


def test_several_collections_get_a_value_once_each(graph):
    graph.add_to_collections(["a", "b", "a"], 1)
    assert (graph.get_collection("a"), graph.get_collection("b")) == ([1], [1])
    graph.add_to_collections("word", 2)
    assert graph.get_collection("word") == [2]


def test_a_scope_filters_a_collection_from_the_start_of_names(graph):
    ops = [tf.no_op(name=n) for n in ("foo/a", "foo_1/b", "bar/foo")]
    for op in [*ops, object()]:
        graph.add_to_collection("k", op)
    assert graph.get_collection("k", "foo") == ops[:2]
    assert graph.get_collection("k", "foo/") == ops[:1]
    assert graph.get_collection("k", ".*oo$") == ops[2:]


def test_the_version_rises_with_every_operation(graph):
    before = graph.version
    tf.constant(1)
    assert graph.version == before + 1


def test_a_finalized_graph_refuses_operations_and_collections(graph):
    graph.finalize()
    assert graph.finalized
    for change in (tf.no_op, lambda: graph.add_to_collection("k", 1), lambda: graph.create_op("NoOp", [])):
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
            change()


def test_the_message_may_begin_at_a_version(graph):
    tf.constant(1, name="a")
    version = graph.version
    tf.constant(2, name="b")
    assert [n.name for n in graph.as_graph_def(from_version=version).node] == ["b"]


def test_the_message_may_hold_shapes(graph):
    tf.placeholder(tf.float32, [None, 2], name="x")
    (node,) = graph.as_graph_def(add_shapes=True).node
    assert [d.size for d in node.attr["_output_shapes"].list.shape[0].dim] == [-1, 2]


def test_resetting_the_default_graph_forgets_it():
    with pytest.raises(AssertionError, match="Do not use"):
        tf.reset_default_graph()


def test_without_a_graph_in_force_resetting_gives_a_new_one():
    def reset():
        before = tf.get_default_graph()
        tf.reset_default_graph()
        return before is tf.get_default_graph()

    # A thread of its own has no graph in force.
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(reset).result() is False


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (None, 'Tensor("x:0", dtype=float32)'),
        ([], 'Tensor("x:0", shape=(), dtype=float32)'),
        ([None, 2], 'Tensor("x:0", shape=(?, 2), dtype=float32)'),
    ],
)
def test_a_tensor_is_written_with_the_shape_that_is_known(shape, text):
    assert str(tf.placeholder(tf.float32, shape, name="x")) == text


@pytest.mark.parametrize("is_circle", [False, True])
def test_a_graph_and_its_sessions_end_with_their_last_reference(is_circle):
    graph = tf.Graph()
    with graph.as_default():
        c = tf.constant(1.0)
    session = tf.Session(graph=graph)
    assert session.run(c) == 1.0
    if is_circle:
        graph.add_to_collection("kept", session)
        graph.add_to_collection("kept", session.make_callable(c))
    graph_end, session_end = weakref.ref(graph), weakref.ref(session)
    del graph, session, c
    gc.collect()
    assert session_end() is None
    assert graph_end() is None


def test_an_operation_tells_where_it_was_made():
    op = tf.no_op()
    _, _, function, text = next(row for row in reversed(op.traceback) if row[0] == __file__)
    assert function == "test_an_operation_tells_where_it_was_made"
    assert text == "op = tf.no_op()"


def test_create_op_takes_messages_and_plain_values(graph):
    a = graph.create_op("Const", [], attrs={"value": tf.constant(1).op.node_def.attr["value"], "dtype": tf.int32})
    b = graph.create_op("Neg", [a.outputs[0]], [tf.int32], name="b")
    assert b.outputs[0].dtype == tf.int32
    with tf.Session() as sess:
        assert sess.run("b:0") == -1


def test_create_op_refuses_what_is_no_tensor(graph):
    with pytest.raises(TypeError, match="Input #0 is not a tensor"):
        graph.create_op("Neg", [3.0])


def test_an_op_that_is_not_registered_is_not_found(graph):
    with pytest.raises((KeyError, tf.errors.NotFoundError)):
        graph.create_op("NoSuchOp", [])


def test_set_shape_only_adds_knowledge():
    x = tf.placeholder(tf.float32, [None, 3])
    x.set_shape([2, None])
    assert x.shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([5, 3])


def test_tensors_are_no_python_values():
    x = tf.placeholder(tf.float32, [2])
    for misuse in (bool, len, float):
        with pytest.raises(TypeError):
            misuse(x)
    assert len(list(x)) == 2
    with pytest.raises(TypeError, match="only iterable when"):
        iter(tf.placeholder(tf.float32))


@pytest.mark.parametrize(
    "value",
    [
        np.full([40, 40], -0.0, np.float32),
        np.full([2000], 1e-300 + 2j, np.complex128),
        np.full([3000], True),
        np.full([600], 2.5, np.float16),
        np.full([500], -7, np.int32),
    ],
)
def test_a_large_constant_of_one_value_is_written_as_that_value(graph, value):
    tf.constant(value, name="c")
    message = graph.as_graph_def()
    assert message.ByteSize() < 200
    with tf.Graph().as_default(), tf.Session() as session:
        (c,) = tf.import_graph_def(message, return_elements=["c:0"], name="")
        back = session.run(c)
    assert back.dtype == value.dtype
    assert back.tobytes() == value.tobytes()


@pytest.mark.parametrize("index", [0, 1, 999, 1999])
def test_a_large_constant_with_another_value_is_written_whole(graph, index):
    value = np.zeros([2000], np.float32)
    value[index] = -0.0
    tf.constant(value, name="c")
    (node,) = graph.as_graph_def().node
    assert node.attr["value"].tensor.tensor_content == value.tobytes()


def test_a_graph_larger_than_a_message_is_refused(graph, monkeypatch):
    monkeypatch.setattr(graph_module, "_MOST_BYTES_OF_A_MESSAGE", 5000)
    tf.constant(np.arange(2000.0))
    with pytest.raises(ValueError, match="GraphDef cannot be larger than 2GB"):
        graph.as_graph_def()


def test_it_is_shown_with_the_number_of_its_operations(graph):
    tf.constant(1)
    assert repr(graph).startswith("<Graph with 1 operation, at 0x")
    with tf.Session() as sess:
        assert repr(sess) == f"<Session of {graph!r}>"
    assert repr(sess) == f"<Session (closed) of {graph!r}>"


def test_optimizers_and_models_are_shown_by_what_tells_them_apart():
    assert repr(tf.train.AdamOptimizer(0.5)) == "<AdamOptimizer 'Adam' with learning rate 0.5>"
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))], name="small")
    assert repr(model) == "<Sequential 'small' with 1 layer>"
    model.compile("adam", "mse")
    assert repr(model.optimizer).startswith("<Adam optimizer of ")


def test_the_old_name_of_the_collection_of_variables_can_be_set(monkeypatch):
    with logs_deprecation("GLOBAL_VARIABLES"):
        assert tf.GraphKeys.VARIABLES == tf.GraphKeys.GLOBAL_VARIABLES
    with logs_deprecation("GLOBAL_VARIABLES"):
        assert tf.GraphKeys().VARIABLES == "variables"
    monkeypatch.setattr(tf.GraphKeys, "VARIABLES", "mine")
    assert tf.GraphKeys.VARIABLES == "mine"


def test_create_op_groups_a_flat_list_of_inputs(graph):
    a, b, axis = tf.constant([1.0]), tf.constant([2.0]), tf.constant(0)
    joined = graph.create_op("ConcatV2", [a, b, a, axis], [tf.float32])
    assert joined.get_attr("N") == 3
    packed = graph.create_op("Pack", [a, b], [tf.float32])
    assert packed.get_attr("N") == 2
    texts = graph.create_op("StringFormat", [a, axis], [tf.string], attrs={"template": tf.AttrValue(s=b"%s %s")})
    assert texts.get_attr("T") == [tf.float32, tf.int32]
    with tf.Session() as sess:
        found = sess.run([joined.outputs[0], packed.outputs[0]])
    assert [value.tolist() for value in found] == [[1.0, 2.0, 1.0], [[1.0], [2.0]]]


def test_create_op_needs_to_know_how_two_lists_are_grouped(graph):
    a = tf.constant(1.0)
    with pytest.raises(ValueError, match="must determine how its 3 inputs group"):
        graph.create_op("ParseExample", [a, a, a])


@pytest.mark.parametrize("argument", ["compute_shapes", "compute_device"])
@pytest.mark.parametrize("value", [False, True])
def test_create_op_always_computes_shapes_and_devices(graph, argument, value):
    a = tf.constant([1.0, 2.0])
    with tf.device("/cpu:0"):
        op = graph.create_op("Neg", [a], [tf.float32], **{argument: value})
    assert op.outputs[0].shape.as_list() == [2]
    assert op.device == "/device:CPU:0"
