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
from ferroflow._src.linear_operator.householder import LinearOperatorHouseholder as LinearOperatorHouseholder
from ferroflow._src.linear_operator.identity import (
    LinearOperatorIdentity as LinearOperatorIdentity,
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
    LinearOperatorZeros as LinearOperatorZeros,
)
from ferroflow._src.linear_operator.low_rank_update import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from ferroflow._src.linear_operator.lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from ferroflow._src.linear_operator.toeplitz import LinearOperatorToeplitz as LinearOperatorToeplitz
from ferroflow._src.ops.linalg import matrix_function as _matrix_function
from ferroflow._src.ops.linalg.decomposing import (
    lu as lu,
    qr as qr,
    self_adjoint_eig as _self_adjoint_eig,
    self_adjoint_eigvals as _self_adjoint_eigvals,
    svd as svd,
)
from ferroflow._src.ops.linalg.determinant import (
    log_matrix_determinant as _log_matrix_determinant,
    logdet as logdet,
    matrix_determinant as _matrix_determinant,
)
from ferroflow._src.ops.linalg.einsum import einsum as einsum
from ferroflow._src.ops.linalg.norm import norm as norm, normalize as normalize
from ferroflow._src.ops.linalg.rank import matrix_rank as matrix_rank, pinv as pinv
from ferroflow._src.ops.linalg.solving import (
    cholesky as cholesky,
    cholesky_solve as cholesky_solve,
    matrix_inverse as _matrix_inverse,
    matrix_solve as _matrix_solve,
    matrix_solve_ls as _matrix_solve_ls,
    matrix_triangular_solve as _matrix_triangular_solve,
)
from ferroflow._src.ops.linalg.tridiagonal import (
    tridiagonal_matmul as tridiagonal_matmul,
    tridiagonal_solve as tridiagonal_solve,
)
from ferroflow._src.ops.math.arithmetic import cross as cross
from ferroflow._src.ops.math.clipping import global_norm as global_norm
from ferroflow._src.ops.math.linalg import (
    adjoint as adjoint,
    diag as _diag,
    diag_part as _diag_part,
    eye as eye,
    matmul as matmul,
    matrix_band_part as _matrix_band_part,
    matrix_diag as _matrix_diag,
    matrix_diag_part as _matrix_diag_part,
    matrix_set_diag as _matrix_set_diag,
    matrix_transpose as matrix_transpose,
    matvec as matvec,
    tensordot as tensordot,
    trace as trace,
)
from ferroflow._src.ops.nn.normalization import l2_normalize as l2_normalize

band_part = _matrix_band_part
det = _matrix_determinant
diag = _matrix_diag
diag_part = _matrix_diag_part
eigh = _self_adjoint_eig
eigvalsh = _self_adjoint_eigvals
expm = _matrix_function.matrix_exponential
inv = _matrix_inverse
logm = _matrix_function.matrix_logarithm
lstsq = _matrix_solve_ls
set_diag = _matrix_set_diag
slogdet = _log_matrix_determinant
solve = _matrix_solve
sqrtm = _matrix_function.matrix_square_root
tensor_diag = _diag
tensor_diag_part = _diag_part
transpose = matrix_transpose
triangular_solve = _matrix_triangular_solve

_tell_absent(globals())
