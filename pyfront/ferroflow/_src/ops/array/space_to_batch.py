"""Paddings that make space divisible into blocks, and crops that remove them again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.framework.constant import constant_value
from ferroflow._src.framework.conversion import convert_index
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.ops.array import making
from ferroflow._src.ops.array.joining import stack


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the paddings for `space_to_batch_nd`, and the crops for `batch_to_space_nd` that undo what filled up the
    blocks.

    Args:
        input_shape: Tensor of int32, of shape [n]: the sizes of space.
        block_shape: Tensor of int32, of shape [n] that must be known.
        base_paddings: Tensor of int32, of shape [n, 2]: the least paddings; None for zeros.
        name: str, name scope of the operations.

    Returns:
        `(paddings, crops)`, Tensors of int32, of shape [n, 2]: the base paddings with more at the ends, and that more.
        They are
        constants where all arguments are.

    Raises:
        ValueError: if the shapes are incompatible.
    """
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        input_shape = convert_index(input_shape, name="input_shape")
        block_shape = convert_index(block_shape, name="block_shape")
        block_shape.get_shape().assert_is_fully_defined()
        block_shape.get_shape().assert_has_rank(1)
        count = block_shape.get_shape()[0].value
        if count == 0:
            return making.zeros([0, 2], dtypes.int32), making.zeros([0, 2], dtypes.int32)
        input_shape.get_shape().assert_is_compatible_with([count])
        if base_paddings is None:
            base_paddings = making.zeros([count, 2], dtypes.int32)
        else:
            base_paddings = convert_index(base_paddings, name="base_paddings")
            base_paddings.get_shape().assert_is_compatible_with([count, 2])
        sizes: Any = input_shape
        blocks: Any = block_shape
        paddings: Any = base_paddings
        values = [constant_value(t) for t in (input_shape, block_shape, base_paddings)]
        if all(value is not None for value in values):
            sizes, blocks, paddings = values
            if np.any(blocks < 1):
                raise ValueError(f"block_shape must be positive, got {blocks.tolist()}")
        before, after = paddings[:, 0], paddings[:, 1]
        more = (blocks - (sizes + before + after) % blocks) % blocks
        after = after + more
        return (
            stack([[before[i], after[i]] for i in range(count)], name="paddings"),
            stack([[0, more[i]] for i in range(count)], name="crops"),
        )
