"""Assignments of new masks and thresholds, also to variables in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation
from ferroflow._src.ops.array.joining import split
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.state.assigning import assign


def variable_assign(var: Any, new_value: TensorLike) -> Any:
    """Assigns a variable, by an operation that is named after it.

    Args:
        var: Variable.
        new_value: Tensor of the variable's dtype and shape.

    Returns:
        The variable's reference after the assignment.
    """
    return assign(var, new_value, name=f"{var.op.name}_assign")


def determine_partitioned_axis(partitioned_variable: Any) -> int:
    """Returns the axis along which a variable is divided.

    Args:
        partitioned_variable: PartitionedVariable.

    Returns:
        int.

    Raises:
        ValueError: if a part is smaller along no axis, or along several.
    """
    whole = partitioned_variable.get_shape().as_list()
    axis = 0
    for part in partitioned_variable:
        smaller = [i for i, size in enumerate(part.get_shape().as_list()) if size < whole[i]]
        if len(smaller) != 1:
            raise ValueError(f"Number of partitioned axes {len(smaller)} not equal to 1")
        axis = smaller[0]
    return axis


def partitioned_variable_assign(partitioned_var: Any, new_value: TensorLike) -> Operation:
    """Assigns all parts of a variable.

    Args:
        partitioned_var: PartitionedVariable.
        new_value: Tensor of the variable's dtype and shape.

    Returns:
        Operation that assigns the parts.
    """
    parts = list(partitioned_var)
    axis = 0 if len(parts) == 1 else determine_partitioned_axis(partitioned_var)
    sizes = np.array([part.get_shape().as_list()[axis] for part in parts])
    values = split(new_value, convert_to_tensor(sizes, dtype=dtypes.int32), axis=axis)
    assigned = [variable_assign(part, value) for part, value in zip(parts, values, strict=True)]
    return group(*assigned, name=f"{partitioned_var.name}_group_assign")
