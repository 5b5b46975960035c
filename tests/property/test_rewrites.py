"""The law of the planner's rewrites: random steps have the same bits with and without them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

_OFF = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=-1)))
_SIZE = 4
_REASONS = {
    "epilogue": "the product adds its bias",
    "block": "only the block of the product",
    "sum": "products are added up",
    "elementwise": "a tree of elementwise ops",
    "equal": "equal op, attributes and inputs",
}


def _outer(x, y):
    """The product of a column and a row, which has more elements than they have."""
    return tf.matmul(tf.slice(x, [0, 0], [_SIZE, 1]), tf.slice(y, [1, 0], [1, _SIZE]))


def _loop(x, y):
    """Adds up products over the iterations of a loop."""
    return tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + tf.matmul(x, tf.tanh(t))), [tf.constant(0), y])[1]


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
    lambda x, y, b: x + y,
    lambda x, y, b: x - y,
    lambda x, y, b: tf.add_n([x, y, x]),
    lambda x, y, b: tf.add_n([_outer(x, y), _outer(y, x)]),
    lambda x, y, b: tf.concat([tf.slice(x, [0, 1], [-1, 3]), tf.slice(y, [0, 0], [_SIZE, 1])], 1),
    lambda x, y, b: tf.identity(x),
    lambda x, y, b: tf.stop_gradient(tf.reduce_sum(y) * x),
    lambda x, y, b: tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.nn.relu(tf.matmul(x, y) + b), lambda: tf.tanh(y * 2.0)),
    lambda x, y, b: _loop(x * 0.125, y),
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


# Programs in which each rewrite takes place, by the numbers of the makers above.
_EXAMPLES = {
    "epilogue": [(0, 0, 1, None), (3, 2, 0, None), (5, 3, 0, None)],
    "block": [(0, 0, 1, None), (0, 1, 0, None), (12, 2, 3, None)],
    "sum": [(5, 0, 0, None), (11, 0, 2, None)],
    "elementwise": [(6, 0, 0, None), (7, 2, 0, None)],
    "equal": [(0, 0, 1, None), (0, 0, 1, None), (1, 2, 3, None)],
}


@pytest.mark.parametrize("rewrite", sorted(_EXAMPLES))
def test_the_programs_reach_every_rewrite(rewrite):
    graph, made, feeds = _build(_EXAMPLES[rewrite], np.float32)
    with tf.Session(graph=graph) as session:
        assert _REASONS[rewrite] in session._core.plan_text([made[-1]], list(feeds), [])
    assert _run(graph, [made[-1]], feeds, None) == _run(graph, [made[-1]], feeds, _OFF)
