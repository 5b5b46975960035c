"""The view that a conversion has of one operation: inputs under ONNX names, attributes, and nodes to add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ferroflow._src.framework.handles import Operation


class NotConvertible(Exception):
    """Error: a graph cannot be written as ONNX; its text has a line for each operation, with node and reason."""


class Conversion(NamedTuple):
    """The ONNX form of an op.

    Attributes:
        onnx: str, the ONNX operators that stand for it.
        convert: function of a `Call` that returns the ONNX name of the output, or a list of names.
        limits: str, what is not converted; "" if all is.
    """

    onnx: str
    convert: Callable[[Call], Any]
    limits: str = ""


class Call:
    """One operation under conversion.

    Args:
        op: Operation of the imported graph.
        inputs: list of str, the ONNX names of its inputs.
        values: dict from positions of inputs to arrays: those that no feed changes.
        add: function that adds an ONNX node: its operator, inputs, number of outputs and attributes.
        constant: function that adds an initializer and returns its name.
    """

    def __init__(
        self,
        op: Operation,
        inputs: Sequence[str],
        values: dict[int, np.ndarray[Any, Any]],
        add: Callable[[str, Sequence[str], int, dict[str, Any]], list[str]],
        constant: Callable[[Any], str],
    ) -> None:
        self.op = op
        self.inputs = list(inputs)
        self.const = constant
        self._values = values
        self._add = add

    def attr(self, name: str, default: Any = None) -> Any:
        """Returns an attribute of the operation, or the default if it has none."""
        try:
            return self.op.get_attr(name)
        except ValueError:
            return default

    def fail(self, reason: str) -> NotConvertible:
        """Returns the error for this operation; the caller raises it."""
        return NotConvertible(f"{self.op.type} (node '{self.op.name}'): {reason}")

    def value(self, i: int, what: str) -> Any:
        """Returns the array of an input that must be constant; raises NotConvertible if a feed changes it."""
        if i not in self._values:
            raise self.fail(f"{what} depends on what is fed")
        return self._values[i]

    def value_or_none(self, i: int) -> Any:
        """Returns the array of a constant input, or None."""
        return self._values.get(i)

    def dtype(self, i: int = 0) -> Any:
        """Returns the dtype of an input."""
        return self.op.inputs[i].dtype.base_dtype

    def numpy_dtype(self, i: int = 0) -> Any:
        """Returns the NumPy type of an input."""
        return self.dtype(i).as_numpy_dtype

    def shape(self, i: int = 0) -> list[int | None]:
        """Returns the shape of an input, None for dimensions that are not known; raises if the rank is not known."""
        found = self.op.inputs[i].shape
        if found.ndims is None:
            raise self.fail(f"the rank of input {i} is not known")
        dims: list[int | None] = found.as_list()
        return dims

    def rank(self, i: int = 0) -> int:
        """Returns the rank of an input; raises NotConvertible if it is not known."""
        return len(self.shape(i))

    def node(self, operator: str, *inputs: str, **attrs: Any) -> str:
        """Adds an ONNX node with one output, and returns the output's name."""
        return self._add(operator, inputs, 1, attrs)[0]

    def nodes(self, operator: str, count: int, *inputs: str, **attrs: Any) -> list[str]:
        """Adds an ONNX node with several outputs, and returns their names."""
        return self._add(operator, inputs, count, attrs)

    def ints(self, *values: int) -> str:
        """Returns the name of a new constant: a vector of int64."""
        return self.const(np.array(values, np.int64))

    def int64(self, i: int) -> str:
        """Returns an input as int64."""
        if i in self._values:
            return self.const(self._values[i].astype(np.int64))
        return self.inputs[i] if self.dtype(i).name == "int64" else self.cast(self.inputs[i], np.int64)

    def vector(self, i: int) -> str:
        """Returns a scalar or vector input as a vector of int64."""
        if i in self._values:
            return self.ints(*(int(value) for value in np.ravel(self._values[i])))
        return self.node("Reshape", self.int64(i), self.ints(-1))

    def cast(self, name: str, numpy_type: Any) -> str:
        """Returns a tensor in another type."""
        return self.node("Cast", name, to=np.dtype(numpy_type))

    def scalar(self, value: float, i: int = 0) -> str:
        """Returns the name of a new constant: a scalar of an input's type."""
        return self.const(np.array(value, self.numpy_dtype(i)))

    def transposed(self, name: str, perm: Sequence[int]) -> str:
        """Returns a tensor with its dimensions in another order."""
        return self.node("Transpose", name, perm=list(perm))
