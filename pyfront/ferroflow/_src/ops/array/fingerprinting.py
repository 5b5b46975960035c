"""`fingerprint`: short numbers that stand for the rows of a tensor."""

from __future__ import annotations

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.handles import Tensor


def fingerprint(data: TensorLike, method: TensorLike = "farmhash64", name: str | None = None) -> Tensor:
    """Computes the fingerprint of each row of a tensor.

    Args:
        data: Tensor of any dtype, of rank 1 or more.
        method: Tensor of string, of shape []: "farmhash64".
        name: str, name of the operation.

    Returns:
        Tensor of uint8, of shape [rows, 8], the lowest byte first.

    Raises:
        tf.errors.InvalidArgumentError: when the step runs, if `method` is unknown.
    """
    return tensor_op("Fingerprint", [data, method], name=name)
