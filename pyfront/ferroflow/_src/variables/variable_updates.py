"""`VariableUpdates`: the methods of variables that change their values."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ferroflow._src.base.function_families import FunctionFamily
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.composite import IndexedSlices


@FunctionFamily
def _scatter(
    op_type: str, self: VariableUpdates, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
) -> Any:
    """{what}.

    Args:
        sparse_delta: `IndexedSlices` of the variable's dtype, the rows' numbers and their values.
        use_locking: accepted; every write is atomic.
        name: str, for the operation.

    Returns:
        A tensor of the variable's dtype and shape that has the new value once the update has run.

    Raises:
        ValueError: if `sparse_delta` is not an `IndexedSlices`.
    """
    if not isinstance(sparse_delta, IndexedSlices):
        raise ValueError(f"sparse_delta is not IndexedSlices: {sparse_delta}")
    return self._update(op_type, [sparse_delta.indices, sparse_delta.values], {"use_locking": use_locking}, name)


@FunctionFamily
def _scatter_nd(
    op_type: str, self: VariableUpdates, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Any:
    """{what}.

    Args:
        indices: int32 or int64 [..., depth], the places of the slices by their first `depth` dimensions.
        updates: a tensor of the variable's dtype, [..., the rest of the variable's shape].
        name: str, for the operation.

    Returns:
        A tensor of the variable's dtype and shape that has the new value once the update has run.
    """
    return self._update(op_type, [indices, updates], {"use_locking": True}, name)


class VariableUpdates:
    """Base of variables, with the methods that change their values."""

    @abstractmethod
    def _update(self, op_type: str, arguments: list[Any], attrs: dict[str, Any], name: str | None) -> Any:
        """Returns the value after an op that changes the variable; each kind of variable has its own."""

    def _write(self, op_type: str, value: Any, use_locking: bool, name: str | None, read_value: bool) -> Any:
        written = self._update(op_type, [value], {"use_locking": use_locking}, name)
        return written if read_value else written.op

    def assign(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Assigns a value to the variable.

        Args:
            value: a tensor of the variable's dtype and shape.
            use_locking: accepted; every write is atomic.
            name: str, for the operation.
            read_value: bool. If True, return the reference tensor rather than the operation.

        Returns:
            A tensor of the variable's dtype and shape that has the new value once the assignment has run, or the
            operation.

        Raises:
            ValueError: if the shapes differ.
        """
        return self._write("Assign", value, use_locking, name, read_value)

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds to the variable.

        Args:
            delta: a tensor of the variable's dtype and shape.
            use_locking: accepted; every write is atomic.
            name: str, for the operation.
            read_value: bool. If True, return the reference tensor rather than the operation.

        Returns:
            A tensor of the variable's dtype and shape that has the new value once the update has run, or the operation.

        Raises:
            ValueError: if the shapes differ.
        """
        return self._write("AssignAdd", delta, use_locking, name, read_value)

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtracts from the variable.

        Args:
            delta: a tensor of the variable's dtype and shape.
            use_locking: accepted; every write is atomic.
            name: str, for the operation.
            read_value: bool. If True, return the reference tensor rather than the operation.

        Returns:
            A tensor of the variable's dtype and shape that has the new value once the update has run, or the operation.

        Raises:
            ValueError: if the shapes differ.
        """
        return self._write("AssignSub", delta, use_locking, name, read_value)

    scatter_update = _scatter("Variable.scatter_update", "ScatterUpdate", what="Replaces rows")
    scatter_add = _scatter("Variable.scatter_add", "ScatterAdd", what="Adds to rows")
    scatter_sub = _scatter("Variable.scatter_sub", "ScatterSub", what="Subtracts from rows")
    scatter_mul = _scatter("Variable.scatter_mul", "ScatterMul", what="Multiplies rows")
    scatter_div = _scatter("Variable.scatter_div", "ScatterDiv", what="Divides rows")
    scatter_max = _scatter(
        "Variable.scatter_max", "ScatterMax", what="Updates rows with the greater of old and given elements"
    )
    scatter_min = _scatter(
        "Variable.scatter_min", "ScatterMin", what="Updates rows with the smaller of old and given elements"
    )
    scatter_nd_update = _scatter_nd("Variable.scatter_nd_update", "ScatterNdUpdate", what="Replaces slices")
    scatter_nd_add = _scatter_nd("Variable.scatter_nd_add", "ScatterNdAdd", what="Adds to slices")
    scatter_nd_sub = _scatter_nd("Variable.scatter_nd_sub", "ScatterNdSub", what="Subtracts from slices")
