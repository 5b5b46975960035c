"""`tensorflow.python.eager.monitoring`: counters and gauges of a process, with a cell for each set of labels."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from ferroflow._src.base.fork_locks import RenewedLock

_Value = TypeVar("_Value")


class _Cell(Generic[_Value]):
    """The value of a metric for one set of labels."""

    def __init__(self, value: _Value) -> None:
        self._value = value
        self._lock = RenewedLock()

    def value(self) -> _Value:
        """Returns the value."""
        return self._value


class CounterCell(_Cell[int]):
    """A number that only grows."""

    def increase_by(self, value: int) -> None:
        """Adds to the number.

        Args:
            value: int, at least 0.

        Raises:
            ValueError: if `value` is negative.
        """
        if value < 0:
            raise ValueError(f"A counter cannot be increased by {value}, which is negative.")
        with self._lock:
            self._value += value


class GaugeCell(_Cell[_Value]):
    """A value that changes."""

    def set(self, value: _Value) -> None:
        """Sets the value."""
        self._value = value


class Metric:
    """A value for each set of labels.

    Args:
        name: str, name of the metric.
        description: str.
        *labels: str, the names of the labels.
    """

    _cell: ClassVar[type[_Cell[Any]]]
    _first: ClassVar[Any]

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self._name = name
        self._description = description
        self._labels = labels
        self._cells: dict[tuple[str, ...], Any] = {}

    def get_cell(self, *labels: str) -> Any:
        """Returns the cell for values of the labels; the same for the same values.

        Args:
            *labels: str, as many as the metric has labels.

        Raises:
            ValueError: if there is not one value for each label of the metric.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"The {self._name} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(labels, type(self)._cell(self._first))


class Counter(Metric):
    """Numbers that only grow."""

    _cell = CounterCell
    _first = 0


class IntGauge(Metric):
    """Integers that change."""

    _cell = GaugeCell
    _first = 0


class StringGauge(Metric):
    """Texts that change."""

    _cell = GaugeCell
    _first = ""


class BoolGauge(Metric):
    """Truth values that change."""

    _cell = GaugeCell
    _first = False
