"""Vectors that an all-reduce divides into parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.default_graph import colocate_with
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import reshape


def flattened(tensors: Sequence[Any]) -> tuple[list[Any], TensorShape]:
    """Returns tensors as vectors, and the shape that they had.

    Args:
        tensors: list of Tensors of one dtype and shape.

    Returns:
        list of Tensors with one dimension, and a TensorShape.

    Raises:
        ValueError: if there is no tensor, if shapes differ, or the shape is not known.
    """
    if not tensors:
        raise ValueError("tensors cannot be empty")
    shape = tensors[0].shape
    for tensor in tensors:
        shape = shape.merge_with(tensor.shape)
    if not shape.is_fully_defined():
        raise ValueError("Tensors must have statically known shape.")
    return (list(tensors) if shape.ndims == 1 else reshaped(tensors, [-1])), shape


def reshaped(tensors: Iterable[Any], shape: Any) -> list[Any]:
    """Returns tensors with another shape, each on the device of the tensor."""
    found = []
    for tensor in tensors:
        with colocate_with(tensor):
            found.append(reshape(tensor, shape))
    return found


def restored(vectors: list[Any], shape: TensorShape) -> list[Any]:
    """Returns vectors with the shape that `flattened` returned."""
    return vectors if shape.ndims == 1 else reshaped(vectors, shape)


def length_of(tensor: Any) -> int:
    """Returns the length of a vector; ValueError if the tensor has another rank."""
    if tensor.shape.ndims != 1:
        raise ValueError("input tensor must be 1D")
    return int(tensor.shape[0])


def padded_split(tensor: Any, pieces: int) -> tuple[list[Any], int]:
    """Divides a vector into parts of equal length.

    Args:
        tensor: Tensor of shape [length].
        pieces: int, number of parts.

    Returns:
        list of Tensors of shape [ceil(length / pieces)], and how many zeros end the last ones.

    Raises:
        ValueError: if `tensor` has another rank.
    """
    padding = -length_of(tensor) % pieces
    with colocate_with(tensor):
        whole = concat([tensor, zeros([padding], dtype=tensor.dtype)], 0) if padding else tensor
        return split(whole, pieces), padding


def strip_padding(tensors: Sequence[Any], pad_len: int) -> list[Any]:
    """Returns vectors without their last `pad_len` elements.

    Args:
        tensors: list of Tensors of one shape [length].
        pad_len: int.

    Returns:
        list of Tensors of shape [length - pad_len].

    Raises:
        ValueError: if there is no tensor, its rank is not 1, or it is shorter than `pad_len`.
    """
    if not tensors:
        raise ValueError("tensors cannot be empty")
    if tensors[0].shape.ndims > 1:
        raise ValueError("tensors must be 1D")
    kept = length_of(tensors[0]) - pad_len
    if kept < 0:
        raise ValueError("pad_len longer than tensor")
    found = []
    for tensor in tensors:
        with colocate_with(tensor):
            found.append(tensor[:kept])
    return found


def ragged_split(tensor: Any, pieces: int) -> list[Any]:
    """Divides a vector into parts of equal length, of which the last also has the rest.

    Args:
        tensor: Tensor of shape [length].
        pieces: int, number of parts.

    Returns:
        list of Tensors with one dimension.

    Raises:
        ValueError: if `tensor` has another rank.
    """
    length = length_of(tensor)
    each = length // pieces
    with colocate_with(tensor):
        return split(tensor, [each] * (pieces - 1) + [length - each * (pieces - 1)] if length % pieces else pieces)
