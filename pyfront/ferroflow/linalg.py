"""`tf.linalg`: linear algebra."""

from ferroflow._src.ops.math.linalg import (
    diag as diag,
)
from ferroflow._src.ops.math.linalg import (
    diag_part as diag_part,
)
from ferroflow._src.ops.math.linalg import (
    eye as eye,
)
from ferroflow._src.ops.math.linalg import (
    matrix_transpose as transpose,
)
from ferroflow._src.ops.math.linalg import (
    norm as norm,
)
from ferroflow._src.ops.math.linalg import (
    tensordot as tensordot,
)
from ferroflow._src.ops.math.linalg import (
    trace as trace,
)

__all__ = ["diag", "diag_part", "eye", "norm", "tensordot", "trace", "transpose"]
