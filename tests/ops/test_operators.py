"""Python's operators on tensors mean what they mean in TF 1.x and, of values, in NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ferroflow._src.base import dtypes
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops import operators
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.session.session import Session

assert operators

_BINARY = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def _value(build: Callable[[], Tensor]) -> Any:
    with Graph().as_default() as graph:
        tensor = build()
        with Session(graph=graph) as session:
            return session.run(tensor)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("name", _BINARY)
def test_binary_operators_agree_with_numpy(name: str, dtype: str) -> None:
    combine = _BINARY[name]
    x, y = np.array([7, 1, 4], dtype), np.array([2, 3, 4], dtype)
    expected = combine(x, y)
    for build in (
        lambda: combine(constant(x), constant(y)),
        lambda: combine(constant(x), y),
        lambda: combine(constant(x), y.tolist()),
    ):
        got = _value(build)
        np.testing.assert_allclose(got, expected, rtol=1e-6)
        # NumPy divides integers to double too.
        assert got.dtype == expected.dtype


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
def test_a_number_or_array_on_the_left_leaves_the_operator_to_the_tensor(name: str) -> None:
    combine = _BINARY[name]
    x = np.array([1.0, 2.0, 4.0])
    for left in (3.0, np.float64(3), np.array([3.0, 5.0, 9.0]), [3.0, 5.0, 9.0]):
        with Graph().as_default():
            assert isinstance(combine(left, constant(x)), Tensor)
        np.testing.assert_allclose(
            _value(lambda left=left: combine(left, constant(x))), combine(np.asarray(left), x), rtol=1e-12
        )


def test_matrix_product_operator() -> None:
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(_value(lambda: constant(a) @ constant(b)), a @ b)
    np.testing.assert_array_equal(_value(lambda: a @ constant(b)), a @ b)


@pytest.mark.parametrize("combine", [operator.and_, operator.or_, operator.xor])
def test_logical_operators_agree_with_numpy(combine: Callable[[Any, Any], Any]) -> None:
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    np.testing.assert_array_equal(_value(lambda: combine(constant(x), constant(y))), combine(x, y))
    np.testing.assert_array_equal(_value(lambda: combine(constant(x), True)), combine(x, True))


def test_unary_operators_agree_with_numpy() -> None:
    x = np.array([-1.5, 0.0, 2.0])
    np.testing.assert_array_equal(_value(lambda: -constant(x)), -x)
    np.testing.assert_array_equal(_value(lambda: abs(constant(x))), abs(x))
    np.testing.assert_array_equal(_value(lambda: ~constant(x > 0)), ~(x > 0))


def test_integers_divide_as_floats_that_hold_them() -> None:
    with Graph().as_default():
        assert (constant(1, "int8") / constant(2, "int8")).dtype == dtypes.float32
        assert (constant(1, "int32") / constant(2, "int32")).dtype == dtypes.float64


def test_equality_is_identity() -> None:
    with Graph().as_default():
        a, b = constant(1), constant(1)
        assert a == a
        assert (a == b) is False
        assert a != b
        assert len({a, b, a}) == 2


def test_a_tensor_has_no_truth_value() -> None:
    with Graph().as_default():
        x = constant(True)
        with pytest.raises(TypeError, match=r"Using a `tf.Tensor` as a Python `bool` is not allowed"):
            bool(x)
        with pytest.raises(TypeError, match=r"Use `if t is not None:` instead"):
            assert not x


def test_iteration_gives_the_slices_of_a_known_first_dimension() -> None:
    x = np.arange(6).reshape(3, 2)
    with Graph().as_default() as graph:
        rows = list(constant(x))
        first, *_ = constant(x)
        assert [row.shape.as_list() for row in rows] == [[2]] * 3
        with Session(graph=graph) as session:
            np.testing.assert_array_equal(session.run(rows), x)
            np.testing.assert_array_equal(session.run(first), x[0])


def test_what_has_no_known_first_dimension_does_not_iterate() -> None:
    with Graph().as_default():
        with pytest.raises(TypeError, match="not iterable when they are scalars"):
            iter(constant(1))
        with pytest.raises(TypeError, match="only iterable when their first dimension is known"):
            iter(placeholder("float32", [None, 3]))
        with pytest.raises(TypeError, match="only iterable when"):
            iter(placeholder("float32"))


def test_operands_of_two_dtypes_are_refused() -> None:
    with Graph().as_default():
        with pytest.raises(TypeError, match="float32"):
            constant(1.0) + constant(1)
        with pytest.raises(TypeError, match="must have the same dtype"):
            constant(1.0) / constant(1)
        with pytest.raises(TypeError):
            constant(1) + 0.5


def test_an_operand_that_knows_tensors_gets_the_operator() -> None:
    class Unit:
        def __radd__(self, other: Any) -> str:
            return "taken"

    with Graph().as_default():
        assert constant(1.0) + Unit() == "taken"
        with pytest.raises(TypeError):
            constant(1.0) - object()
