"""`tf.sets`: sets in the last dimension of tensors."""

from ferroflow._src.ops.sparse.sets import (
    set_difference as difference,
)
from ferroflow._src.ops.sparse.sets import (
    set_difference as set_difference,
)
from ferroflow._src.ops.sparse.sets import (
    set_intersection as intersection,
)
from ferroflow._src.ops.sparse.sets import (
    set_intersection as set_intersection,
)
from ferroflow._src.ops.sparse.sets import (
    set_size as set_size,
)
from ferroflow._src.ops.sparse.sets import (
    set_size as size,
)
from ferroflow._src.ops.sparse.sets import (
    set_union as set_union,
)
from ferroflow._src.ops.sparse.sets import (
    set_union as union,
)

__all__ = ["difference", "intersection", "set_difference", "set_intersection", "set_size", "set_union", "size", "union"]
