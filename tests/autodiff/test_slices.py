"""Gradients that are slices flow on as slices where rules allow it, and become dense with TF's warnings elsewhere."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

_TABLE = np.arange(12, dtype=np.float64).reshape(4, 3)


def _gradient(build: Any, feeds: bool = True) -> tuple[Any, Any]:
    """(the gradient of a function of a table, its value as an array)."""
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.placeholder(tf.float64, [4, 3])
        gradient = tf.gradients(build(table), table)[0]
        value = session.run(tf.convert_to_tensor(gradient), {table: _TABLE}) if feeds else None
        return gradient, value


def _sum_of_squares(x: Any) -> Any:
    return tf.reduce_sum(tf.square(x))


def _counted(*rows: int) -> Any:
    """The gradient of the sum of squares of these rows."""
    return 2 * _TABLE * np.bincount(rows, minlength=4)[:, None]


def test_slices_of_several_gathers_are_joined() -> None:
    gradient, value = _gradient(
        lambda t: (
            _sum_of_squares(tf.gather(t, [1, 1, 3])) + _sum_of_squares(tf.gather(t, tf.constant([0, 1], tf.int64)))
        )
    )
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.dtype == tf.int64
    np.testing.assert_allclose(value, _counted(1, 1, 3, 0, 1))


def test_a_gather_of_a_gather_sums_its_slices_on_the_way() -> None:
    gradient, value = _gradient(lambda t: _sum_of_squares(tf.gather(tf.gather(t, [3, 1, 1]), [0, 2, 2])))
    assert isinstance(gradient, tf.IndexedSlices)
    np.testing.assert_allclose(value, _counted(3, 1, 1))


def test_slices_beside_a_dense_gradient_become_dense() -> None:
    gradient, value = _gradient(lambda t: _sum_of_squares(t) + _sum_of_squares(tf.gather(t, [2])))
    assert isinstance(gradient, tf.Tensor)
    np.testing.assert_allclose(value, _counted(0, 1, 2, 3, 2))


def test_slices_given_as_the_gradient_of_a_result_flow_on() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.constant(_TABLE)
        rows = tf.gather(table, [3, 0])
        given = tf.IndexedSlices(tf.ones([1, 3], tf.float64), [1], tf.constant([2, 3]))
        gradient = tf.gradients(rows, table, grad_ys=given)[0]
        dense = session.run(tf.convert_to_tensor(gradient))
    np.testing.assert_array_equal(dense, [[1, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("shape", "message"),
    [([20_000_000, 5], "with 100000000 elements"), (None, "of unknown shape"), ([19_999_999, 5], None)],
)
@pytest.mark.parametrize("in_a_rule", [False, True])
def test_a_large_dense_gradient_of_slices_is_worth_a_warning(shape: Any, message: str | None, in_a_rule: bool) -> None:
    with tf.Graph().as_default():
        table = tf.placeholder(tf.float32, shape)
        rows = tf.gather(2.0 * table if in_a_rule else table, [0])
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            gradient = tf.gradients(rows, table)[0]
            if not in_a_rule:
                tf.convert_to_tensor(gradient)
    said = [str(w.message) for w in found if "Converting sparse IndexedSlices to a dense Tensor" in str(w.message)]
    assert bool(said) == (message is not None)
    assert all(message in text for text in said if message)


@pytest.mark.parametrize(("of_one", "of_other", "joined"), [("int32", "int32", "int32"), ("int32", "int64", "int64")])
def test_slices_of_branches_have_the_wider_indices(of_one: str, of_other: str, joined: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.constant(_TABLE)
        row = tf.cond(
            tf.reduce_sum(table) > -1e6,
            lambda: tf.gather(table, tf.constant(1, of_one)),
            lambda: tf.gather(table, tf.constant(0, of_other)),
        )
        gradient = tf.gradients(row, table)[0]
        assert gradient.indices.dtype == joined
        np.testing.assert_array_equal(session.run(gradient.indices), [1])
