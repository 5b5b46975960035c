"""Matrices whose rows are several variables, and peepholes, named as the oldest cells of TF 1.x name them."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.typing import DTypeLike
from ferroflow._src.framework.default_graph import add_to_collection, get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.variable_scope import get_variable_scope


def sharded_weights(name: str, shape: list[int], dtype: DTypeLike, count: int) -> Any:
    """Returns a matrix made of variables `name_0`, `name_1` and so on, each of some of its rows.

    Args:
        name: str, the beginning of the variables' names.
        shape: list of two int.
        dtype: DType of the variables.
        count: int, the number of variables.

    Returns:
        Variable or Tensor of `shape`; the same one whenever the scope is the same.

    Raises:
        ValueError: if there are more variables than rows.
    """
    rows, *others = shape
    if count > rows:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={count}")
    # The first shards have the rows that are left over.
    sizes = [rows // count + (number < rows % count) for number in range(count)]
    shards = [get_variable(f"{name}_{number}", [size, *others], dtype=dtype) for number, size in enumerate(sizes)]
    if count == 1:
        return shards[0]
    full_name = f"{get_variable_scope().name}/{name}/concat:0"
    for known in get_collection(GraphKeys.CONCATENATED_VARIABLES):
        if known.name == full_name:
            return known
    joined = concat(shards, 0, name=f"{name}/concat")
    add_to_collection(GraphKeys.CONCATENATED_VARIABLES, joined)
    return joined


def peepholes(gates: str, num_units: int, dtype: DTypeLike) -> list[Any]:
    """Returns the variables that let gates see the cell state.

    Args:
        gates: str, the letters of the gates.
        num_units: int, the number of units.
        dtype: DType of the variables.
    """
    return [get_variable(f"W_{gate}_diag", shape=[num_units], dtype=dtype) for gate in gates]
