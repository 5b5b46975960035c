"""Layers of several inputs put missing dimensions behind the batch, as Keras does, and not before it, as NumPy."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

JOINED = {
    "Add": np.add,
    "Average": None,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Multiply": np.multiply,
    "Subtract": np.subtract,
}


def _expected(name, arrays):
    rank = max(a.ndim for a in arrays)
    widened = [a.reshape(a.shape[:1] + (1,) * (rank - a.ndim) + a.shape[1:]) for a in arrays]
    if name == "Average":
        return functools.reduce(np.add, widened) / len(widened)
    return functools.reduce(JOINED[name], widened)


def _merged(name, arrays, known):
    """The result for inputs of known shape, or of unknown batch."""
    shapes = {"all": lambda a: a.shape, "examples": lambda a: (None, *a.shape[1:])}
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.placeholder(tf.float32, shapes[known](a)) for a in arrays]
        output = getattr(tf.keras.layers, name)()(inputs)
        value = session.run(output, dict(zip(inputs, arrays, strict=True)))
        assert output.shape.is_compatible_with(value.shape)
        return value


@settings(max_examples=80)
@given(
    name=st.sampled_from(sorted(JOINED)),
    known=st.sampled_from(["all", "examples"]),
    batch=st.integers(1, 3),
    example=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    cuts=st.lists(st.integers(0, 3), min_size=2, max_size=4),
    ones=st.integers(0, 63),
    seed=st.integers(0, 100),
)
def test_inputs_of_different_rank_are_widened_behind_the_batch(name, known, batch, example, cuts, ones, seed):
    random = np.random.RandomState(seed)
    arrays = []
    for i, cut in enumerate(cuts[:2] if name == "Subtract" else cuts):
        kept = example[min(cut, len(example)) :]
        shape = [1 if ones >> ((i + j) % 6) & 1 else n for j, n in enumerate(kept)]
        arrays.append(random.standard_normal([batch, *shape]).astype(np.float32))
    np.testing.assert_allclose(_merged(name, arrays, known), _expected(name, arrays), rtol=1e-6, atol=1e-6)


def test_a_square_is_not_taken_for_a_batch():
    # NumPy would add the row of example j to row j of every example.
    x, y = np.arange(9.0).reshape(3, 3), np.zeros((3, 3, 3))
    np.testing.assert_array_equal(_merged("Add", [x, y], "examples"), np.repeat(x[:, None], 3, axis=1))


@pytest.mark.parametrize("name", sorted(JOINED))
def test_inputs_that_do_not_fit_are_refused(name):
    layer = getattr(tf.keras.layers, name)
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Operands could not be broadcast together with shapes"):
            layer()([tf.zeros([2, 3]), tf.zeros([2, 4])])
        with pytest.raises(ValueError, match="Can not merge tensors with different batch sizes"):
            layer()([tf.zeros([2, 3]), tf.zeros([4, 3])])


def test_masks_of_concatenated_steps_follow_each_other():
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.constant([[1, 0, 2]]), tf.constant([[0, 3]])]
        embed = tf.keras.layers.Embedding(4, 2, mask_zero=True)
        steps = [embed(x) for x in inputs]
        layer = tf.keras.layers.Concatenate(axis=1)
        found = session.run(layer.compute_mask(steps, [tf.not_equal(x, 0) for x in inputs]))
        np.testing.assert_array_equal(found, [[True, False, True, False, True]])
        beside = tf.keras.layers.Concatenate()
        found = session.run(beside.compute_mask([steps[0], steps[0]], [tf.not_equal(inputs[0], 0), None]))
        np.testing.assert_array_equal(found, [[True, False, True]])


def test_dimensions_that_a_product_lacks_are_refused():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="dimension 3 of an input of shape"):
            tf.keras.layers.Dot((3, 1))([tf.zeros([2, 3]), tf.zeros([2, 3])])
        with pytest.raises(ValueError, match="Dimension incompatibility 3 != 4"):
            tf.keras.layers.Dot(1)([tf.zeros([2, 3]), tf.zeros([2, 4])])
