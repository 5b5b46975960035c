"""What a session may fetch and feed, and how it hands values back."""

import collections
import dataclasses
import threading
import types

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf
from ferroflow._src.session.fetches import flatten_fetches, pack_values


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


Pair = collections.namedtuple("Pair", ["first", "second"])


def test_a_nest_of_fetches_comes_back_as_the_same_nest():
    a, b = tf.constant(1), tf.constant(2.5)
    with tf.Session() as sess:
        fetched = sess.run([a, (b, {"x": a, "y": [b]}), Pair(a, b), "Const:0", a.op])
    assert fetched == [1, (2.5, {"x": 1, "y": [2.5]}), Pair(1, 2.5), 1, None]
    assert type(fetched[2]) is Pair


def test_an_ordered_dict_keeps_its_type_and_order():
    fetches = collections.OrderedDict((name, tf.constant(i)) for i, name in enumerate("zyx"))
    with tf.Session() as sess:
        fetched = sess.run(fetches)
    assert type(fetched) is collections.OrderedDict
    assert list(fetched.items()) == [("z", 0), ("y", 1), ("x", 2)]


@dataclasses.dataclass
class Fields:
    """A class as the package `attrs` makes it."""

    b: object
    a: object
    __attrs_attrs__ = (types.SimpleNamespace(name="b"), types.SimpleNamespace(name="a"))


def test_objects_of_attrs_classes_are_fetched_field_by_field():
    with tf.Session() as sess:
        assert sess.run(Fields(tf.constant(1), [tf.constant(2), tf.constant(3)])) == Fields(1, [2, 3])
        assert sess.run({"x": Fields(tf.constant(1), ())}) == {"x": Fields(1, ())}


def test_empty_nests_come_back_empty():
    tf.constant(1)
    with tf.Session() as sess:
        assert sess.run([]) == []
        assert sess.run(()) == ()
        assert sess.run({}) == {}


def test_one_tensor_fetched_twice_is_computed_once():
    drawn = tf.random_uniform([])
    with tf.Session() as sess:
        first, second = sess.run([drawn, drawn])
    assert first == second


def test_scalars_are_numpy_scalars_and_others_arrays():
    with tf.Session() as sess:
        assert type(sess.run(tf.constant(1.0))) is np.float32
        assert type(sess.run(tf.constant([1.0]))) is np.ndarray
        assert type(sess.run(tf.constant("a"))) is bytes


def test_variables_fetch_their_value():
    v = tf.Variable(3.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run([v, v + 1]) == [3.0, 4.0]


def test_sparse_tensors_and_slices_are_fetched_and_fed_whole():
    sparse = tf.SparseTensor(tf.placeholder(tf.int64), tf.placeholder(tf.float32), tf.placeholder(tf.int64))
    slices = tf.IndexedSlices(tf.placeholder(tf.float32), tf.placeholder(tf.int64))
    with tf.Session() as sess:
        value = sess.run(sparse, {sparse: tf.SparseTensorValue([[0, 1]], [2.0], [3, 4])})
        assert isinstance(value, tf.SparseTensorValue)
        np.testing.assert_array_equal(value.dense_shape, [3, 4])
        fetched = sess.run(slices, {slices: ([1.0], [0])})
        np.testing.assert_array_equal(fetched.values, [1.0])
        assert fetched.dense_shape is None


@pytest.mark.parametrize("logs", [False, True])
def test_the_placement_of_a_step_is_printed_where_asked(logs, capfd):
    x = tf.placeholder(tf.float32, [], name="x")
    doubled = tf.multiply(x, 2.0, name="doubled")
    config = tf.ConfigProto(log_device_placement=logs)
    with tf.Session(config=config) as sess:
        assert sess.run(doubled, {x: 3.0}) == 6.0
    line = "doubled: (Mul): /job:localhost/replica:0/task:0/device:CPU:0"
    assert (line in capfd.readouterr().err.splitlines()) is logs


def test_any_tensor_may_be_fed():
    a = tf.constant(2.0)
    b = a * 3
    with tf.Session() as sess:
        assert sess.run(b, {a: 5.0}) == 15.0
        assert sess.run(b + 1, {b: 1.0}) == 2.0
        assert sess.run(a, {a: 7.0}) == 7.0
        assert sess.run(b) == 6.0


def test_feeds_may_be_named_and_nested():
    a, b = tf.placeholder(tf.float32, name="a"), tf.placeholder(tf.float32)
    with tf.Session() as sess:
        assert sess.run(a - b, {"a:0": 5, b: 3}) == 2
        assert sess.run(a - b, {(a, b): (5, 3)}) == 2


def test_feeds_convert_as_numpy_does():
    x = tf.placeholder(tf.float32, [None])
    with tf.Session() as sess:
        for value in ([1, 2], (1, 2), np.array([1, 2], np.int64), np.array([1.0, 2.0]), np.arange(1, 5)[::2] // 2 + 1):
            np.testing.assert_array_equal(sess.run(x * 2, {x: value}), [2, 4])


def test_a_fed_array_may_change_after_the_step():
    x = tf.placeholder(tf.float32, [4096])
    array = np.ones(4096, np.float32)
    with tf.Session() as sess:
        fetched = sess.run(tf.identity(x), {x: array})
    array[:] = 0
    assert fetched.sum() == 4096


def test_fetched_arrays_belong_to_the_caller():
    v = tf.Variable(np.ones(4096, np.float32))
    with tf.Session() as sess:
        sess.run(v.initializer)
        fetched = sess.run(v)
        try:
            fetched[:] = 0
        except ValueError:
            assert not fetched.flags.writeable
        assert sess.run(v).sum() == 4096


def test_a_graph_that_grows_between_steps_is_seen():
    a = tf.constant(1)
    with tf.Session() as sess:
        assert sess.run(a) == 1
        assert sess.run(a + 1) == 2


def test_sessions_do_not_share_variables():
    v = tf.Variable(1.0)
    with tf.Session() as one, tf.Session() as two:
        one.run(v.initializer)
        two.run(v.initializer)
        one.run(v.assign(5.0))
        assert (one.run(v), two.run(v)) == (5.0, 1.0)


def test_threads_may_share_a_session():
    v = tf.Variable(0)
    add = tf.assign_add(v, 1)
    with tf.Session() as sess:
        sess.run(v.initializer)
        threads = [threading.Thread(target=lambda: [sess.run(add) for _ in range(50)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sess.run(v) == 200


def test_callables_feed_in_order_and_return_the_nest():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with tf.Session() as sess:
        assert sess.make_callable(a - b, [a, b])(5, 3) == 2
        assert sess.make_callable({"d": a - b, "op": tf.no_op()}, [b, a])(5, 3) == {"d": -2, "op": None}
        assert sess.make_callable(tf.no_op())() is None
        with pytest.raises(TypeError, match="`feed_list` must be a list or tuple"):
            sess.make_callable(a, a)


@pytest.mark.parametrize("accept_options", [False, True])
def test_an_argument_of_a_callable_may_be_a_value_of_several_tensors(accept_options):
    rows, sparse, a = tf.ragged.placeholder(tf.int32, 1), tf.sparse.placeholder(tf.int32), tf.placeholder(tf.int32, [])
    fed = tf.ragged.constant_value([[1, 2], [3]], dtype=np.int32), tf.SparseTensorValue([[0, 1]], [5], [1, 2]), 2
    with tf.Session() as sess:
        f = sess.make_callable([rows.with_values(rows.values * a), {"s": sparse}], [rows, sparse, a], accept_options)
        found, named = f(*fed)
        assert found.to_list() == [[2, 4], [6]]
        assert [part.tolist() for part in named["s"]] == [[[0, 1]], [5], [1, 2]]
        for wrong in (fed[:1], fed[:2], (*fed, 1)):
            with pytest.raises(TypeError, match=f"Expected 3 arguments.* got {len(wrong)}"):
                f(*wrong)


def test_a_callable_with_options_fills_the_metadata():
    a = tf.placeholder(tf.float32)
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        f = sess.make_callable(a * 2, [a], accept_options=True)
        assert f(3, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata) == 6
    assert len(metadata.step_stats.dev_stats) == 1


def test_options_of_a_wrong_type_are_refused():
    a = tf.constant(1)
    with tf.Session() as sess:
        with pytest.raises(TypeError, match="options must be"):
            sess.run(a, options=3)
        with pytest.raises(TypeError, match="run_metadata must be"):
            sess.run(a, run_metadata=3)
    for arguments in ({"config": 3}, {"target": 3}, {"graph": 3}):
        with pytest.raises(TypeError):
            tf.Session(**arguments)


def test_a_target_that_nothing_answers_to_is_not_found():
    with pytest.raises(tf.errors.NotFoundError, match="No session factory registered"):
        tf.Session("nowhere://host")


def test_entering_a_session_makes_it_and_its_graph_the_defaults(graph):
    other = tf.Graph()
    with tf.Session(graph=other) as sess:
        assert tf.get_default_session() is sess
        assert tf.get_default_graph() is other
    assert tf.get_default_session() is None
    assert tf.get_default_graph() is graph


def test_eval_and_run_use_the_default_session():
    c, op = tf.constant(4), tf.no_op()
    with pytest.raises(ValueError, match=r"No default session is registered.*to `eval\(session=sess\)`"):
        c.eval()
    with pytest.raises(ValueError, match=r"No default session is registered.*to `run\(session=sess\)`"):
        op.run()
    with tf.Session():
        assert c.eval() == 4
        assert op.run() is None


def test_eval_refuses_a_session_of_another_graph():
    c = tf.constant(4)
    with tf.Session(graph=tf.Graph()) as other:
        with pytest.raises(ValueError, match="Cannot use the default session"):
            c.eval()
        with pytest.raises(ValueError, match="Cannot use the given session"):
            c.eval(session=other)


def test_an_interactive_session_is_the_default_until_it_is_closed():
    c = tf.constant(4)
    sess = tf.InteractiveSession()
    try:
        assert c.eval() == 4
        with pytest.warns(UserWarning, match="An interactive session is already active") as warned:
            tf.InteractiveSession().close()
        assert [w.filename for w in warned] == [__file__]
        assert tf.get_default_session() is sess
    finally:
        sess.close()
    assert tf.get_default_session() is None


NESTS = st.recursive(
    st.integers(),
    lambda items: st.one_of(
        st.lists(items, max_size=4),
        st.lists(items, max_size=4).map(tuple),
        st.tuples(items, items).map(Pair._make),
        st.dictionaries(st.text(max_size=3), items, max_size=4),
    ),
    max_leaves=12,
)


@given(NESTS)
def test_a_nest_that_was_made_flat_is_put_back_with_its_types(nest):
    leaves = []
    packing = flatten_fetches(nest, leaves)
    assert all(isinstance(leaf, int) for leaf in leaves)
    packed = pack_values(packing, iter(leaves))
    assert packed == nest
    assert repr(packed) == repr(nest)


@pytest.mark.parametrize("view", [lambda a: a, lambda a: a[:512], lambda a: a[256:].reshape(16, -1)])
def test_an_array_that_a_step_reads_is_not_resized(view):
    is_read, may_go_on = threading.Event(), threading.Event()

    def wait(n):
        is_read.set()
        may_go_on.wait()
        return n

    array = np.ones(1024, np.float32)
    with tf.Graph().as_default():
        x, n = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [])
        waited = tf.numpy_function(wait, [n], tf.float32)
        with tf.control_dependencies([waited]):
            total = tf.reduce_sum(x)
        with tf.Session() as session:
            results = []
            thread = threading.Thread(target=lambda: results.append(session.run(total, {x: view(array), n: 1.0})))
            thread.start()
            is_read.wait()
            try:
                with pytest.raises(ValueError, match="cannot resize"):
                    array.resize(1 << 20, refcheck=False)
            finally:
                may_go_on.set()
                thread.join()
    assert results == [view(array).size]
    # Nothing reads it any more.
    array.resize(2048, refcheck=False)
    assert array.shape == (2048,)


def test_a_callable_keeps_its_session():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        one = tf.Session().make_callable(x + 1.0, [x])
        several = tf.Session().make_callable([x + 1.0, {"twice": x * 2.0}], [x])
        assert one(2.0) == 3.0
        assert several(2.0) == [3.0, {"twice": 4.0}]


def test_a_tensor_fetched_twice_has_one_value() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([1, 2, 3]) + 1
        first, second = sess.run([x, x])
        assert first is second
        first, inside = sess.run([x, {"x": x}])
        assert first is inside["x"]
        done, first, second = sess.run((x.op, x, x))
        assert done is None
        assert first is second
        first, second = sess.make_callable([x, x])()
        assert first is second
