"""Every linear operator does what its matrix does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ferroflow._src.framework.graph import Graph
from ferroflow._src.linear_operator.base import LinearOperator
from ferroflow._src.linear_operator.circulant import LinearOperatorCirculant, LinearOperatorCirculant2D
from ferroflow._src.linear_operator.composite import (
    LinearOperatorBlockDiag,
    LinearOperatorComposition,
    LinearOperatorKronecker,
)
from ferroflow._src.linear_operator.diag import LinearOperatorDiag
from ferroflow._src.linear_operator.full_matrix import LinearOperatorFullMatrix
from ferroflow._src.linear_operator.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from ferroflow._src.linear_operator.low_rank_update import LinearOperatorLowRankUpdate
from ferroflow._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from ferroflow._src.ops import operators
from ferroflow._src.ops.array.making import placeholder_with_default
from ferroflow._src.session.session import Session

assert operators

_RNG = np.random.default_rng(5)
_A = _RNG.uniform(-1, 1, (2, 3, 3)) + 4 * np.eye(3)
_B = _RNG.uniform(-1, 1, (2, 2)) + 3 * np.eye(2)
_THIN = _RNG.uniform(-1, 1, (2, 3, 2))
_OTHER = _RNG.uniform(-1, 1, (2, 3, 2))
_DIAGONAL = _RNG.uniform(1, 2, (2, 3))
_SPECTRUM = _RNG.uniform(1, 2, (2, 4)) + 1j * _RNG.uniform(-1, 1, (2, 4))
_PLANE = _RNG.uniform(1, 2, (2, 3)) + 1j * _RNG.uniform(-1, 1, (2, 3))

_Wrap = Callable[[Any], Any]


def _diag(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return x[..., None] * np.eye(x.shape[-1])


def _block_diag(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    dense = np.zeros((2, 5, 5))
    dense[:, :3, :3], dense[:, 3:, 3:] = a, b
    return dense


def _circulant(spectrum: np.ndarray[Any, Any], axes: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """The matrix whose columns are what becomes of unit vectors."""
    sizes = [spectrum.shape[a] for a in axes]
    n = int(np.prod(sizes))
    units = np.eye(n).reshape(n, *sizes)
    batch = spectrum.shape[: spectrum.ndim - len(axes)]
    columns = np.fft.ifftn(np.fft.fftn(units, axes=axes) * spectrum.reshape(*batch, 1, *sizes), axes=axes)
    return np.swapaxes(columns.reshape(*batch, n, n), -1, -2)


# Name, the operator of a wrapper of its tensors, and its matrix.
_CASES: list[tuple[str, Callable[[_Wrap], LinearOperator], np.ndarray[Any, Any]]] = [
    ("full_matrix", lambda w: LinearOperatorFullMatrix(w(_A)), _A),
    ("wide", lambda w: LinearOperatorFullMatrix(w(_THIN)), _THIN),
    (
        "positive_definite",
        lambda w: LinearOperatorFullMatrix(
            w(_A @ np.swapaxes(_A, 1, 2)), is_self_adjoint=True, is_positive_definite=True
        ),
        _A @ np.swapaxes(_A, 1, 2),
    ),
    ("diag", lambda w: LinearOperatorDiag(w(_DIAGONAL)), _diag(_DIAGONAL)),
    ("complex_diag", lambda w: LinearOperatorDiag(w(_SPECTRUM)), _diag(_SPECTRUM)),
    ("lower_triangular", lambda w: LinearOperatorLowerTriangular(w(_A)), np.tril(_A)),
    ("identity", lambda w: LinearOperatorIdentity(3, dtype="float64"), np.eye(3)),
    (
        "identities",
        lambda w: LinearOperatorIdentity(w(np.int32(3)), w(np.array([2], np.int32)), dtype="float64"),
        np.broadcast_to(np.eye(3), (2, 3, 3)),
    ),
    (
        "scaled_identity",
        lambda w: LinearOperatorScaledIdentity(3, w(_DIAGONAL[:, 0])),
        _DIAGONAL[:, :1, None] * np.eye(3),
    ),
    (
        "low_rank_update",
        lambda w: LinearOperatorLowRankUpdate(
            LinearOperatorDiag(w(_DIAGONAL)), w(_THIN), w(_DIAGONAL[:, :2]), w(_OTHER)
        ),
        _diag(_DIAGONAL) + _THIN @ _diag(_DIAGONAL[:, :2]) @ np.swapaxes(_OTHER, 1, 2),
    ),
    (
        "positive_low_rank_update",
        lambda w: LinearOperatorLowRankUpdate(LinearOperatorDiag(w(_DIAGONAL), is_positive_definite=True), w(_THIN)),
        _diag(_DIAGONAL) + _THIN @ np.swapaxes(_THIN, 1, 2),
    ),
    (
        "composition",
        lambda w: LinearOperatorComposition([LinearOperatorFullMatrix(w(_A)), LinearOperatorDiag(w(_DIAGONAL))]),
        _A @ _diag(_DIAGONAL),
    ),
    (
        "block_diag",
        lambda w: LinearOperatorBlockDiag(
            [LinearOperatorFullMatrix(w(_A), is_square=True), LinearOperatorFullMatrix(w(_B), is_square=True)]
        ),
        _block_diag(_A, _B),
    ),
    (
        "kronecker",
        lambda w: LinearOperatorKronecker(
            [LinearOperatorFullMatrix(w(_B)), LinearOperatorFullMatrix(w(_A)), LinearOperatorDiag(w(_DIAGONAL[0]))]
        ),
        np.stack([np.kron(np.kron(_B, a), np.diag(_DIAGONAL[0])) for a in _A]),
    ),
    (
        "wide_kronecker",
        lambda w: LinearOperatorKronecker([LinearOperatorFullMatrix(w(_THIN)), LinearOperatorFullMatrix(w(_B))]),
        np.stack([np.kron(t, _B) for t in _THIN]),
    ),
    (
        "circulant",
        lambda w: LinearOperatorCirculant(w(_SPECTRUM), input_output_dtype="complex128"),
        _circulant(_SPECTRUM, (-1,)),
    ),
    (
        "circulant_plane",
        lambda w: LinearOperatorCirculant2D(w(_PLANE), input_output_dtype="complex128"),
        _circulant(_PLANE, (-2, -1)),
    ),
    ("adjoint", lambda w: LinearOperatorFullMatrix(w(_THIN)).adjoint(), np.swapaxes(_THIN, 1, 2)),
    ("inverse", lambda w: LinearOperatorFullMatrix(w(_A)).inverse(), np.linalg.inv(_A)),
    ("zeros", lambda w: LinearOperatorZeros(3, 2, is_square=False, dtype="float64"), np.zeros((3, 2))),
]
_EVERY = pytest.mark.parametrize(("make", "matrix"), [pytest.param(m, d, id=name) for name, m, d in _CASES])
_SQUARE = pytest.mark.parametrize(
    ("make", "matrix"), [pytest.param(m, d, id=name) for name, m, d in _CASES if d.shape[-1] == d.shape[-2]]
)
_KNOWN = pytest.mark.parametrize("is_known", [True, False], ids=["known_shapes", "unknown_shapes"])


def _wrap(is_known: bool) -> _Wrap:
    return (lambda x: x) if is_known else (lambda x: placeholder_with_default(x, None))


def _check(result: Any, expected: Any, is_known: bool) -> None:
    if is_known:
        assert result.shape.as_list() == list(np.shape(expected))
    with Session() as session:
        actual = session.run(result)
    assert actual.shape == np.shape(expected)
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


def _argument(matrix: np.ndarray[Any, Any], rows: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(6)
    x = rng.uniform(-1, 1, (*matrix.shape[:-2], rows, 2))
    return x + 1j * rng.uniform(-1, 1, x.shape) if np.iscomplexobj(matrix) else x


def _adjoint(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.conj(np.swapaxes(x, -1, -2))


@_KNOWN
@_EVERY
def test_a_product_is_that_of_the_matrix(make: Any, matrix: Any, is_known: bool) -> None:
    for adjoint in (False, True):
        dense = _adjoint(matrix) if adjoint else matrix
        x = _argument(matrix, dense.shape[-1])
        for adjoint_arg in (False, True):
            with Graph().as_default():
                operator = make(_wrap(is_known))
                argument = _wrap(is_known)(_adjoint(x) if adjoint_arg else x)
                _check(operator.matmul(argument, adjoint, adjoint_arg), dense @ x, is_known)
        with Graph().as_default():
            _check(make(_wrap(is_known)).matvec(x[..., 0], adjoint), (dense @ x)[..., 0], is_known)


@_KNOWN
@_SQUARE
def test_a_solution_is_that_of_the_matrix(make: Any, matrix: Any, is_known: bool) -> None:
    for adjoint in (False, True):
        dense = _adjoint(matrix) if adjoint else matrix
        rhs = _argument(matrix, dense.shape[-1])
        expected = np.linalg.solve(dense, rhs)
        for adjoint_arg in (False, True):
            with Graph().as_default():
                operator = make(_wrap(is_known))
                argument = _wrap(is_known)(_adjoint(rhs) if adjoint_arg else rhs)
                _check(operator.solve(argument, adjoint, adjoint_arg), expected, is_known)
        with Graph().as_default():
            _check(make(_wrap(is_known)).solvevec(rhs[..., 0], adjoint), expected[..., 0], is_known)


@_KNOWN
@_SQUARE
def test_determinants_are_those_of_the_matrix(make: Any, matrix: Any, is_known: bool) -> None:
    with Graph().as_default():
        operator = make(_wrap(is_known))
        _check(operator.determinant(), np.linalg.det(matrix), is_known)
        _check(operator.log_abs_determinant(), np.linalg.slogdet(matrix)[1], is_known)


@_KNOWN
@_EVERY
def test_the_matrix_its_diagonal_trace_and_sums_are_known(make: Any, matrix: Any, is_known: bool) -> None:
    with Graph().as_default():
        operator = make(_wrap(is_known))
        _check(operator.to_dense(), matrix, is_known)
        _check(operator.diag_part(), np.diagonal(matrix, axis1=-2, axis2=-1), is_known)
        _check(operator.trace(), np.trace(matrix, axis1=-2, axis2=-1), is_known)
        _check(operator.add_to_tensor(_wrap(is_known)(2 * matrix)), 3 * matrix, is_known)


@_KNOWN
@_EVERY
def test_shapes_are_those_of_the_matrix(make: Any, matrix: Any, is_known: bool) -> None:
    with Graph().as_default(), Session() as session:
        operator = make(_wrap(is_known))
        assert operator.shape.is_compatible_with(matrix.shape)
        assert operator.batch_shape.is_compatible_with(matrix.shape[:-2])
        if is_known:
            assert (operator.tensor_rank, operator.domain_dimension) == (matrix.ndim, matrix.shape[-1])
        found = session.run(
            [
                operator.shape_tensor(),
                operator.batch_shape_tensor(),
                operator.range_dimension_tensor(),
                operator.domain_dimension_tensor(),
                operator.tensor_rank_tensor(),
            ]
        )
        assert [list(found[0]), list(found[1])] == [list(matrix.shape), list(matrix.shape[:-2])]
        assert found[2:] == [*matrix.shape[-2:], matrix.ndim]


def test_a_triangular_operator_adds_operations_where_it_is_used():
    with Graph().as_default() as graph:
        x = placeholder_with_default(np.ones((3, 3), np.float32), [None, None])
        before = graph._last_id
        operator = LinearOperatorLowerTriangular(x)
        assert graph._last_id == before
        dense = operator.to_dense()
        # As many as in TensorFlow 1.15, so seeds of operations that follow are the same.
        assert graph._last_id == before + 3
        assert dense.op.name == "LinearOperatorLowerTriangular/to_dense/MatrixBandPart"
