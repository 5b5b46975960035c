"""`tf.contrib.linalg`: linear operators."""

from ferroflow.linalg import (
    LinearOperator as LinearOperator,
)
from ferroflow.linalg import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from ferroflow.linalg import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from ferroflow.linalg import (
    LinearOperatorDiag as LinearOperatorDiag,
)
from ferroflow.linalg import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from ferroflow.linalg import (
    LinearOperatorIdentity as LinearOperatorIdentity,
)
from ferroflow.linalg import (
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from ferroflow.linalg import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from ferroflow.linalg import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from ferroflow.linalg import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
