"""`tf.linalg`: linear algebra."""

from ferroflow._src.linear_operator.base import (
    LinearOperator as LinearOperator,
)
from ferroflow._src.linear_operator.base import (
    LinearOperatorAdjoint as LinearOperatorAdjoint,
)
from ferroflow._src.linear_operator.base import (
    LinearOperatorInversion as LinearOperatorInversion,
)
from ferroflow._src.linear_operator.circulant import (
    LinearOperatorCirculant as LinearOperatorCirculant,
)
from ferroflow._src.linear_operator.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from ferroflow._src.linear_operator.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from ferroflow._src.linear_operator.composite import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from ferroflow._src.linear_operator.composite import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from ferroflow._src.linear_operator.composite import (
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from ferroflow._src.linear_operator.diag import (
    LinearOperatorDiag as LinearOperatorDiag,
)
from ferroflow._src.linear_operator.full_matrix import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from ferroflow._src.linear_operator.identity import (
    LinearOperatorIdentity as LinearOperatorIdentity,
)
from ferroflow._src.linear_operator.identity import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from ferroflow._src.linear_operator.identity import (
    LinearOperatorZeros as LinearOperatorZeros,
)
from ferroflow._src.linear_operator.low_rank_update import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from ferroflow._src.linear_operator.lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from ferroflow._src.ops.linalg.decomposing import (
    qr as qr,
)
from ferroflow._src.ops.linalg.decomposing import (
    self_adjoint_eig as eigh,
)
from ferroflow._src.ops.linalg.decomposing import (
    self_adjoint_eigvals as eigvalsh,
)
from ferroflow._src.ops.linalg.decomposing import (
    svd as svd,
)
from ferroflow._src.ops.linalg.determinant import (
    log_matrix_determinant as slogdet,
)
from ferroflow._src.ops.linalg.determinant import (
    logdet as logdet,
)
from ferroflow._src.ops.linalg.determinant import (
    matrix_determinant as det,
)
from ferroflow._src.ops.linalg.einsum import (
    einsum as einsum,
)
from ferroflow._src.ops.linalg.matrix_function import (
    matrix_exponential as expm,
)
from ferroflow._src.ops.linalg.matrix_function import (
    matrix_logarithm as logm,
)
from ferroflow._src.ops.linalg.matrix_function import (
    matrix_square_root as sqrtm,
)
from ferroflow._src.ops.linalg.norm import (
    norm as norm,
)
from ferroflow._src.ops.linalg.solving import (
    cholesky as cholesky,
)
from ferroflow._src.ops.linalg.solving import (
    cholesky_solve as cholesky_solve,
)
from ferroflow._src.ops.linalg.solving import (
    matrix_inverse as inv,
)
from ferroflow._src.ops.linalg.solving import (
    matrix_solve as solve,
)
from ferroflow._src.ops.linalg.solving import (
    matrix_solve_ls as lstsq,
)
from ferroflow._src.ops.linalg.solving import (
    matrix_triangular_solve as triangular_solve,
)
from ferroflow._src.ops.math.arithmetic import (
    cross as cross,
)
from ferroflow._src.ops.math.linalg import (
    adjoint as adjoint,
)
from ferroflow._src.ops.math.linalg import (
    diag as tensor_diag,
)
from ferroflow._src.ops.math.linalg import (
    diag_part as tensor_diag_part,
)
from ferroflow._src.ops.math.linalg import (
    eye as eye,
)
from ferroflow._src.ops.math.linalg import (
    matmul as matmul,
)
from ferroflow._src.ops.math.linalg import (
    matrix_band_part as band_part,
)
from ferroflow._src.ops.math.linalg import (
    matrix_diag as diag,
)
from ferroflow._src.ops.math.linalg import (
    matrix_diag_part as diag_part,
)
from ferroflow._src.ops.math.linalg import (
    matrix_set_diag as set_diag,
)
from ferroflow._src.ops.math.linalg import (
    matrix_transpose as matrix_transpose,
)
from ferroflow._src.ops.math.linalg import (
    matrix_transpose as transpose,
)
from ferroflow._src.ops.math.linalg import (
    matvec as matvec,
)
from ferroflow._src.ops.math.linalg import (
    tensordot as tensordot,
)
from ferroflow._src.ops.math.linalg import (
    trace as trace,
)
from ferroflow._src.ops.nn.normalization import (
    l2_normalize as l2_normalize,
)

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorScaledIdentity",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "transpose",
    "triangular_solve",
]
