"""The laws of the planner's rewrites: random steps have the same bits with and without them all, and each of them."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.session import config as session_config, session as session_module

_OFF = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=-1)))
_SIZE = 4
# tests/session/test_fed_shapes.py has the laws of the first, test_program_updates.py those of the second.
_LAWS_ELSEWHERE = ["fed_shapes", "update"]
_REASONS = {
    "epilogue": "the product adds its bias",
    "block": "only the block of the product",
    "sum": "products are added up",
    "elementwise": "a tree of elementwise ops",
    "equal": "equal op, attributes and inputs",
    "scalar_loop": "loop of scalars",
    "invariant": "the same in every iteration",
    "reduction": "a reduction computes the elements",
    "shape": "the shape of an elementwise result",
    "stretch": "operands that are repeated",
}


def _outer(x, y):
    """The product of a column and a row, which has more elements than they have."""
    return tf.matmul(tf.slice(x, [0, 0], [_SIZE, 1]), tf.slice(y, [1, 0], [1, _SIZE]))


def _add(x, y, b):
    return x + y


def _loop(x, y):
    """Adds up products over the iterations of a loop."""
    return tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + tf.matmul(x, tf.tanh(t))), [tf.constant(0), y])[1]


def _scalar_loop(x, y):
    """Scales a matrix by a scalar that a loop computes from its elements."""
    first, second = tf.reduce_sum(x), tf.reduce_mean(y)
    return x * tf.while_loop(lambda i, _: i < 4, lambda i, s: (i + 1, s * 0.5 + second), [tf.constant(0), first])[1]


def _unread(x, y):
    """Adds matrices after a gate for a value that nothing reads."""
    with tf.control_dependencies([tf.group(tf.identity(tf.matmul(y, x)))]):
        return x + y


def _constant_loop(x, y):
    """Adds values that are the same in every iteration to one that is not; a loop variable stays what it is."""

    def turn(i, t, same):
        return i + 1, tf.tanh(t * tf.nn.relu(x) + tf.cond(i > 0, lambda: tf.square(same), lambda: x * 2.0)), same

    return tf.while_loop(lambda i, *_: i < 3, turn, [tf.constant(0), x, tf.slice(y, [0, 0], [_SIZE, _SIZE])])[1]


def _row_sums(x, y):
    """Subtracts the sums of the rows of a product of which one operand is a column."""
    return x - tf.reduce_sum(tf.square(x) * tf.slice(y, [0, 1], [_SIZE, 1]), 1, keep_dims=True)


def _repeated_row(x, y):
    """Multiplies by a row that is repeated, and by a value that fills a matrix."""
    row = tf.tile(tf.slice(x, [0, 0], [1, _SIZE]), [_SIZE, 1])
    return row * y * tf.fill([_SIZE, _SIZE], tf.reduce_max(x))


def _leak(x, y):
    """The gradient of a maximum, which chooses by a comparison."""
    outer = _outer(x, y)
    return tf.gradients(tf.maximum(outer * 0.25, outer), outer, tf.square(y))[0]


def _chosen(x, y, b):
    """Chooses by comparisons, one of which two nodes read, and adds one where another holds."""
    positive, small = tf.greater(x, 0.0), tf.logical_and(tf.less_equal(x, y), tf.logical_not(tf.equal(x, b)))
    return tf.where(tf.logical_or(positive, small), x - y, tf.where(positive, x, y)) + tf.cast(small, x.dtype)


def _shape_of_product(x, y, b):
    """Reshapes a matrix to the shape of a product, which no step before the first knows."""
    unknown = tf.slice(x, [0, 0], tf.cast(tf.abs(tf.sign(b[:2])) * _SIZE, tf.int32))
    reshaped = tf.reshape(y, tf.shape(tf.tanh(unknown) * unknown))
    reshaped.set_shape([_SIZE, _SIZE])
    return reshaped


# What a node makes of two matrices and a vector.
_MAKERS = [
    lambda x, y, b: tf.matmul(x, y),
    lambda x, y, b: tf.matmul(x, y, transpose_a=True),
    lambda x, y, b: tf.matmul(x, y, transpose_b=True),
    lambda x, y, b: x + b,
    lambda x, y, b: tf.nn.bias_add(x, b),
    lambda x, y, b: tf.nn.relu(x),
    lambda x, y, b: tf.tanh(x),
    lambda x, y, b: x * 0.5,
    _add,
    lambda x, y, b: x - y,
    lambda x, y, b: tf.add_n([x, y, x]),
    lambda x, y, b: tf.add_n([_outer(x, y), _outer(y, x)]),
    lambda x, y, b: tf.concat([tf.slice(x, [0, 1], [-1, 3]), tf.slice(y, [0, 0], [_SIZE, 1])], 1),
    lambda x, y, b: tf.identity(x),
    lambda x, y, b: tf.stop_gradient(tf.reduce_sum(y) * x),
    lambda x, y, b: tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.nn.relu(tf.matmul(x, y) + b), lambda: tf.tanh(y * 2.0)),
    lambda x, y, b: _loop(x * 0.125, y),
    lambda x, y, b: x * (tf.constant(0.5, x.dtype) + tf.constant(0.25, x.dtype)),
    lambda x, y, b: _scalar_loop(x, y),
    lambda x, y, b: _unread(x, y),
    lambda x, y, b: _constant_loop(x, y),
    lambda x, y, b: _row_sums(x, y),
    lambda x, y, b: _repeated_row(x, y),
    _shape_of_product,
    lambda x, y, b: _leak(x, y),
    _chosen,
    lambda x, y, b: tf.where(tf.less(b, y[0]), x, x * y) * tf.cast(tf.not_equal(x, x), x.dtype),
]
_NODES = st.lists(
    st.tuples(
        st.integers(0, len(_MAKERS) - 1),
        st.integers(0, 30),
        st.integers(0, 30),
        st.one_of(st.none(), st.integers(0, 30)),
    ),
    min_size=2,
    max_size=14,
)


def _build(nodes, dtype):
    """Builds the graph of a program, whose nodes are (maker, two inputs, a node to wait for or None)."""
    random = np.random.RandomState(5)
    graph = tf.Graph()
    with graph.as_default():
        x, b = tf.placeholder(dtype, [_SIZE, _SIZE], "x"), tf.placeholder(dtype, [_SIZE], "b")
        feeds = {x: random.normal(size=(_SIZE, _SIZE)).astype(dtype), b: random.normal(size=_SIZE).astype(dtype)}
        made = [x, tf.constant(random.normal(size=(_SIZE, _SIZE)).astype(dtype), name="c")]
        for maker, first, second, waits_for in nodes:
            after = [] if waits_for is None else [made[waits_for % len(made)].op]
            with tf.control_dependencies(after):
                made.append(_MAKERS[maker](made[first % len(made)], made[second % len(made)], b))
    return graph, made, feeds


def _run(graph, fetches, feeds, config):
    with tf.Session(graph=graph, config=config) as session, np.errstate(all="ignore"):
        return [value.tobytes() for value in session.run(fetches, feeds)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(nodes=_NODES, fetched=st.sets(st.integers(0, 30), max_size=2))
def test_rewrites_change_no_bit(dtype, nodes, fetched):
    graph, made, feeds = _build(nodes, dtype)
    fetches = [made[-1], *(made[i % len(made)] for i in sorted(fetched))]
    expected = _run(graph, fetches, feeds, _OFF)
    for threads in (1, 3):
        assert _run(graph, fetches, feeds, tf.ConfigProto(intra_op_parallelism_threads=threads)) == expected


# Programs in which each rewrite takes place, by the numbers of the makers above. Node 0 is fed; node 1 is a constant.
_EXAMPLES = {
    "block": [(0, 0, 1, None), (0, 1, 0, None), (12, 2, 3, None)],
    "dead": [(19, 0, 1, None)],
    "elementwise": [(6, 0, 0, None), (7, 2, 0, None)],
    "epilogue": [(0, 0, 1, None), (3, 2, 0, None), (5, 3, 0, None)],
    "equal": [(0, 0, 1, None), (0, 0, 1, None), (1, 2, 3, None)],
    "fold": [(17, 0, 0, None)],
    "invariant": [(20, 0, 1, None)],
    "identity": [(0, 0, 1, None), (13, 2, 0, None), (5, 3, 0, None)],
    "reduction": [(21, 0, 1, None)],
    "scalar_loop": [(18, 0, 1, None)],
    "shape": [(23, 0, 1, None)],
    "stretch": [(22, 0, 1, None)],
    "sum": [(5, 0, 0, None), (11, 0, 2, None)],
}


def _behind(nodes, example):
    """Returns the nodes of a program and behind them those of an example.

    The example reads the sum of the program's last node and the fed one in place of the fed one.
    """
    last, shift = len(nodes) + 1, len(nodes) + 1
    place = {0: last + 1, 1: 1}
    behind = [(maker, place.get(a, a + shift), place.get(b, b + shift), None) for maker, a, b, _ in example]
    return [*nodes, (_MAKERS.index(_add), last, 0, None), *behind]


def _without(rewrite):
    """Makes sessions whose plans do without a rewrite."""
    options = session_config.session_options
    return mock.patch.object(
        session_module, "session_options", lambda config: {**options(config), "without_rewrites": [rewrite]}
    )


def _plan(graph, fetches, feeds):
    with tf.Session(graph=graph) as session:
        return session._core.plan_text(fetches, list(feeds), [])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rewrite", [name for name in _core.rewrite_names() if name not in _LAWS_ELSEWHERE])
def test_each_rewrite_changes_no_bit(rewrite, dtype):
    changed = []

    @settings(max_examples=max(5, settings.default.max_examples // 5))
    @given(nodes=_NODES, fetched=st.sets(st.integers(0, 30), max_size=1))
    def check(nodes, fetched):
        graph, made, feeds = _build(_behind(nodes, _EXAMPLES[rewrite]), dtype)
        fetches = [made[-1], *(made[i % len(made)] for i in sorted(fetched))]
        expected, plan = _run(graph, fetches, feeds, None), _plan(graph, fetches, feeds)
        with _without(rewrite):
            assert _run(graph, fetches, feeds, None) == expected
            changed.append(_plan(graph, fetches, feeds) != plan)

    check()
    # What is fetched may be what a rewrite would have fused.
    assert sum(changed) > len(changed) * 0.6


@pytest.mark.parametrize(("program", "instructions"), [(24, "work: 3 instructions"), (25, "work: 1 instructions")])
def test_comparisons_and_choices_run_in_a_program(program, instructions):
    graph, made, feeds = _build([(program, 0, 1, None)], np.float32)
    assert instructions in _plan(graph, [made[-1]], feeds)


@pytest.mark.parametrize("rewrite", sorted(_REASONS))
def test_a_plan_shows_a_rewrite_unless_it_is_switched_off(rewrite):
    graph, made, feeds = _build(_EXAMPLES[rewrite], np.float32)
    assert _REASONS[rewrite] in _plan(graph, [made[-1]], feeds)
    with _without(rewrite):
        assert _REASONS[rewrite] not in _plan(graph, [made[-1]], feeds)


def test_an_unknown_rewrite_is_refused():
    with _without("none of them"), pytest.raises(ValueError, match="no rewrite is named 'none of them'"):
        tf.Session(graph=tf.Graph())


@pytest.mark.parametrize(
    "read",
    [
        lambda gated: tf.cast(tf.shape(tf.tanh(gated * 2.0))[0], tf.float32),
        lambda gated: tf.reduce_sum(tf.square(gated * 2.0)),
        lambda gated: tf.reduce_max(tf.tile(gated, [2]) * 2.0),
    ],
    ids=["shape", "reduction", "stretch"],
)
def test_what_is_fused_still_waits_for_a_gate(read):
    with tf.Graph().as_default():
        x, v = tf.placeholder(tf.float32, [None]), tf.Variable(0.0)
        with tf.control_dependencies([tf.assert_positive(x)]):
            gated = tf.tanh(x)
        assign = tf.assign(v, read(gated))
        with tf.Session() as session:
            session.run(v.initializer)
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(assign, {x: [-1.0, 2.0]})
            assert session.run(v) == 0.0
            assert session.run(assign, {x: [1.0, 2.0]}) > 0.0


def _stated(value, shape):
    """Returns a tensor that has another shape than the graph says."""
    tensor = tf.py_func(lambda: np.array(value), [], tf.as_dtype(np.array(value).dtype))
    tensor.set_shape(shape)
    return tensor


@pytest.mark.parametrize("actual", [[1], [], [2], [3, 1], [1, 4], [3, 4]])
@pytest.mark.parametrize(
    "make",
    [
        lambda x, stated: tf.add_n([x, stated]),
        lambda x, stated: tf.where(x > 0.5, x, stated),
        lambda x, stated: tf.where(x > 0.5, stated, x),
        lambda x, stated: tf.where(stated > 0.5, x, -x),
        lambda x, stated: tf.where(tf.logical_not(stated > 0.5), x, -x) * tf.cast(x > 0.5, tf.float32),
    ],
    ids=["sum", "else", "then", "condition", "not"],
)
@pytest.mark.parametrize("is_reduced", [False, True])
def test_operands_that_must_have_one_shape_are_not_stretched(make, actual, is_reduced):
    outcomes = []
    for config in (_OFF, None):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [3, 4])
            result = tf.exp(make(x, _stated(np.ones(actual, np.float32), [3, 4])))
            result = tf.reduce_sum(result * 0.5, 1) if is_reduced else result
            feeds = {x: np.linspace(0.0, 1.0, 12, dtype=np.float32).reshape(3, 4)}
            with tf.Session(config=config) as session:
                for _ in range(4):
                    try:
                        outcomes.append(session.run(result, feeds).tobytes())
                    except tf.errors.InvalidArgumentError:
                        outcomes.append("refused")
    # A condition of one boolean, or of one for each row, may be refused: the graph said that it has another shape.
    single, fused = set(outcomes[:4]), set(outcomes[4:])
    assert len(single) == 1
    assert fused <= {*single, "refused"}


@pytest.mark.parametrize(
    "repeated",
    [
        lambda x, n: tf.fill([n], x[0]),
        lambda x, n: tf.tile(x, [n]),
        lambda x, n: tf.broadcast_to(x, [n]),
    ],
    ids=["fill", "tile", "broadcast_to"],
)
def test_what_does_not_fit_a_stretched_operand_is_an_error_at_its_reader(repeated):
    with tf.Graph().as_default():
        x, n, y = tf.placeholder(tf.float32, [1]), tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [None])
        product = tf.multiply(repeated(x, n), y, name="reader")
        with tf.Session() as session:
            for _ in range(2):
                with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\] vs. \[4\]") as caught:
                    session.run(product, {x: [2.0], n: 3, y: np.ones(4)})
                assert caught.value.op.name == "reader"
