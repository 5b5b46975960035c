"""`GraphElements`: the operations and tensors of a graph, found by name."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import compat
from ferroflow._src.framework.handles import GraphHandles, Operation, Tensor


class GraphElements(GraphHandles):
    """The part of `Graph` that returns the operation or tensor of a name or an object."""

    def get_operations(self) -> list[Operation]:
        """Returns all operations, in the order they were made."""
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """Returns the operation of that name.

        Args:
            name: str, scopes included.

        Returns:
            Operation.

        Raises:
            TypeError: if `name` is not a string.
            ValueError: if `name` is a tensor's.
            KeyError: if there is none of that name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        op: Operation = self.as_graph_element(name, allow_tensor=False, allow_operation=True)
        return op

    # TF 1.x's name, which programs call.
    _get_operation_by_name_unsafe = get_operation_by_name

    def get_tensor_by_name(self, name: str) -> Tensor:
        """Returns the tensor of that name.

        Args:
            name: str, such as `op_name:0`, scopes included.

        Returns:
            Tensor, of whatever dtype and shape it has.

        Raises:
            TypeError: if `name` is not a string.
            ValueError: if `name` is an operation's.
            KeyError: if there is none of that name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        tensor: Tensor = self.as_graph_element(name, allow_tensor=True, allow_operation=False)
        return tensor

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """Returns the operation or tensor of this graph that an object refers to.

        Args:
            obj: Operation, Tensor, str or bytes with the name of one, or an object that stands for one, as a variable
                does.
            allow_tensor: bool. If True, the element may be a tensor.
            allow_operation: bool. If True, the element may be an operation.

        Returns:
            Operation, or Tensor of whatever dtype and shape it has.

        Raises:
            TypeError: if `obj` refers to no element of an allowed kind.
            ValueError: if a name is malformed, the element belongs to another graph, or neither kind is allowed.
            KeyError: if no element has that name.
        """
        if allow_tensor and allow_operation:
            types = "Tensor or Operation"
        elif allow_tensor:
            types = "Tensor"
        elif allow_operation:
            types = "Operation"
        else:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        as_element = getattr(obj, "_as_graph_element", None)
        if as_element is not None and not isinstance(obj, Operation | Tensor):
            obj = as_element()
        if isinstance(obj, str | bytes):
            return self._element_by_name(compat.as_str(obj), allow_tensor, allow_operation)
        if isinstance(obj, Tensor) and allow_tensor:
            if obj.graph is not self:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {types}.")

    _as_graph_element_locked = as_graph_element

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if ":" in name and allow_tensor:
            op_name, _, number = name.partition(":")
            if not number.isdigit():
                raise ValueError(
                    f"The name '{name}' looks a like a Tensor name, but is not a valid one. Tensor names must be of "
                    f"the form "
                    '"<op_name>:<output_index>".'
                )
            node = self._core.find(op_name)
            if node is None:
                raise KeyError(
                    f"The name '{name}' refers to a Tensor which does not exist. The operation, '{op_name}', does "
                    f"not exist in the graph."
                )
            outputs = self.operation(node).outputs
            if int(number) >= len(outputs):
                raise KeyError(
                    f"The name '{name}' refers to a Tensor which does not exist. The operation, '{op_name}', exists "
                    f"but only has {len(outputs)} outputs."
                )
            return outputs[int(number)]
        if ":" in name:
            raise ValueError(
                f"Name '{name}' appears to refer to a Tensor, not a Operation."
                if name.partition(":")[2].isdigit()
                else f"Name '{name}' is not a valid operation name."
            )
        node = self._core.find(name)
        if allow_operation:
            if node is None:
                raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")
            return self.operation(node)
        if node is not None:
            raise ValueError(
                f"The name '{name}' refers to an Operation, not a Tensor. Tensor names must be of the form "
                '"<op_name>:<output_index>".'
            )
        raise ValueError(
            f"The name '{name}' looks like an (invalid) Operation name, not a Tensor. Tensor names must be of the form "
            '"<op_name>:<output_index>".'
        )
