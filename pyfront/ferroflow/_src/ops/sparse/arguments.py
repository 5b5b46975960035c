"""Conversion and checks of the arguments of sparse functions."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import SparseTensor, SparseTensorValue


def as_sparse(sp_input: TensorLike) -> SparseTensor:
    """Returns a SparseTensor of a SparseTensor or SparseTensorValue.

    Args:
        sp_input: SparseTensor or SparseTensorValue.

    Returns:
        SparseTensor.

    Raises:
        TypeError: if `sp_input` is neither a SparseTensor nor a SparseTensorValue.
    """
    if isinstance(sp_input, SparseTensorValue):
        return SparseTensor.from_value(sp_input)
    if not isinstance(sp_input, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return sp_input


def as_sparse_list(sp_inputs: Any) -> list[SparseTensor]:
    """Returns `as_sparse` of each.

    Args:
        sp_inputs: list or tuple of SparseTensors and SparseTensorValues.

    Returns:
        list of SparseTensors.

    Raises:
        TypeError: if `sp_inputs` is neither list nor tuple, or an element is not sparse.
    """
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    return [as_sparse(sp_input) for sp_input in sp_inputs]
