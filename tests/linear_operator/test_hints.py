"""Linear operators refuse hints that cannot be, and assertions fail where they should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ferroflow._src.base import errors
from ferroflow._src.framework.graph import Graph
from ferroflow._src.linear_operator.circulant import LinearOperatorCirculant
from ferroflow._src.linear_operator.composite import LinearOperatorBlockDiag, LinearOperatorComposition
from ferroflow._src.linear_operator.diag import LinearOperatorDiag
from ferroflow._src.linear_operator.full_matrix import LinearOperatorFullMatrix
from ferroflow._src.linear_operator.householder import LinearOperatorHouseholder
from ferroflow._src.linear_operator.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from ferroflow._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from ferroflow._src.linear_operator.toeplitz import LinearOperatorToeplitz
from ferroflow._src.ops import operators
from ferroflow._src.ops.array.making import placeholder_with_default
from ferroflow._src.session.session import Session

assert operators

_I = [[1.0, 0.0], [0.0, 1.0]]


def _fed(value: Any) -> Any:
    """A tensor whose value the graph does not know."""
    return placeholder_with_default(value, None)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: LinearOperatorFullMatrix(_I, is_positive_definite=True, is_non_singular=False), ValueError, "always"),
        (lambda: LinearOperatorFullMatrix(_I, is_self_adjoint=True, is_square=False), ValueError, "always square"),
        (lambda: LinearOperatorFullMatrix([1.0]), ValueError, "at least 2 dimensions"),
        (lambda: LinearOperatorFullMatrix([[1]]), TypeError, "must have dtype"),
        (lambda: LinearOperatorDiag([1.0], is_self_adjoint=False), ValueError, "always self adjoint"),
        (lambda: LinearOperatorDiag(1.0), ValueError, "at least 1 dimension"),
        (lambda: LinearOperatorLowerTriangular(_I, is_square=False), ValueError, "Only square"),
        (lambda: LinearOperatorIdentity(2, is_square=None), ValueError, "always square"),
        (lambda: LinearOperatorIdentity(-2), ValueError, "non-negative"),
        (lambda: LinearOperatorIdentity(2.0), TypeError, "integer"),
        (lambda: LinearOperatorIdentity([2]), ValueError, "0-D"),
        (lambda: LinearOperatorIdentity(2, batch_shape=2), ValueError, "1-D"),
        (lambda: LinearOperatorZeros(2, 3), ValueError, "num_rows != num_columns"),
        (lambda: LinearOperatorZeros(2, is_non_singular=True), ValueError, "always singular"),
        (lambda: LinearOperatorCirculant([1.0], is_self_adjoint=False), ValueError, "real spectrum"),
        (lambda: LinearOperatorToeplitz([1.0, 2.0], [1.0]), ValueError, "mismatched dimensions"),
        (lambda: LinearOperatorToeplitz([1.0], np.float64([1])), TypeError, "one dtype"),
        (
            lambda: LinearOperatorHouseholder([1.0]).assert_positive_definite(),
            errors.InvalidArgumentError,
            "always non-positive definite",
        ),
        (lambda: LinearOperatorComposition([]), ValueError, "non-empty"),
        (
            lambda: LinearOperatorComposition([LinearOperatorDiag([1.0]), LinearOperatorIdentity(1, dtype="float64")]),
            TypeError,
            "same dtype",
        ),
        (
            lambda: LinearOperatorBlockDiag([LinearOperatorIdentity(1)], is_non_singular=False),
            ValueError,
            "always non-singular",
        ),
        (
            lambda: LinearOperatorBlockDiag([LinearOperatorFullMatrix([[1.0, 2.0]])]),
            ValueError,
            "block diagonal of square",
        ),
        (lambda: LinearOperatorFullMatrix(_I).matmul([[1.0]]), ValueError, "not compatible"),
        (lambda: LinearOperatorFullMatrix([[1.0, 2.0]]).solve([[1.0]]), NotImplementedError, "not be square"),
        (lambda: LinearOperatorZeros(2).solve(_I), NotImplementedError, "singular"),
        (lambda: LinearOperatorZeros(2).inverse(), ValueError, "singular"),
    ],
)
def test_refuses(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with Graph().as_default(), pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LinearOperatorDiag(_fed([1.0, 0.0])).assert_non_singular(), "Singular operator"),
        (lambda: LinearOperatorDiag(_fed([1.0, -1.0])).assert_positive_definite(), "non-positive"),
        (lambda: LinearOperatorDiag(_fed([1.0, 1j])).assert_self_adjoint(), "imaginary"),
        (lambda: LinearOperatorFullMatrix(_fed([[1.0, 1.0], [1.0, 1.0]])).assert_non_singular(), "Singular matrix"),
        (lambda: LinearOperatorFullMatrix(_fed([[1.0, 2.0], [1.0, 1.0]])).assert_self_adjoint(), "adjoint"),
        (lambda: LinearOperatorScaledIdentity(2, _fed(0.0)).assert_non_singular(), "singular"),
        (lambda: LinearOperatorCirculant(_fed([1.0, 0.0])).assert_non_singular(), "zero values"),
    ],
)
def test_an_assertion_fails_in_the_step(make: Callable[[], Any], message: str) -> None:
    with Graph().as_default(), Session() as session:
        operation = make()
        with pytest.raises(errors.InvalidArgumentError, match=message):
            session.run(operation)


@pytest.mark.parametrize(
    "make",
    [
        lambda: LinearOperatorDiag([1.0, 2.0]),
        lambda: LinearOperatorFullMatrix(_I, is_self_adjoint=True, is_positive_definite=True),
        lambda: LinearOperatorIdentity(2),
        lambda: LinearOperatorScaledIdentity(2, 3.0),
        lambda: LinearOperatorCirculant([1.0, 2.0]),
    ],
)
def test_assertions_that_hold_pass(make: Callable[[], Any]) -> None:
    with Graph().as_default(), Session() as session:
        operator = make()
        session.run(
            [operator.assert_non_singular(), operator.assert_positive_definite(), operator.assert_self_adjoint()]
        )


def test_hints_pass_to_what_is_made_of_operators() -> None:
    with Graph().as_default():
        parts = [LinearOperatorIdentity(2), LinearOperatorIdentity(3)]
        whole = LinearOperatorBlockDiag(parts)
        assert [whole.is_non_singular, whole.is_self_adjoint, whole.is_positive_definite] == [True] * 3
        assert whole.name == "LinearOperatorIdentity_ds_LinearOperatorIdentity"
        assert LinearOperatorComposition(parts[:1]).is_non_singular
        assert whole.adjoint() is whole
        assert whole.inverse().is_positive_definite


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_toeplitz_and_householder_operators_keep_their_dtype(dtype: str) -> None:
    vector = np.array([1, 2], dtype)
    with Graph().as_default(), Session() as session:
        for operator in (LinearOperatorToeplitz(vector, vector), LinearOperatorHouseholder(vector)):
            dense, product, checked = operator.to_dense(), operator.matvec(vector), operator.assert_non_singular()
            assert dense.dtype.name == product.dtype.name == dtype
            matrix, found, _ = session.run([dense, product, checked])
            np.testing.assert_allclose(found, matrix @ vector, rtol=1e-2, atol=1e-2)
