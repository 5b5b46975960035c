"""Staging areas: tuples of tensors that one step leaves for a later one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import tensor_shape
from ferroflow._src.base.dtypes import as_dtype
from ferroflow._src.base.typing import ListLike, TensorLike
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import colocate_with, get_default_graph, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.making import identity
from ferroflow._src.ops.flow.grouping import no_op


class BaseStagingArea:
    """Base of the staging areas.

    Args:
        dtypes: list of DType, of the values of a tuple.
        shapes: list of shapes, of the values; None if they are not restricted.
        names: list of str, of the values; tuples are then dictionaries.
        shared_name: str, the name under which sessions share the area; None for one made from the class's.
        capacity: int, the most tuples it holds; 0 for any number.
        memory_limit: int, the most bytes it holds; 0 for any number.

    Raises:
        ValueError: if the lists have different lengths, or `shared_name` is not a str.
    """

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Sequence[Any] | None = None,
        names: ListLike | None = None,
        shared_name: str | None = None,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        if shared_name is None:
            self._name = get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError("shared_name must be a string")
        self._dtypes = dtypes
        if shapes is None:
            self._shapes = [tensor_shape.unknown_shape() for _ in dtypes]
        else:
            if len(shapes) != len(dtypes):
                raise ValueError("StagingArea shapes must be the same length as dtypes")
            self._shapes = [tensor_shape.TensorShape(shape) for shape in shapes]
        if names is not None and len(names) != len(dtypes):
            raise ValueError("StagingArea names must be the same length as dtypes")
        self._names = names
        self._capacity = capacity
        self._memory_limit = memory_limit
        # All operations on the area are placed where this one is.
        with name_scope(f"{self._name}_root"):
            self._coloc_op = no_op()

    @property
    def name(self) -> str:
        """The name of the area."""
        return self._name

    @property
    def dtypes(self) -> Any:
        """The dtypes of the values."""
        return self._dtypes

    @property
    def shapes(self) -> list[tensor_shape.TensorShape]:
        """The shapes of the values."""
        return self._shapes

    @property
    def names(self) -> Any:
        """The names of the values; None if tuples are not dictionaries."""
        return self._names

    @property
    def capacity(self) -> int:
        """The most tuples it holds; 0 for any number."""
        return self._capacity

    @property
    def memory_limit(self) -> int:
        """The most bytes it holds; 0 for any number."""
        return self._memory_limit

    def _attrs(self) -> dict[str, Any]:
        bounds = {"capacity": self._capacity, "memory_limit": self._memory_limit}
        return {"dtypes": [as_dtype(dtype) for dtype in self._dtypes], "shared_name": self._name, **bounds}

    def _checked(self, vals: Any, indices: Any = None) -> tuple[list[Tensor], list[int]]:
        """Returns the values as tensors, and their positions in a tuple."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(vals).issubset(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. "
                    f"Dictionary: ({sorted(vals)}), Queue: ({sorted(self._names)})"
                )
            present = [(vals[name], i) for i, name in enumerate(self._names) if name in vals]
            vals, indices = [value for value, _ in present], [i for _, i in present]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a staging area with names")
            if indices is None:
                raise ValueError("Indices must be supplied when inserting a list of tensors")
            if not isinstance(vals, list | tuple):
                vals, indices = [vals], [0]
            if len(indices) != len(vals):
                raise ValueError(f"Number of indices '{len(indices)}' doesn't match number of values '{len(vals)}'")
        if len(vals) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs '{len(vals)}' vs '{len(self._dtypes)}'")
        tensors = []
        for value, i in zip(vals, indices, strict=True):
            dtype = self._dtypes[i]
            if value.dtype != dtype:
                raise ValueError(f"Datatypes do not match. '{value.dtype}' != '{dtype}'")
            value.get_shape().assert_is_compatible_with(self._shapes[i])
            tensors.append(convert_to_tensor(value, dtype=dtype, name=f"component_{i}"))
        return tensors, list(indices)

    def _here(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """Returns the values on the current device."""
        if no_op().device != self._coloc_op.device:
            return [identity(tensor) for tensor in tensors]
        return list(tensors)

    def _result(self, tensors: Sequence[Tensor], indices: Sequence[int]) -> Any:
        tensors = self._here(tensors)
        for tensor, i in zip(tensors, indices, strict=True):
            tensor.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: tensor for tensor, i in zip(tensors, indices, strict=True)}
        return tensors

    @staticmethod
    def _scope_values(vals: Any) -> list[Any]:
        if isinstance(vals, dict):
            return list(vals.values())
        return list(vals) if isinstance(vals, list | tuple) else [vals]


class StagingArea(BaseStagingArea):
    """Tuples that leave in the order in which they entered.

    Args:
        dtypes: list of DType, of the values of a tuple.
        shapes: list of shapes, of the values; None if they are not restricted.
        names: list of str, of the values; tuples are then dictionaries.
        shared_name: str, the name under which sessions share the area; None for one made from the class's.
        capacity: int, the most tuples it holds; 0 for any number.
        memory_limit: int, the most bytes it holds; 0 for any number.

    Raises:
        ValueError: if the lists have different lengths, or `shared_name` is not a str.
    """

    def put(self, values: TensorLike, name: str | None = None) -> Operation:
        """Stores a tuple, once there is room.

        Args:
            values: Tensor of the area's dtype and shape, list of Tensors of those of its components, or dictionary of
                them where the area has names.
            name: str, name of the operation.

        Returns:
            Operation that removes them.

        Raises:
            ValueError: if values have other names, dtypes or shapes than the area's.
        """
        with name_scope(name, f"{self._name}_put", self._scope_values(values)) as scope:
            given = values if isinstance(values, list | tuple | dict) else [values]
            tensors, _ = self._checked(given, list(range(len(given))))
            attrs = {key: value for key, value in self._attrs().items() if key != "dtypes"}
            with colocate_with(self._coloc_op):
                return apply_op("Stage", [tensors], attrs, name=scope)

    def get(self, name: str | None = None) -> Any:
        """Removes and returns the oldest tuple, once there is one.

        Args:
            name: str, name of the operation.

        Returns:
            list of Tensors of the area's dtypes and shapes, or dictionary of them where the area has names.
        """
        with colocate_with(self._coloc_op):
            op = apply_op("Unstage", [], self._attrs(), name=f"{self._name}_get" if name is None else name)
        return self._result(op.outputs, range(len(self._dtypes)))

    def peek(self, index: TensorLike, name: str | None = None) -> Any:
        """Returns the tuple at a position without removing it; waits until there is one.

        Args:
            index: Tensor of int32, of shape []; 0 is the oldest.
            name: str, name of the operation.

        Returns:
            As `get`.
        """
        with colocate_with(self._coloc_op):
            op = apply_op("StagePeek", [index], self._attrs(), name=f"{self._name}_peek" if name is None else name)
        return self._result(op.outputs, range(len(self._dtypes)))

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of tuples.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int32, of shape [].
        """
        return tensor_op("StageSize", [], self._attrs(), name=f"{self._name}_size" if name is None else name)

    def clear(self, name: str | None = None) -> Operation:
        """Removes all elements of the area.

        Args:
            name: str, name of the operation.

        Returns:
            Operation that removes them.
        """
        return apply_op("StageClear", [], self._attrs(), name=f"{self._name}_clear" if name is None else name)


class MapStagingArea(BaseStagingArea):
    """Tuples found by their keys, whose values may enter and leave separately.

    Args:
        dtypes: as the base class, and so are those not described here.
        shapes: list of shapes.
        names: list of str.
        shared_name: str.
        ordered: bool. If True, the tuple with the least key is taken if no key is given.
        capacity: int.
        memory_limit: int.
    """

    def __init__(
        self,
        dtypes: Sequence[Any],
        shapes: Sequence[Any] | None = None,
        names: ListLike | None = None,
        shared_name: str | None = None,
        ordered: bool = False,
        capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._prefix = "OrderedMap" if ordered else "Map"

    def put(
        self, key: TensorLike, vals: ListLike, indices: ListLike | None = None, name: str | None = None
    ) -> Operation:
        """Stores values for `key`, once there is room.

        Args:
            key: Tensor of int64, of shape [].
            vals: list of tensors, or dictionary of them where the area has names.
            indices: list of int, the positions of the values in the tuple; not for a dictionary.
            name: str, name of the operation.

        Returns:
            Operation that removes them.

        Raises:
            ValueError: if values have other names, dtypes or shapes than the area's.
        """
        with name_scope(name, f"{self._name}_put", self._scope_values(vals)) as scope:
            tensors, places = self._checked(vals, indices)
            with colocate_with(self._coloc_op):
                return apply_op(f"{self._prefix}Stage", [key, places, tensors], self._attrs(), name=scope)

    def _places(self, indices: Any) -> list[int]:
        """Returns the positions of values in a tuple, from positions or names."""
        if indices is None:
            return list(range(len(self._dtypes)))
        if not isinstance(indices, list | tuple):
            raise TypeError(f"Invalid indices type '{type(indices)}'")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError(
                    f"String indices provided '{indices}', but this Staging Area was not created with names."
                )
            for name in indices:
                if name not in self._names:
                    raise ValueError(f"Named index '{name}' not in Staging Area names '{self._names}'")
            return [list(self._names).index(name) for name in indices]
        if not all(isinstance(i, int) for i in indices):
            raise TypeError(f"Mixed types in indices '{indices}'. May only be str or int")
        return list(indices)

    def _taking(self, op: str, inputs: list[Any], places: list[int], name: str) -> Operation:
        attrs = {**self._attrs(), "dtypes": [as_dtype(self._dtypes[i]) for i in places]}
        with colocate_with(self._coloc_op):
            return apply_op(self._prefix + op, [*inputs, places], attrs, name=name)

    def peek(self, key: TensorLike, indices: ListLike | None = None, name: str | None = None) -> Any:
        """Returns values of the tuple of a key, which stay, once it is complete.

        Args:
            key: Tensor of int64, of shape [].
            indices: list of int or str, which values; None for all.
            name: str, name of the operation.

        Returns:
            list of Tensor, or dictionary of them where the area has names.
        """
        places = self._places(indices)
        op = self._taking("Peek", [key], places, f"{self._name}_pop" if name is None else name)
        return self._result(op.outputs, places)

    def get(
        self, key: TensorLike | None = None, indices: ListLike | None = None, name: str | None = None
    ) -> tuple[Any, Any]:
        """Removes and returns the values for `key`, once the tuple is complete; without a key, those of any complete
        tuple.

        Args:
            key: Tensor of int64, of shape []; None for any.
            indices: list of int or str, which values; None for all. The others stay.
            name: str, name of the operation.

        Returns:
            The key, and the values: list of Tensor, or dictionary of them where the area has names.
        """
        places = self._places(indices)
        if key is not None:
            op = self._taking("Unstage", [key], places, f"{self._name}_get" if name is None else name)
            return key, self._result(op.outputs, places)
        op = self._taking("UnstageNoKey", [], places, f"{self._name}_get_nokey" if name is None else name)
        return self._here(op.outputs[:1])[0], self._result(op.outputs[1:], places)

    def size(self, name: str | None = None) -> Tensor:
        """Returns the number of complete tuples.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int32, of shape [].
        """
        name = f"{self._name}_size" if name is None else name
        return tensor_op(f"{self._prefix}Size", [], self._attrs(), name=name)

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """Returns the number of tuples of which values are missing.

        Args:
            name: str, name of the operation.

        Returns:
            Tensor of int32, of shape [].
        """
        name = f"{self._name}_incomplete_size" if name is None else name
        return tensor_op(f"{self._prefix}IncompleteSize", [], self._attrs(), name=name)

    def clear(self, name: str | None = None) -> Operation:
        """Removes all elements of the area.

        Args:
            name: str, name of the operation.

        Returns:
            Operation that removes them.
        """
        name = f"{self._name}_clear" if name is None else name
        return apply_op(f"{self._prefix}Clear", [], self._attrs(), name=name)
