"""`LabeledTensor`: a tensor whose dimensions have names, and the functions that keep its elements."""

from __future__ import annotations

import contextlib
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.contrib.labeled_tensor.axes import (
    Axes,
    AxisOrderError,
    check_type,
    demanded_axis_order,
    find_consistent_ordering,
    get_axis_order,
    parts_of,
)
from ferroflow._src.framework.conversion import convert_to_tensor, register_tensor_conversion_function
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import identity as identity_tensor
from ferroflow._src.ops.array.shaping import reshape as reshape_tensor, transpose as transpose_tensor

# By name of the method, such as "__add__": set by the module of the functions.
_operators: dict[str, Callable[..., Any]] = {}


def set_operators(operators: Mapping[str, Callable[..., Any]]) -> None:
    """Sets the functions behind the operators of labeled tensors.

    Args:
        operators: functions by name, such as "add".
    """
    _operators.update(operators)


def _operator(name: str, swaps: bool = False) -> Callable[..., Any]:
    def method(self: LabeledTensor, *other: Any) -> Any:
        return _operators[name](*((*other, self) if swaps else (self, *other)))

    return method


class LabeledTensor:
    """A tensor with a name for each dimension, and labels for the positions of some.

    Operators work element by element. They match the dimensions of two labeled tensors by name.

    Args:
        tensor: Tensor of known rank.
        axes: Axes; or for each dimension its name, an Axis, or a tuple of name and value.

    Raises:
        Error: if an argument has another type.
        ValueError: if the number of axes or a known size differs from the tensor's.
    """

    def __init__(self, tensor: Tensor, axes: Any) -> None:
        check_type(tensor, Tensor, "The tensor of a LabeledTensor")
        shape = tensor.get_shape()
        if not isinstance(axes, Axes):
            given = list(axes)
            if len(given) == len(shape):
                sizes = list(shape)
                given = [(axis, sizes[i]) if isinstance(axis, str) else axis for i, axis in enumerate(given)]
            elif any(isinstance(axis, str) for axis in given):
                raise ValueError(f"Tensor rank was not equal to the number of axes: {shape!r}, {given!r}")
            axes = Axes(given)
        if len(shape) != len(axes):
            raise ValueError(f"Tensor rank was not equal to the number of axes: {shape!r}, {axes!r}")
        for dimension, axis in zip(shape, axes.values(), strict=True):
            # TF 1.x: an unknown size is neither equal nor unequal.
            if dimension != axis.size:
                raise ValueError(
                    f"Provided axis size {axis.size} does not match tensor dimension size {dimension} in tensor "
                    f"{tensor!r}"
                )
        self._tensor: Tensor = tensor
        self._axes: Axes = axes

    @property
    def tensor(self) -> Tensor:
        """The Tensor without names, of the same dtype and shape."""
        return self._tensor

    @property
    def axes(self) -> Axes:
        """The axes by name."""
        return self._axes

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._tensor.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._tensor.get_shape()

    @property
    def name(self) -> str:
        """The name of the tensor."""
        return self._tensor.name

    def get_shape(self) -> TensorShape:
        """Returns the static shape."""
        return self._tensor.get_shape()

    def _as_graph_element(self) -> Tensor:
        return self._tensor

    def __repr__(self) -> str:
        separator = ",\n" + " " * len(" axes=[")
        return (
            f"<{type(self).__name__} '{self.name}' shape={self.shape} dtype={self.dtype.name}\n"
            f" axes=[{separator.join(parts_of(self.axes))}]>"
        )

    def __getitem__(self, key: Any) -> LabeledTensor:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) != len(self.axes):
            raise ValueError(f"indexer {keys!r} must have the same length as the Tensor rank ({len(self.axes)})")
        return slice_function(self, dict(zip(self.axes, keys, strict=True)))

    def __pos__(self) -> LabeledTensor:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabeledTensor) and self.tensor is other.tensor and self.axes == other.axes

    def __hash__(self) -> int:
        return hash((id(self.tensor), self.axes))

    __abs__ = _operator("abs")
    __neg__ = _operator("neg")
    __invert__ = _operator("logical_not")
    __add__, __radd__ = _operator("add"), _operator("add", swaps=True)
    __sub__, __rsub__ = _operator("sub"), _operator("sub", swaps=True)
    __mul__, __rmul__ = _operator("mul"), _operator("mul", swaps=True)
    __truediv__, __rtruediv__ = _operator("div"), _operator("div", swaps=True)
    __div__, __rdiv__ = __truediv__, __rtruediv__
    __mod__, __rmod__ = _operator("mod"), _operator("mod", swaps=True)
    __pow__, __rpow__ = _operator("pow"), _operator("pow", swaps=True)
    __and__, __or__, __xor__ = _operator("logical_and"), _operator("logical_or"), _operator("logical_xor")
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")


def _to_tensor(value: LabeledTensor, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    return convert_to_tensor(value.tensor, dtype=dtype, name=name)


register_tensor_conversion_function(LabeledTensor, _to_tensor)


def convert_to_labeled_tensor(value: Any, dtype: Any = None, name: str | None = None) -> LabeledTensor:
    """Returns a value as a labeled tensor.

    Args:
        value: LabeledTensor; or Tensor, array or number of rank 0.
        dtype: its dtype, or None for the value's own.
        name: str, of a new tensor.

    Returns:
        LabeledTensor.

    Raises:
        Error: if it has another type.
        ValueError: if it has dimensions without names.
    """
    check_type(value, (LabeledTensor, Tensor, np.ndarray, numbers.Number, np.generic, bool, bytes, str), "The value")
    axes = value.axes if isinstance(value, LabeledTensor) else Axes([])
    tensor = convert_to_tensor(value, dtype=dtype, name=name)
    if len(tensor.get_shape()) != len(axes):
        raise ValueError(
            f"cannot automatically convert unlabeled arrays or tensors with rank>0 into LabeledTensors: {value!r}"
        )
    return LabeledTensor(tensor, axes)


@contextlib.contextmanager
def operation(name: str | None, default: str, *values: Any) -> Iterator[tuple[str, list[LabeledTensor]]]:
    """Opens the name scope of a function of labeled tensors.

    Args:
        name: str, the scope's name, or None.
        default: str, its name where there is none.
        *values: the labeled tensors that the function takes, or what can be converted to them.

    Yields:
        The name of the scope, and the labeled tensors.
    """
    if name is not None:
        check_type(name, str, "name")
    with name_scope(name, default) as scope:
        yield scope, [convert_to_labeled_tensor(value) for value in values]


def identity(labeled_tensor: Any, name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor with the same elements.

    Args:
        labeled_tensor: LabeledTensor.
        name: str, of the operation.

    Returns:
        LabeledTensor.
    """
    with operation(name, "lt_identity", labeled_tensor) as (scope, [given]):
        return LabeledTensor(identity_tensor(given.tensor, name=scope), given.axes)


def slice_function(labeled_tensor: Any, selection: Mapping[str, int | slice], name: str | None = None) -> LabeledTensor:
    """Returns a part of a labeled tensor.

    Args:
        labeled_tensor: LabeledTensor.
        selection: mapping from names of axes to a position, whose axis is dropped, or a slice of positions.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        Error: if a position is neither int nor slice.
    """
    with operation(name, "lt_slice", labeled_tensor) as (scope, [given]):
        for key in selection.values():
            check_type(key, (int, slice), "A position")
        parts = [selection.get(axis, slice(None)) for axis in given.axes]
        axes: list[Any] = []
        for axis, part in zip(given.axes.values(), parts, strict=True):
            if isinstance(part, slice):
                axes.append(axis.name if axis.labels is None else (axis.name, axis.labels[part]))
        return LabeledTensor(identity_tensor(given.tensor[tuple(parts)], name=scope), axes)


def transpose(labeled_tensor: Any, axis_order: Sequence[str] | None = None, name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor with its axes in another order.

    Args:
        labeled_tensor: LabeledTensor.
        axis_order: names of all axes; None for the reverse of their order.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        ValueError: if the names are not those of the axes.
    """
    with operation(name, "lt_transpose", labeled_tensor) as (scope, [given]):
        names = list(given.axes)
        order = names[::-1] if axis_order is None else list(axis_order)
        if sorted(order) != sorted(names):
            raise ValueError(
                f"The new axis order must have the same names as the original axes, but the new order is {order!r} "
                f"while the original order is {names!r}"
            )
        permuted = transpose_tensor(given.tensor, [names.index(axis) for axis in order], name=scope)
        return LabeledTensor(permuted, [given.axes[axis] for axis in order])


def expand_dims(labeled_tensor: Any, axes: Sequence[Any], name: str | None = None) -> LabeledTensor:
    """Returns a labeled tensor with new axes of size 1.

    Args:
        labeled_tensor: LabeledTensor.
        axes: names of all axes in their order; for a new one its name, or a tuple of its name and its label.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        AxisOrderError: if axes of the labeled tensor are missing or in another order.
    """
    with operation(name, "lt_expand_dims", labeled_tensor) as (scope, [given]):
        names = [axis if isinstance(axis, str) else axis[0] for axis in axes]
        check_axis_order(given, names)
        made: list[Any] = []
        for axis in axes:
            if isinstance(axis, str):
                made.append(given.axes.get(axis, (axis, 1)))
            else:
                made.append((axis[0], (axis[1],)))
        shape = [-1 if axis.size is None else axis.size for axis in Axes(made).values()]
        return LabeledTensor(reshape_tensor(given.tensor, shape, name=scope), made)


def check_axis_order(labeled_tensor: Any, axis_order: Sequence[str] | None = None) -> None:
    """Checks the order of a labeled tensor's axes.

    Args:
        labeled_tensor: LabeledTensor.
        axis_order: names of axes, others among them; None for the order of the scope.

    Raises:
        AxisOrderError: if an axis is missing there, or the axes have another order.
    """
    given = convert_to_labeled_tensor(labeled_tensor)
    order = demanded_axis_order(axis_order)
    relevant = [axis for axis in order if axis in given.axes]
    if len(relevant) < len(given.axes):
        raise AxisOrderError(f"not all axis names appear in the required axis order {order!r}: {given!r}")
    if relevant != list(given.axes):
        raise AxisOrderError(
            f"axes on a labeled tensor do not appear in the same order as the required axis order {order!r}: {given!r}"
        )


def impose_axis_order(
    labeled_tensor: Any, axis_order: Sequence[str] | None = None, name: str | None = None
) -> LabeledTensor:
    """Returns a labeled tensor with its axes in a demanded order.

    Args:
        labeled_tensor: LabeledTensor.
        axis_order: names of axes, others among them; None for the order of the scope.
        name: str, of the operation.

    Returns:
        LabeledTensor.

    Raises:
        AxisOrderError: if there is no order.
        ValueError: if an axis is missing in it.
    """
    with operation(name, "lt_impose_axis_order", labeled_tensor) as (scope, [given]):
        order = demanded_axis_order(axis_order)
        return transpose(given, [axis for axis in order if axis in given.axes], name=scope)


def align(
    labeled_tensor_0: Any, labeled_tensor_1: Any, name: str | None = None
) -> tuple[LabeledTensor, LabeledTensor, Axes]:
    """Returns two labeled tensors with the same names of axes, where new axes have size 1, and their joint axes.

    Args:
        labeled_tensor_0: LabeledTensor.
        labeled_tensor_1: LabeledTensor.
        name: str, of the operations.

    Returns:
        (LabeledTensor; LabeledTensor; Axes).

    Raises:
        ValueError: if axes of one name differ.
        AxisOrderError: if the orders of the axes contradict each other, or the order of the scope.
    """
    with operation(name, "lt_align", labeled_tensor_0, labeled_tensor_1) as (scope, [first, second]):
        for axis in first.axes:
            if axis in second.axes and first.axes[axis] != second.axes[axis]:
                raise ValueError(
                    f"Mismatched {axis!r} axis on input tensors: {first.axes[axis]!r} and {second.axes[axis]!r}"
                )
        joint: Mapping[str, Any] = {**second.axes, **first.axes}
        order = get_axis_order()
        if order is not None:
            check_axis_order(first, order)
            check_axis_order(second, order)
        names = (
            find_consistent_ordering(list(first.axes), list(second.axes))
            if order is None
            else [axis for axis in order if axis in joint]
        )
        if names is None:
            raise AxisOrderError(
                "No consistent axis order allows for aligning tensors with axis orders "
                f"{list(first.axes)!r} and {list(second.axes)!r} without copying data. Use transpose or "
                "impose_axis_order to reorder axes on one of more of the inputs."
            )
        return (
            expand_dims(first, names, name=f"{scope}0"),
            expand_dims(second, names, name=f"{scope}1"),
            Axes([joint[axis] for axis in names]),
        )
