"""`tf.manip`: moving the elements of tensors."""

from ferroflow._src.ops.array.shaping import (
    roll as roll,
)
