"""`tf.sets`: sets in the last dimension of tensors."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.sparse.sets import (
    set_difference as difference,
    set_difference as set_difference,
    set_intersection as intersection,
    set_intersection as set_intersection,
    set_size as set_size,
    set_size as size,
    set_union as set_union,
    set_union as union,
)

__all__ = ["difference", "intersection", "set_difference", "set_intersection", "set_size", "set_union", "size", "union"]

_tell_absent(globals())
