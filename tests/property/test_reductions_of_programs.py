"""The law of reductions that compute their elements: they have the bits of reductions of elements in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

_OFF = tf.ConfigProto(graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=-1)))
_REDUCTIONS = [tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod]
_FUNCTIONS = [
    lambda x, y: x * y,
    lambda x, y: tf.square(x),
    lambda x, y: tf.tanh(x) + y,
    lambda x, y: tf.squared_difference(x, y) * 0.5,
    lambda x, y: tf.maximum(x * y, x - y) / (tf.abs(y) + 1.0),
    lambda x, y: tf.exp(-tf.abs(x)) * (y + y) - x,
]
# Among them: rows and columns longer than a block, short rows, low matrices, and columns in groups.
_SHAPES = [
    (),
    (1,),
    (7,),
    (3, 5),
    (2, 3, 4, 5),
    (700, 130),
    (70_001,),
    (9000, 11),
    (3, 9000),
    (130, 4, 30),
    (70, 5000),
    (2, 150, 1000),
    (40, 6, 8, 16),
    (5, 0, 3),
]


@st.composite
def _cases(draw):
    """Draws a shape, which of its axes each operand has, which are reduced, and the functions."""
    shape = draw(st.sampled_from(_SHAPES))
    axes = st.lists(st.booleans(), min_size=len(shape), max_size=len(shape))
    has = [draw(st.one_of(st.just([True] * len(shape)), axes)), draw(axes)]
    return (
        shape,
        has,
        [i for i, reduced in enumerate(draw(axes)) if reduced],
        draw(st.sampled_from(_FUNCTIONS)),
        draw(st.sampled_from(_REDUCTIONS)),
        draw(st.booleans()),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None)
@given(case=_cases(), known=st.booleans())
def test_reductions_have_the_bits_of_reductions_of_memory(dtype, case, known):
    shape, has, axes, function, reduction, keep_dims = case
    random = np.random.RandomState(3)
    operands = [tuple(n if kept else 1 for n, kept in zip(shape, kept, strict=True)) for kept in has]
    values = [random.normal(size=s).astype(dtype) for s in operands]
    with tf.Graph().as_default() as graph:
        feeds = [tf.placeholder(dtype, s if known else [None] * len(s)) for s in operands]
        reduced = reduction(function(*feeds), axes, keepdims=keep_dims)
        fed = dict(zip(feeds, values, strict=True))
    results = []
    for config in (_OFF, *(tf.ConfigProto(intra_op_parallelism_threads=n) for n in (1, 3))):
        with tf.Session(graph=graph, config=config) as session, np.errstate(all="ignore"):
            results.append(session.run(reduced, fed))
    assert all(r.shape == results[0].shape and r.tobytes() == results[0].tobytes() for r in results)


def test_an_error_is_at_the_node_whose_operands_do_not_fit():
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [None], "x"), tf.placeholder(tf.float32, [None], "y")
        total = tf.reduce_sum(tf.square(tf.multiply(x, y, name="product")), name="total")
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="product") as caught:
            session.run(total, {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})
        assert caught.value.op.name == "product"


def test_an_error_of_the_axes_is_at_the_reduction():
    with tf.Graph().as_default():
        x, axis = tf.placeholder(tf.float32, [None, 3], "x"), tf.placeholder(tf.int32, [], "axis")
        total = tf.reduce_sum(tf.square(x), axis, name="total")
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="dimension") as caught:
            session.run(total, {x: np.ones([2, 3]), axis: 5})
        assert caught.value.op.name == "total"
