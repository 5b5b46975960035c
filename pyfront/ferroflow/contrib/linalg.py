"""`tf.contrib.linalg`: linear operators."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow.linalg import (
    LinearOperator as LinearOperator,
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
    LinearOperatorComposition as LinearOperatorComposition,
    LinearOperatorDiag as LinearOperatorDiag,
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
    LinearOperatorIdentity as LinearOperatorIdentity,
    LinearOperatorKronecker as LinearOperatorKronecker,
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)

_tell_absent(globals())
