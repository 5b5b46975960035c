"""`Axis` and `Axes`: the names, sizes and labels of a tensor's dimensions; the order that a scope demands."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base.tensor_shape import Dimension
from ferroflow._src.framework.default_graph import get_collection, get_default_graph

# A key that is no string, which metagraphs leave out.
_ORDER_KEY = ("__axis_order",)


class Error(TypeError):
    """An argument has a type that a function of labeled tensors does not take."""


class AxisOrderError(ValueError):
    """Axes have no consistent order, or not the demanded one."""


def check_type(value: object, kinds: Any, what: str) -> None:
    """Checks the type of an argument.

    Args:
        value: the argument.
        kinds: type or tuple of types.
        what: str, its name in messages.

    Raises:
        Error: if the argument has another type.
    """
    if not isinstance(value, kinds):
        raise Error(f"{what} has the type {type(value).__name__}, which is not allowed: {value!r}")


class Axis:
    """The name of a dimension, with its size or the labels of its positions.

    Args:
        name: str.
        value: Dimension, int or None for the size; or a sequence of labels, one for each position.

    Raises:
        Error: if an argument has another type.
        ValueError: if two labels are equal.
    """

    def __init__(self, name: str, value: Any) -> None:
        check_type(name, str, "The name of an axis")
        check_type(value, (Dimension, int, type(None), np.ndarray, range, list, tuple), f"The value of axis {name!r}")
        if value is None or isinstance(value, (int, Dimension)):
            self._dimension = value if isinstance(value, Dimension) else Dimension(value)
            self._labels: tuple[Hashable, ...] | None = () if self._dimension.value == 0 else None
        else:
            self._labels = tuple(value)
            self._dimension = Dimension(len(self._labels))
        self._name = name
        self._index = None if self._labels is None else {label: i for i, label in enumerate(self._labels)}
        if self._index is not None and len(self._index) != self._dimension.value:
            raise ValueError(f"Tick labels must be unique, but got {self._labels}")

    @property
    def name(self) -> str:
        """The name of the axis."""
        return self._name

    @property
    def dimension(self) -> Dimension:
        """The size, as a Dimension."""
        return self._dimension

    @property
    def size(self) -> int | None:
        """The size, or None if it is unknown."""
        return self._dimension.value

    @property
    def labels(self) -> tuple[Hashable, ...] | None:
        """The labels of the positions, or None."""
        return self._labels

    @property
    def value(self) -> Any:
        """The labels, or the Dimension of an axis without labels."""
        return self._dimension if self._labels is None else self._labels

    def index(self, value: Hashable) -> int:
        """Returns the position of a label.

        Args:
            value: the label.

        Returns:
            int.

        Raises:
            ValueError: if the axis has no labels.
            KeyError: if none of them is `value`.
        """
        if self._index is None:
            raise ValueError("Axis does not have tick labels")
        return self._index[value]

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self.name}', {self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axis) and (self.name, self.size, self.labels) == (other.name, other.size, other.labels)

    def __hash__(self) -> int:
        return hash((self.name, self.size, self.labels))

    def __len__(self) -> int:
        if self.size is None:
            raise ValueError(f"axis {self.name!r} has unknown length")
        return self.size


def as_axis(axis_data: Any) -> Axis:
    """Returns an axis.

    Args:
        axis_data: Axis, or tuple of its name and its value.

    Returns:
        Axis.

    Raises:
        Error: if it is neither.
    """
    if isinstance(axis_data, Axis):
        return axis_data
    check_type(axis_data, tuple, "An axis")
    if len(axis_data) != 2:
        raise Error(f"An axis is a name and a value, not {axis_data!r}")
    return Axis(*axis_data)


class Axes(Mapping[str, Axis]):
    """Several axes in their order, by name.

    Args:
        axes: list of Axis, or of tuples of a name and a value.

    Raises:
        Error: if an item is neither.
        ValueError: if two axes have one name.
    """

    def __init__(self, axes: Iterable[Any]) -> None:
        check_type(axes, Iterable, "The list of axes")
        self._axes: dict[str, Axis] = {}
        for axis in map(as_axis, axes):
            if axis.name in self._axes:
                raise ValueError(f"Duplicate axis name: {axis.name}")
            self._axes[axis.name] = axis

    def __iter__(self) -> Iterator[str]:
        return iter(self._axes)

    def __getitem__(self, name: str) -> Axis:
        return self._axes[name]

    def __len__(self) -> int:
        return len(self._axes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axes) and list(self.values()) == list(other.values())

    def __hash__(self) -> int:
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        name = type(self).__name__
        separator = ",\n" + " " * len(f"{name}([")
        return f"{name}([{separator.join(parts_of(self))}])"

    def remove(self, axis_name: str) -> Axes:
        """Returns the axes without one of them.

        Args:
            axis_name: str.

        Returns:
            Axes.

        Raises:
            KeyError: if there is no axis of that name.
        """
        if axis_name not in self._axes:
            raise KeyError(axis_name)
        return Axes([axis for axis in self.values() if axis.name != axis_name])


def parts_of(axes: Axes) -> list[str]:
    """Returns the text of each axis.

    Args:
        axes: Axes.

    Returns:
        list of str.
    """
    return [f"('{axis.name}', {axis.value!r})" for axis in axes.values()]


def concat_axes(axes: Sequence[Axis]) -> Axis:
    """Returns the axis of tensors joined along an axis.

    Args:
        axes: Axis of each tensor, all with one name.

    Returns:
        Axis.

    Raises:
        ValueError: if there is none, or the names differ.
        Error: if an item is no Axis.
    """
    if not axes:
        raise ValueError("axes must not be empty")
    for axis in axes:
        check_type(axis, Axis, "An axis")
    names = {axis.name for axis in axes}
    if len(names) > 1:
        raise ValueError(f"axes do not all have the same name: {names!r}")
    value: Any = None
    if all(axis.labels is not None for axis in axes):
        value = tuple(label for axis in axes for label in axis.labels or ())
    elif all(axis.size is not None for axis in axes):
        value = sum(len(axis) for axis in axes)
    return Axis(names.pop(), value)


def get_axis_order() -> list[str] | None:
    """Returns the names of axes in the order of the current scope, or None."""
    found = get_collection(_ORDER_KEY)
    return found[0] if found else None


def demanded_axis_order(axis_order: Sequence[str] | None) -> Sequence[str]:
    """Returns a given order, or that of the current scope.

    Args:
        axis_order: names of axes, or None.

    Returns:
        list of str.

    Raises:
        AxisOrderError: if there is none.
    """
    order = get_axis_order() if axis_order is None else axis_order
    if order is None:
        raise AxisOrderError(
            "an explicit axis order must be provided with the axis_order argument or by using an axis_order_scope"
        )
    return order


@contextlib.contextmanager
def axis_order_scope(axis_order: list[str] | None = None) -> Iterator[list[str] | None]:
    """Sets the order of axes that functions demand in a `with` block.

    Args:
        axis_order: list of str, names of axes; None for no order.

    Yields:
        The order.
    """
    order = get_default_graph().get_collection_ref(_ORDER_KEY)
    before = order[:]
    order[:] = [] if axis_order is None else [axis_order]
    try:
        yield axis_order
    finally:
        order[:] = before


def find_consistent_ordering(a: Sequence[str], b: Sequence[str]) -> list[str] | None:
    """Returns an order of all names that agrees with two orders; None if they contradict each other.

    Args:
        a: names, which come first where nothing else decides.
        b: names.

    Returns:
        list of str, or None.
    """
    ordering: list[str] = []
    rest = list(b)
    for name in a:
        if name in rest:
            # All before it in `b` come before it.
            place = rest.index(name)
            ordering += rest[:place]
            rest = rest[place + 1 :]
        elif name in b:
            return None
        ordering.append(name)
    return ordering + rest


# TensorFlow's name.
_find_consistent_ordering = find_consistent_ordering
