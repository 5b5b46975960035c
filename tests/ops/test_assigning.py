"""Assignments and scatters change a variable as NumPy changes an array, and give the value after the change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ferroflow as tf

_START = np.arange(12.0, dtype=np.float32).reshape(4, 3) + 1


def _after(change: Callable[[Any], Any]) -> tuple[Any, Any]:
    """(what the change gives, the variable's value in the next step)."""
    with tf.Graph().as_default():
        v = tf.Variable(_START)
        changed = change(v)
        with tf.Session() as session:
            session.run(v.initializer)
            return session.run(changed), session.run(v)


_UPDATES = [
    ("assign", lambda v: tf.assign(v, _START * 2), lambda a: a * 2),
    ("assign_add", lambda v: tf.assign_add(v, _START), lambda a: a + _START),
    ("assign_sub", lambda v: tf.assign_sub(v, _START), lambda a: a - _START),
]


@pytest.mark.parametrize(("change", "expected"), [pytest.param(c, e, id=n) for n, c, e in _UPDATES])
def test_an_assignment_gives_the_new_value(change: Callable[[Any], Any], expected: Callable[[Any], Any]) -> None:
    for value in _after(change):
        np.testing.assert_array_equal(value, expected(_START))


# Indices that repeat: updates of one row take effect in their order.
_INDICES = [2, 0, 2]
_ROWS = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.float32)
_SCATTERS: dict[str, Callable[[Any, Any], Any]] = {
    "scatter_update": lambda old, new: new,
    "scatter_add": np.add,
    "scatter_sub": np.subtract,
    "scatter_mul": np.multiply,
    "scatter_div": np.divide,
    "scatter_min": np.minimum,
    "scatter_max": np.maximum,
}


@pytest.mark.parametrize("name", _SCATTERS)
def test_a_scatter_changes_rows_in_order(name: str) -> None:
    expected = _START.copy()
    for index, row in zip(_INDICES, _ROWS, strict=True):
        expected[index] = _SCATTERS[name](expected[index], row)
    for value in _after(lambda v: getattr(tf, name)(v, _INDICES, _ROWS)):
        np.testing.assert_allclose(value, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "combine"),
    [("scatter_nd_update", lambda old, new: new), ("scatter_nd_add", np.add), ("scatter_nd_sub", np.subtract)],
)
def test_a_scatter_by_several_indices_changes_elements(name: str, combine: Callable[[Any, Any], Any]) -> None:
    places = [[0, 2], [3, 1]]
    expected = _START.copy()
    for (i, j), new in zip(places, (10.0, 20.0), strict=True):
        expected[i, j] = combine(expected[i, j], new)
    for value in _after(lambda v: getattr(tf, name)(v, places, [10.0, 20.0])):
        np.testing.assert_allclose(value, expected)


def test_an_assignment_to_a_slice_changes_that_part() -> None:
    expected = _START.copy()
    expected[1:3, 0] = [-1, -2]
    for value in _after(lambda v: v[1:3, 0].assign([-1.0, -2.0])):
        np.testing.assert_array_equal(value, expected)


def test_count_up_to_gives_the_value_before_and_fails_at_the_limit() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(0)
        count = tf.count_up_to(v, 2)
        with tf.Session() as session:
            session.run(v.initializer)
            assert [session.run(count), session.run(count), session.run(v)] == [0, 1, 2]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(count)


def test_whether_a_variable_is_initialized() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(1.0)
        told = tf.is_variable_initialized(v)
        with tf.Session() as session:
            assert not session.run(told)
            session.run(v.initializer)
            assert session.run(told)


def test_a_value_of_another_shape_or_dtype_is_refused() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(_START)
        with pytest.raises(ValueError, match=r"[Ss]hape|Dimension"):
            tf.assign(v, [1.0])
        with pytest.raises(TypeError, match="float32"):
            tf.assign_add(v, tf.constant(_START.astype(np.float64)))
        assert tf.assign(v, [1.0], validate_shape=False).shape.as_list() == [1]


_CHANGES = [
    *((name, name) for name in ("assign", "assign_add", "assign_sub")),
    *((f"scatter_{name}", "handle") for name in ("update", "add", "sub", "mul", "div", "min", "max")),
    *((f"scatter_nd_{name}", "handle") for name in ("update", "add", "sub")),
]


@pytest.mark.parametrize(("name", "attribute"), _CHANGES)
def test_a_tensor_that_is_no_variable_lacks_tensorflows_attribute(name: str, attribute: str) -> None:
    indices = [[[0]]] if "nd" in name else [[0]] if "scatter" in name else []
    with tf.Graph().as_default():
        with pytest.raises(AttributeError, match=f"'Tensor' object has no attribute '{attribute}'"):
            getattr(tf, name)(tf.constant([1, 2]), *indices, [1])
        with pytest.raises(AttributeError, match="'list' object has no attribute 'dtype'"):
            getattr(tf, name)([1, 2], *indices, [1])


def test_the_tensor_of_a_value_has_no_initialization() -> None:
    with tf.Graph().as_default():
        with pytest.raises(AttributeError, match="is_initialized"):
            tf.is_variable_initialized(tf.constant([1, 2]))
        assert tf.is_variable_initialized(tf.Variable(1.0)._ref()).dtype == tf.bool
