"""`tf.manip`: moving the elements of tensors."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.ops.array.indexing import gather_nd as gather_nd, scatter_nd as scatter_nd
from ferroflow._src.ops.array.shaping import (
    batch_to_space_nd as batch_to_space_nd,
    reshape as reshape,
    reverse as reverse,
    roll as roll,
    space_to_batch_nd as space_to_batch_nd,
    tile as tile,
)

_tell_absent(globals())
