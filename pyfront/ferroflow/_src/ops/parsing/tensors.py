"""Tensors as serialized TensorProto messages."""

from __future__ import annotations

from ferroflow._src.base.typing import DTypeLike, TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """Parses a serialized TensorProto.

    Args:
        serialized: Tensor of string, of shape [].
        out_type: DType of the tensor in it.
        name: str, name of the operation.

    Returns:
        Tensor of `out_type`, of unknown shape.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if the string is not a TensorProto, or has another dtype.
    """
    return tensor_op("ParseTensor", [serialized], {"out_type": out_type}, name=name)


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Serializes a tensor.

    Args:
        tensor: Tensor of any dtype.
        name: str, name of the operation.

    Returns:
        Tensor of string, of shape []: a TensorProto.
    """
    return tensor_op("SerializeTensor", [tensor], name=name)
