"""`tf.manip`: moving the elements of tensors."""

from ferroflow._src.ops.array.indexing import gather_nd as gather_nd
from ferroflow._src.ops.array.indexing import scatter_nd as scatter_nd
from ferroflow._src.ops.array.shaping import batch_to_space_nd as batch_to_space_nd
from ferroflow._src.ops.array.shaping import reshape as reshape
from ferroflow._src.ops.array.shaping import reverse as reverse
from ferroflow._src.ops.array.shaping import roll as roll
from ferroflow._src.ops.array.shaping import space_to_batch_nd as space_to_batch_nd
from ferroflow._src.ops.array.shaping import tile as tile

__all__ = ["batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile"]
