"""Records of inverses, solutions, determinants, decompositions and functions of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from ops.cases.record import Record, Refused, Values, call

from ferroflow._src.framework.constant import constant
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.linalg import decomposing, determinant, matrix_function, norm, solving
from ferroflow._src.ops.linalg.einsum import einsum
from ferroflow._src.ops.math import linalg

_DTYPES = ("float32", "float64", "complex64", "complex128")
_REAL = ("float32", "float64")


def _shifted(x: Any) -> Any:
    """Matrices far from singular: `x` has elements in [-1, 1]."""
    shift = np.eye(4) * 5.0
    return x + (shift.astype(x.dtype.as_numpy_dtype) if hasattr(x.dtype, "as_numpy_dtype") else shift)


def _positive(x: Any) -> Any:
    """Positive definite matrices with different eigenvalues."""
    shift = np.diag([1.0, 2.0, 4.0, 8.0])
    if hasattr(x.dtype, "as_numpy_dtype"):
        return linalg.matmul(x, x, adjoint_b=True) + shift.astype(x.dtype.as_numpy_dtype)
    return x @ np.conj(np.swapaxes(x, -1, -2)) + shift


def _adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


_SQUARES = (Values((4, 4), -1, 1), Values((2, 3, 4, 4), -1, 1))
_SYSTEMS = tuple((a, Values((*a.shape[:-1], 2))) for a in _SQUARES)


def _solve_ls(a: Any, b: Any, l2: float = 0.0) -> Any:
    a, b = np.asarray(a), np.asarray(b)
    gramian = _adjoint(a) @ a + l2 * np.eye(a.shape[-1])
    if a.shape[-2] >= a.shape[-1]:
        return np.linalg.solve(gramian, _adjoint(a) @ b)
    return _adjoint(a) @ np.linalg.solve(a @ _adjoint(a) + l2 * np.eye(a.shape[-2]), b)


def _each(function: Any) -> Any:
    """A function of one matrix, for batches."""
    return lambda x: np.stack([function(m) for m in x.reshape(-1, 4, 4)]).reshape(x.shape)


def _triangle(x: Any, lower: bool) -> Any:
    return np.tril(x) if lower else np.triu(x)


def _eigen_product(x: Any) -> Any:
    values, vectors = decomposing.self_adjoint_eig(_positive(x))
    # A function of the matrix: it does not depend on the signs of the vectors.
    weighted = vectors * linalg.matrix_transpose(linalg.matrix_diag_part(linalg.matrix_diag(values))[..., None])
    return linalg.matmul(weighted, vectors, adjoint_b=True)


def _svd_product(x: Any, full_matrices: bool = False) -> Any:
    s, u, v = decomposing.svd(x, full_matrices=full_matrices)
    p = min(x.shape[-2:].as_list())
    product = u[..., :p] * linalg.matrix_transpose(s[..., None])
    return linalg.matmul(product, v[..., :p], adjoint_b=True)


def _qr_product(x: Any, full_matrices: bool = False) -> Any:
    q, r = decomposing.qr(x, full_matrices=full_matrices)
    return linalg.matmul(q, r)


def _qr_projection(x: Any) -> Any:
    q, r = decomposing.qr(x)
    return linalg.matmul(q, q, adjoint_b=True), linalg.matmul(r, r, adjoint_a=True)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is None:
        x, axis = x.reshape(-1), 0
    return np.linalg.norm(x, ord, axis, keepdims)


RECORDS = [
    Record(
        name="matrix_inverse",
        function=lambda x, adjoint=False: solving.matrix_inverse(_shifted(x), adjoint=adjoint),
        reference=lambda x, adjoint=False: np.linalg.inv(_adjoint(_shifted(x)) if adjoint else _shifted(x)),
        variants=(*(call(a) for a in _SQUARES), *(call(a, adjoint=True) for a in _SQUARES)),
        dtypes=_DTYPES,
        differentiable=(0,),
        lossy=True,
        refused=(
            Refused(lambda: solving.matrix_inverse(placeholder("float32", [2, 3])), ValueError, "must be equal"),
            Refused(lambda: solving.matrix_inverse(constant([1.0])), ValueError, "at least rank 2"),
        ),
    ),
    Record(
        name="matrix_solve",
        function=lambda a, b, adjoint=False: solving.matrix_solve(_shifted(a), b, adjoint=adjoint),
        reference=lambda a, b, adjoint=False: np.linalg.solve(_adjoint(_shifted(a)) if adjoint else _shifted(a), b),
        variants=(*(call(*s) for s in _SYSTEMS), *(call(*s, adjoint=True) for s in _SYSTEMS)),
        dtypes=_DTYPES,
        differentiable=(0, 1),
        lossy=True,
        refused=(
            Refused(
                lambda: solving.matrix_solve(placeholder("float32", [2, 2]), placeholder("float32", [3, 1])),
                ValueError,
                "must be equal",
            ),
            Refused(
                lambda: solving.matrix_solve(placeholder("float32", [5, 2, 2]), placeholder("float32", [4, 2, 1])),
                ValueError,
                "must be equal",
            ),
        ),
    ),
    Record(
        name="matrix_triangular_solve",
        function=lambda a, b, **kw: solving.matrix_triangular_solve(_shifted(a), b, **kw),
        reference=lambda a, b, lower=True, adjoint=False: np.linalg.solve(
            _adjoint(_triangle(_shifted(a), lower)) if adjoint else _triangle(_shifted(a), lower), b
        ),
        variants=tuple(
            call(*s, lower=lower, adjoint=adjoint)
            for s in _SYSTEMS
            for lower in (True, False)
            for adjoint in (True, False)
        ),
        dtypes=_DTYPES,
        differentiable=(0, 1),
        lossy=True,
    ),
    Record(
        name="matrix_solve_ls",
        function=lambda a, b, **kw: solving.matrix_solve_ls(a, b, fast=False, **kw),
        reference=_solve_ls,
        variants=(
            call(Values((5, 2)), Values((5, 3))),
            call(Values((3, 2, 6)), Values((3, 2, 1))),
            call(Values((0, 2)), Values((0, 3))),
        ),
        dtypes=_REAL,
        lossy=True,
    ),
    Record(
        name="matrix_solve_ls_fast",
        function=lambda a, b, l2=0.0: solving.matrix_solve_ls(a, b, l2_regularizer=l2),
        reference=_solve_ls,
        variants=(
            call(Values((6, 2)), Values((6, 3)), l2=0.1),
            call(Values((3, 2, 6)), Values((3, 2, 1)), l2=0.2),
        ),
        dtypes=("float64",),
        differentiable=(0, 1),
        lossy=True,
    ),
    Record(
        name="matrix_determinant",
        function=lambda x: determinant.matrix_determinant(_shifted(x)),
        reference=lambda x: np.linalg.det(_shifted(x)),
        variants=tuple(call(a) for a in _SQUARES),
        dtypes=_DTYPES,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="log_matrix_determinant",
        function=lambda x: determinant.log_matrix_determinant(_shifted(x)),
        reference=lambda x: tuple(np.linalg.slogdet(_shifted(x))),
        variants=tuple(call(a) for a in _SQUARES),
        dtypes=_DTYPES,
        lossy=True,
    ),
    Record(
        name="logdet",
        function=lambda x: determinant.logdet(_positive(x)),
        reference=lambda x: np.linalg.slogdet(_positive(x))[1],
        variants=tuple(call(a) for a in _SQUARES),
        dtypes=_REAL,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="cholesky",
        function=lambda x: solving.cholesky(_positive(x)),
        reference=lambda x: np.linalg.cholesky(_positive(x)),
        variants=tuple(call(a) for a in _SQUARES),
        dtypes=_DTYPES,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="cholesky_solve",
        function=lambda a, b: solving.cholesky_solve(solving.cholesky(_positive(a)), b),
        reference=lambda a, b: np.linalg.solve(_positive(a), b),
        variants=tuple(call(*s) for s in _SYSTEMS),
        dtypes=_DTYPES,
        differentiable=(0, 1),
        lossy=True,
    ),
    Record(
        name="self_adjoint_eig",
        function=_eigen_product,
        reference=_positive,
        variants=tuple(call(a) for a in _SQUARES),
        dtypes=_DTYPES,
        differentiable=(0,),
        lossy=True,
        needs="rank",
    ),
    Record(
        name="self_adjoint_eigvals",
        function=lambda x: decomposing.self_adjoint_eigvals(_positive(x)),
        reference=lambda x: np.linalg.eigvalsh(_positive(x)),
        variants=tuple(call(a) for a in _SQUARES),
        dtypes=_REAL,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="svd",
        function=_svd_product,
        reference=lambda x, full_matrices=False: x,
        variants=(
            call(Values((4, 4))),
            call(Values((2, 3, 5))),
            call(Values((5, 3))),
            call(Values((3, 4)), full_matrices=True),
            call(Values((4, 3)), full_matrices=True),
        ),
        dtypes=_REAL,
        differentiable=(0,),
        lossy=True,
        needs="sizes",
    ),
    Record(
        name="singular_values",
        function=lambda x: decomposing.svd(x, compute_uv=False),
        reference=lambda x: np.linalg.svd(x, compute_uv=False),
        variants=(call(Values((4, 4))), call(Values((2, 3, 5))), call(Values((9, 2))), call(Values((0, 2)))),
        dtypes=_REAL,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="qr",
        function=_qr_product,
        reference=lambda x, full_matrices=False: x,
        variants=(call(Values((4, 4))), call(Values((2, 5, 3)))),
        dtypes=_DTYPES,
        differentiable=(0,),
        lossy=True,
        needs="sizes",
    ),
    Record(
        name="qr_full",
        function=lambda x: _qr_product(x, full_matrices=True),
        reference=lambda x: x,
        variants=(call(Values((3, 5))), call(Values((2, 5, 3)))),
        dtypes=_DTYPES,
        lossy=True,
    ),
    Record(
        name="qr_projection",
        function=_qr_projection,
        reference=lambda x: (x @ np.linalg.pinv(x), _adjoint(x) @ x),
        variants=(call(Values((5, 3))), call(Values((4, 4)))),
        dtypes=("float64",),
        differentiable=(0,),
        lossy=True,
        needs="sizes",
    ),
    Record(
        name="matrix_exponential",
        function=matrix_function.matrix_exponential,
        reference=scipy.linalg.expm,
        variants=(call(Values((4, 4), -0.1, 0.1)), call(Values((2, 4, 4), -1, 1)), call(Values((4, 4), -2, 2))),
        dtypes=_DTYPES,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="matrix_logarithm",
        function=lambda x: matrix_function.matrix_logarithm(_shifted(x)),
        reference=lambda x: _each(scipy.linalg.logm)(_shifted(x)),
        variants=tuple(call(a) for a in _SQUARES),
        dtypes=("complex64", "complex128"),
        lossy=True,
    ),
    Record(
        name="matrix_square_root",
        function=lambda x: matrix_function.matrix_square_root(_shifted(x)),
        reference=lambda x: _each(scipy.linalg.sqrtm)(_shifted(x)),
        variants=tuple(call(a) for a in _SQUARES),
        dtypes=_DTYPES,
        differentiable=(0,),
        lossy=True,
    ),
    Record(
        name="norm",
        function=norm.norm,
        reference=lambda x, ord="euclidean", axis=None, keepdims=False: np.linalg.norm(
            x.reshape(-1) if axis is None else x,
            None if ord == "euclidean" else ord,
            0 if axis is None else axis,
            keepdims,
        ),
        variants=(
            call(Values((2, 3, 4))),
            call(Values((2, 3, 4)), ord=3, axis=1),
            call(Values((2, 3, 4)), ord=1, axis=(0, 2)),
            call(Values((2, 3, 4)), ord=np.inf, axis=(1, 2), keepdims=True),
            call(Values((2, 3, 4)), ord=2, axis=(2, 0)),
            call(Values((2, 3, 4)), ord=2, axis=(-2, -1), keepdims=True),
        ),
        dtypes=_REAL,
        differentiable=(0,),
        lossy=True,
        refused=(
            Refused(lambda: norm.norm(constant([1.0]), ord="fro"), ValueError, "supported vector norm"),
            Refused(lambda: norm.norm(constant([[1.0]]), ord=3, axis=(0, 1)), ValueError, "supported matrix norm"),
            Refused(lambda: norm.norm(constant([[1.0]]), axis=(1, 1)), ValueError, "2 unique integers"),
        ),
    ),
    Record(
        name="einsum",
        function=lambda *inputs, equation: einsum(equation, *inputs),
        reference=lambda *inputs, equation: np.einsum(equation, *inputs),
        variants=(
            call(Values((2, 3)), Values((3, 4)), equation="ij,jk->ik"),
            call(Values((2, 3, 4)), Values((2, 5, 4)), equation="aij,akj->aik"),
            call(Values((2, 3, 4)), Values((4, 3, 5)), equation="ijk,kjl->li"),
            call(Values((2, 3)), Values((4,)), equation="ij,k->kji"),
            call(Values((2, 3)), Values((2, 3)), equation="ij,ij->"),
            call(Values((2, 3)), Values((2, 3)), equation="...j,...j->..."),
            # TF 1.x: the batch of the left input must be the larger one where sizes are unknown.
            call(Values((2, 5, 3, 4)), Values((1, 4, 2)), equation="...ij,...jk->...ik"),
        ),
        dtypes=_DTYPES,
        differentiable=(0, 1),
        lossy=True,
        needs="rank",
        refused=(
            Refused(lambda: einsum("ij->k", constant([[1.0]])), ValueError, "Invalid equation"),
            Refused(lambda: einsum("ij,jk", constant([[1.0]])), ValueError, "expecting 2"),
            Refused(lambda: einsum("i-j", constant([[1.0]])), ValueError, "incorrect format"),
            Refused(lambda: einsum("ii->i", constant([[1.0]])), ValueError, "more than once"),
            Refused(lambda: einsum("ijk->i", constant([[1.0]])), ValueError, "number of dimensions"),
            Refused(lambda: einsum("ij->i", constant([[1.0]]), wrong=1), TypeError, "wrong"),
        ),
    ),
]
