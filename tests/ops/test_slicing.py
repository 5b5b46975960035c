"""`tensor[...]` takes what NumPy's basic indexing takes from the same value, and knows the shape beforehand."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops import operators
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.array.slicing import newaxis
from ferroflow._src.session.session import Session

assert operators


@st.composite
def _shape_and_index(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    return shape, draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True, max_dims=8))


@given(_shape_and_index())
def test_any_basic_index_takes_what_numpy_takes(drawn: tuple[tuple[int, ...], Any]) -> None:
    shape, index = drawn
    value = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    expected = value[index]
    with Graph().as_default() as graph:
        known, fed = constant(value), placeholder("int64", [None] * len(shape))
        taken, taken_of_fed = known[index], fed[index]
        assert taken.shape.as_list() == list(expected.shape)
        assert taken_of_fed.shape.is_compatible_with(expected.shape)
        with Session(graph=graph) as session:
            for got in session.run([taken, taken_of_fed], {fed: value}):
                np.testing.assert_array_equal(got, expected)


@given(start=st.integers(-6, 6), stop=st.integers(-6, 6), step=st.sampled_from([-3, -1, 1, 2]))
def test_tensors_as_bounds_take_what_their_values_take(start: int, stop: int, step: int) -> None:
    value = np.arange(5)
    with Graph().as_default() as graph:
        x = constant(value)
        bounds = [placeholder(dtype, []) for dtype in ("int32", "int32", "int32")]
        taken = x[bounds[0] : bounds[1] : bounds[2]]
        with Session(graph=graph) as session:
            got = session.run(taken, dict(zip(bounds, (start, stop, step), strict=True)))
    np.testing.assert_array_equal(got, value[start:stop:step])


def _taken(value: Any, index: Any) -> Tensor:
    return constant(value)[index]


def test_a_tensor_as_index_removes_the_dimension() -> None:
    value = np.arange(6).reshape(3, 2)
    with Graph().as_default() as graph:
        i = placeholder("int64", [])
        row, cell = constant(value)[i], constant(value)[1, i]
        assert row.shape.as_list() == [2]
        assert cell.shape.as_list() == []
        with Session(graph=graph) as session:
            np.testing.assert_array_equal(session.run(row, {i: 2}), value[2])
            assert session.run(cell, {i: 1}) == value[1, 1]


def test_an_index_is_a_list_too_as_in_tf() -> None:
    with Graph().as_default():
        assert _taken(np.zeros((3, 2)), [0, 1]).shape.as_list() == []


def test_newaxis_is_none() -> None:
    assert newaxis is None
    with Graph().as_default():
        assert _taken(np.zeros((3, 2)), (newaxis, slice(None), None)).shape.as_list() == [1, 3, 1, 2]


def test_the_largest_int_as_an_end_means_all() -> None:
    with Graph().as_default():
        assert _taken(np.zeros(3), slice(1, sys.maxsize)).shape.as_list() == [2]


@pytest.mark.parametrize("index", [1.5, "a", (0, "b"), slice(1.5, 2), 1j, object()])
def test_what_is_no_index_is_refused(index: Any) -> None:
    with Graph().as_default(), pytest.raises(TypeError, match=r"Only integers, slices \(`:`\), ellipsis"):
        _taken(np.zeros((3, 2)), index)


def test_a_float_tensor_is_no_index() -> None:
    with Graph().as_default(), pytest.raises(TypeError, match="Only integers"):
        _taken(np.zeros(3), constant(1.0))


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (3, "slice index 3 of dimension 0 out of bounds"),
        ((0, -3), "slice index -3 of dimension 1 out of bounds"),
        ((0, 0, 0), "Index out of range using input dim 2"),
        ((..., 0, ...), "Multiple ellipses"),
        (slice(0, 2, 0), "strides.0. must be non-zero"),
    ],
)
def test_an_index_outside_the_tensor_is_refused(index: Any, message: str) -> None:
    with Graph().as_default(), pytest.raises(ValueError, match=message):
        _taken(np.zeros((3, 2)), index)


def test_only_slices_of_variables_take_an_assignment() -> None:
    with Graph().as_default(), pytest.raises(ValueError, match="Sliced assignment is only supported for variables"):
        _taken(np.zeros(3), 0).assign(1.0)
