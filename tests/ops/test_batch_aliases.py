"""The op types that TF 0.x had for batches of matrices compute what the types without `Batch` do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.ops import operators
from ferroflow._src.session.session import Session

assert operators

_RNG = np.random.default_rng(0)
_SQUARE = _RNG.uniform(-1, 1, (2, 3, 3))
_POSITIVE = _SQUARE @ _SQUARE.transpose(0, 2, 1) + 3 * np.eye(3)
_LOWER = np.linalg.cholesky(_POSITIVE)
_WAVES = (_RNG.uniform(-1, 1, (2, 4, 4, 4)) + 1j * _RNG.uniform(-1, 1, (2, 4, 4, 4))).astype(np.complex64)
_CASES: list[tuple[str, str, list[Any], dict[str, Any]]] = [
    ("BatchCholesky", "Cholesky", [_POSITIVE], {}),
    ("BatchCholeskyGrad", "CholeskyGrad", [_LOWER, _SQUARE], {}),
    ("BatchMatrixDeterminant", "MatrixDeterminant", [_SQUARE], {}),
    ("BatchMatrixInverse", "MatrixInverse", [_POSITIVE], {"adjoint": True}),
    ("BatchMatrixSolve", "MatrixSolve", [_POSITIVE, _SQUARE], {"adjoint": True}),
    ("BatchMatrixSolveLs", "MatrixSolveLs", [_POSITIVE, _SQUARE, np.float64(0.1)], {"fast": True}),
    ("BatchMatrixTriangularSolve", "MatrixTriangularSolve", [_LOWER, _SQUARE], {"lower": True}),
    ("BatchSelfAdjointEig", "SelfAdjointEig", [_POSITIVE], {}),
    ("BatchSelfAdjointEigV2", "SelfAdjointEigV2", [_POSITIVE], {"compute_v": False}),
    ("BatchSvd", "Svd", [_SQUARE], {"compute_uv": False}),
    ("BatchFFT", "FFT", [_WAVES], {}),
    ("BatchFFT2D", "FFT2D", [_WAVES], {}),
    ("BatchFFT3D", "FFT3D", [_WAVES], {}),
    ("BatchIFFT", "IFFT", [_WAVES], {}),
    ("BatchIFFT2D", "IFFT2D", [_WAVES], {}),
    ("BatchIFFT3D", "IFFT3D", [_WAVES], {}),
]


@pytest.mark.parametrize(("alias", "op_type", "inputs", "attrs"), _CASES, ids=[case[0] for case in _CASES])
def test_an_alias_computes_the_same(alias: str, op_type: str, inputs: list[Any], attrs: dict[str, Any]) -> None:
    with Graph().as_default(), Session() as session:
        nodes = [apply_op(name, [constant(x) for x in inputs], attrs or None) for name in (alias, op_type)]
        got, want = session.run([list(node.outputs) for node in nodes])
    assert [a.tobytes() for a in got] == [b.tobytes() for b in want]
