"""`tf.linalg`: linear algebra."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.linear_operator.base import (
    LinearOperator as LinearOperator,
    LinearOperatorAdjoint as LinearOperatorAdjoint,
    LinearOperatorInversion as LinearOperatorInversion,
)
from ferroflow._src.linear_operator.circulant import (
    LinearOperatorCirculant as LinearOperatorCirculant,
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from ferroflow._src.linear_operator.composite import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
    LinearOperatorComposition as LinearOperatorComposition,
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from ferroflow._src.linear_operator.diag import LinearOperatorDiag as LinearOperatorDiag
from ferroflow._src.linear_operator.full_matrix import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from ferroflow._src.linear_operator.identity import (
    LinearOperatorIdentity as LinearOperatorIdentity,
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
    LinearOperatorZeros as LinearOperatorZeros,
)
from ferroflow._src.linear_operator.low_rank_update import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from ferroflow._src.linear_operator.lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from ferroflow._src.ops.linalg.decomposing import (
    qr as qr,
    self_adjoint_eig as eigh,
    self_adjoint_eigvals as eigvalsh,
    svd as svd,
)
from ferroflow._src.ops.linalg.determinant import (
    log_matrix_determinant as slogdet,
    logdet as logdet,
    matrix_determinant as det,
)
from ferroflow._src.ops.linalg.einsum import einsum as einsum
from ferroflow._src.ops.linalg.matrix_function import (
    matrix_exponential as expm,
    matrix_logarithm as logm,
    matrix_square_root as sqrtm,
)
from ferroflow._src.ops.linalg.norm import norm as norm
from ferroflow._src.ops.linalg.solving import (
    cholesky as cholesky,
    cholesky_solve as cholesky_solve,
    matrix_inverse as inv,
    matrix_solve as solve,
    matrix_solve_ls as lstsq,
    matrix_triangular_solve as triangular_solve,
)
from ferroflow._src.ops.math.arithmetic import cross as cross
from ferroflow._src.ops.math.linalg import (
    adjoint as adjoint,
    diag as tensor_diag,
    diag_part as tensor_diag_part,
    eye as eye,
    matmul as matmul,
    matrix_band_part as band_part,
    matrix_diag as diag,
    matrix_diag_part as diag_part,
    matrix_set_diag as set_diag,
    matrix_transpose as matrix_transpose,
    matrix_transpose as transpose,
    matvec as matvec,
    tensordot as tensordot,
    trace as trace,
)
from ferroflow._src.ops.nn.normalization import l2_normalize as l2_normalize

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

_tell_absent(globals())
