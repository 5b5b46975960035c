"""Gradients of gathers are the derivatives, whatever the axis, its type, and what the graph knows of the shapes."""

import numpy as np
import pytest
from autodiff.differences import check
from hypothesis import example, given, settings, strategies as st

import ferroflow as tf

FED = "fed"


@st.composite
def gathers(draw):
    """Shape of the params, shape of the indices, axis, and number of batch dimensions."""
    sides = st.integers(1, 3)
    batch = draw(st.lists(sides, max_size=2))
    before, picked, after = (draw(st.lists(sides, max_size=2)) for _ in range(3))
    rows = draw(st.integers(1, 4))
    params = [*batch, *before, rows, *after]
    axis = len(batch) + len(before)
    if draw(st.booleans()):
        axis -= len(params)
    return params, [*batch, *picked], axis, len(batch)


# Slices become a dense gradient of a shape that only the step knows.
@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices")
@settings(max_examples=60)
@given(
    case=gathers(),
    seed=st.integers(0, 1000),
    known=st.booleans(),
    axis_type=st.sampled_from(["int32", "int64"]),
    axis_is_fed=st.booleans(),
    from_the_end=st.booleans(),
)
@example(([2, 3], [2], -1, 0), 0, False, "int32", False, False)
@example(([2, 3], [2], -1, 0), 0, True, "int64", False, False)
@example(([2, 3], [2], -2, 0), 0, True, "int64", True, False)
@example(([2, 3, 2], [2, 1], -2, 1), 0, False, "int32", True, True)
def test_gradients_of_gathers(case, seed, known, axis_type, axis_is_fed, from_the_end):
    params, indices, axis, batch = case
    if from_the_end and batch:
        batch -= len(indices)
    random = np.random.RandomState(seed)
    rows = random.randint(0, params[axis], indices)

    def gathered(x):
        place = np.array(axis, axis_type)
        # What has no constant value stands for a fed axis.
        at = tf.placeholder_with_default(place, []) if axis_is_fed else tf.constant(place)
        # The rank of the indices decides what negative batch_dims mean.
        where = tf.constant(rows, tf.int32)
        if not known and batch >= 0:
            where = tf.placeholder_with_default(where, None)
        return tf.gather(x, where, axis=at, batch_dims=batch)

    check(gathered, [random.standard_normal(params)], seed, known)


@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices")
@pytest.mark.parametrize("params", [[0, 3, 2], [2, 0, 3], [2, 3, 0]])
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_gradients_of_gathers_of_nothing(params, axis):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, None)
        gradient = tf.convert_to_tensor(tf.gradients(tf.gather(x, tf.zeros([0], tf.int32), axis=axis), x)[0])
        with tf.Session() as session:
            np.testing.assert_array_equal(session.run(gradient, {x: np.zeros(params)}), np.zeros(params))
