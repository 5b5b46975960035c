"""An identity that prints its input with name, type and shape."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.printing import Print
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import argmax
from ferroflow._src.ops.tensor_array import TensorArray
from ferroflow._src.variables.variable import Variable

__all__ = ["print_op"]

_KINDS = ((Tensor, "Tensor"), (SparseTensor, "SparseTensor"), (TensorArray, "TensorArray"), (Variable, "Variable"))


def _kind(value: Any) -> str:
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    raise ValueError("t must be a Tensor, SparseTensor, TensorArray or Variable.")


def _description(value: Any, shows_name: bool, shows_type: bool, shows_shape: bool, finds_true: bool) -> list[Any]:
    """Returns the texts and Tensors that are printed of a value."""
    kind = _kind(value)
    parts: list[Any] = []
    if shows_name and kind == "Tensor":
        parts.append(constant(f"Name: {value.name}"))
    if shows_type:
        parts.append(constant(f"Type: {kind} ({value.dtype.name})"))
    if shows_shape and kind == "SparseTensor":
        parts += [constant("Shape:"), value.dense_shape]
    elif shows_shape and kind == "Tensor":
        parts.append(constant(f"Shape: {value.get_shape().dims}"))
    elif shows_shape and kind == "TensorArray":
        parts += [constant("Size:"), value.size()]
    if finds_true and value.dtype == dtypes.bool:
        parts += [constant("First True in Boolean tensor at:"), argmax(cast(value, dtypes.uint8), 0)]
    if kind == "SparseTensor":
        parts += [constant("Sparse indices:"), value.indices, constant("Sparse values:"), value.values]
    elif kind != "Variable":
        parts += [constant("Value:"), value.stack() if kind == "TensorArray" else value]
    return parts


def print_op(
    input_: Any,
    data: list[Any] | None = None,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_shape: bool = True,
    summarize_indicator_vector: bool = True,
    name: str | None = None,
) -> Any:
    """Prints a value whenever it is computed.

    Args:
        input_: Tensor, SparseTensor, TensorArray or Variable of any dtype and shape.
        data: list of other such values to print, or None.
        message: str, printed first.
        first_n: int, how often it is printed; None or a negative number for always.
        summarize: int, how many elements of each are printed.
        print_tensor_name: bool. If True, names are printed.
        print_tensor_type: bool. If True, dtypes are printed.
        print_shape: bool. If True, shapes are printed.
        summarize_indicator_vector: bool. If True, the place of the first True of bool values is printed.
        name: str, name of the operation.

    Returns:
        The same value, of the same kind; a Tensor for a Variable.

    Raises:
        ValueError: if it is None or something else.
    """
    if input_ is None:
        raise ValueError("input_ must be of type Tensor, SparseTensor or TensorArray")
    shown = (print_tensor_name, print_tensor_type, print_shape, summarize_indicator_vector)
    parts = [part for value in (input_, *(data or ())) for part in _description(value, *shown)]
    kind = _kind(input_)
    if kind in ("Tensor", "Variable"):
        return Print(input_, parts, message or "", first_n, summarize, name)
    printed = Print(constant([]), parts, message or "", first_n, summarize, name)
    with control_dependencies([printed]):
        if kind == "SparseTensor":
            return SparseTensor(identity(input_.indices), identity(input_.values), identity(input_.dense_shape))
        return TensorArray(dtype=input_.dtype, handle=input_.handle, flow=identity(input_.flow))
