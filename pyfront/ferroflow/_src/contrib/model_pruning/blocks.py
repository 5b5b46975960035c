"""Blocks of matrices: pooling over blocks, and values repeated for each element of a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import scatter_nd
from ferroflow._src.ops.array.shaping import reshape, squeeze, tile, transpose
from ferroflow._src.ops.nn.pooling import pool


def _sizes(matrix: Tensor) -> list[int]:
    sizes: list[Any] = matrix.get_shape().as_list()
    return sizes


def kronecker_product(mat1: Tensor, mat2: Tensor) -> Tensor:
    """Returns the Kronecker product of two matrices.

    Args:
        mat1: Tensor of a numeric dtype, of shape [m, n].
        mat2: Tensor of the same dtype, of shape [p, q].

    Returns:
        Tensor of the same dtype, of shape [m * p, n * q].
    """
    (m, n), (p, q) = _sizes(mat1), _sizes(mat2)
    return reshape(reshape(mat1, [m, 1, n, 1]) * reshape(mat2, [1, p, 1, q]), [m * p, n * q])


def expand_tensor(tensor: Tensor, block_dims: Sequence[int]) -> Tensor:
    """Repeats each element of a matrix over a block.

    Args:
        tensor: Tensor of a numeric dtype, of shape [m, n].
        block_dims: list of two ints, the height and the width of a block.

    Returns:
        Tensor of the same dtype, of shape [m * height, n * width].

    Raises:
        ValueError: if the tensor is not a matrix, or there are not two sizes.
    """
    if tensor.get_shape().ndims != 2:
        raise ValueError("Input tensor must be rank 2")
    if len(block_dims) != 2:
        raise ValueError("block_dims must have 2 elements")
    height, width = block_dims
    expanded = tensor
    if height > 1:
        expanded = _repeat_rows(expanded, height)
    if width > 1:
        expanded = transpose(_repeat_rows(transpose(expanded), width))
    return expanded


def _repeat_rows(tensor: Tensor, times: int) -> Tensor:
    rows, columns = _sizes(tensor)
    # Copy k of row r is row r * times + k of the result.
    target = (np.arange(rows) * times + np.arange(times)[:, None]).reshape(-1, 1).astype(np.int32)
    places = constant(target)
    return scatter_nd(places, tile(tensor, [times, 1]), [rows * times, columns])


def factorized_pool(
    input_tensor: Tensor,
    window_shape: Sequence[int],
    pooling_type: str,
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Pools a matrix over its rows, then over its columns.

    Args:
        input_tensor: Tensor of a float dtype, of shape [m, n].
        window_shape: list of two ints, the height and width of windows.
        pooling_type: "MAX" or "AVG".
        strides: list of two ints, how far windows lie apart.
        padding: "SAME" or "VALID".
        name: str, name of the scope.

    Returns:
        Tensor of the same dtype, of rank 2.

    Raises:
        ValueError: if the tensor is not a matrix.
    """
    if input_tensor.get_shape().ndims != 2:
        raise ValueError("factorized_pool() accepts tensors of rank 2 only")
    height, width = input_tensor.get_shape().as_list()
    with name_scope(name, "factorized_pool"):
        pooled = reshape(input_tensor, [1, 1, height, width], name=f"{input_tensor.op.name}_aligned")
        pooled = _pool_last_but_one(pooled, window_shape[0], pooling_type, strides[0], padding)
        swapped = transpose(pooled, perm=[0, 1, 3, 2])
        pooled = _pool_last_but_one(swapped, window_shape[1], pooling_type, strides[1], padding)
    return squeeze(transpose(pooled, perm=[0, 1, 3, 2]), axis=[0, 1])


def _pool_last_but_one(tensor: Tensor, window: int, pooling_type: str, stride: Any, padding: str) -> Tensor:
    return pool(tensor, window_shape=[1, window], pooling_type=pooling_type, strides=[1, stride], padding=padding)
