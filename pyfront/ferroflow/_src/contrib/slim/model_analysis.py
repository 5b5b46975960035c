"""The sizes of the variables and operations of a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def tensor_description(var: Any) -> str:
    """Returns the dtype and shape of a tensor as text.

    Args:
        var: Tensor or Variable, of any dtype and known rank.

    Returns:
        str such as "(float32 3x4)"; a variable without a resource has "float32_ref".
    """
    return f"({var.dtype.name} {'x'.join(str(size) for size in var.get_shape())})"


def analyze_ops(graph: Any, print_info: bool = False) -> int:
    """Adds up the elements of the outputs of all operations.

    Args:
        graph: Graph.
        print_info: bool. If True, a line about each operation is printed.

    Returns:
        int; outputs of unknown size count nothing.
    """
    if print_info:
        print("---------", "Operations: name -> (type shapes) [size]", "---------", sep="\n")
    total = 0
    for op in graph.get_operations():
        shapes = [x.get_shape() for x in op.outputs]
        size = sum(shape.num_elements() or 0 for shape in shapes)
        if print_info:
            described = ", ".join(
                tensor_description(x) for x, shape in zip(op.outputs, shapes, strict=True) if shape.ndims is not None
            )
            print(op.name, "\t->", described, f"[{size}]")
        total += size
    return total


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """Adds up the elements of variables and their bytes.

    Args:
        variables: Variables.
        print_info: bool. If True, a line about each variable is printed, and the sums.

    Returns:
        (elements, bytes).
    """
    if print_info:
        print("---------", "Variables: name (type shape) [size]", "---------", sep="\n")
    total_size = total_bytes = 0
    for var in variables:
        size = var.get_shape().num_elements() or 0
        taken = size * var.dtype.size
        total_size, total_bytes = total_size + size, total_bytes + taken
        if print_info:
            print(var.name, tensor_description(var), f"[{size}, bytes: {taken}]")
    if print_info:
        print(f"Total size of variables: {total_size}")
        print(f"Total bytes of variables: {total_bytes}")
    return total_size, total_bytes
