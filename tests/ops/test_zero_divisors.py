"""The functions that define what division by zero gives do so for zero, infinity and NaN."""

from __future__ import annotations

import numpy as np
import pytest

from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.ops import operators
from ferroflow._src.ops.math import arithmetic
from ferroflow._src.session.session import Session

assert operators

_INF, _NAN = np.inf, np.nan
_CASES = [
    ("div_no_nan", [1.0, _NAN, _INF, 0.0, 3.0], [0.0, 0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0, 1.5]),
    ("multiply_no_nan", [_NAN, _INF, 2.0, 0.0], [0.0, 0.0, 3.0, 5.0], [0.0, 0.0, 6.0, 0.0]),
    ("xlogy", [0.0, 0.0, 2.0], [0.0, _NAN, 1.0], [0.0, 0.0, 0.0]),
    ("xdivy", [0.0, 0.0, 3.0], [0.0, _NAN, 2.0], [0.0, 0.0, 1.5]),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "x", "y", "expected"), _CASES)
def test_zero_decides(name: str, x: list[float], y: list[float], expected: list[float], dtype: str) -> None:
    with Graph().as_default(), Session() as session:
        result = session.run(getattr(arithmetic, name)(constant(x, dtype), constant(y, dtype)))
    np.testing.assert_array_equal(result, np.array(expected, dtype))


def test_the_reciprocal_of_zero_is_zero() -> None:
    with Graph().as_default(), Session() as session:
        result = session.run(arithmetic.reciprocal_no_nan([0.0, 2.0]))
    np.testing.assert_array_equal(result, [0.0, 0.5])
