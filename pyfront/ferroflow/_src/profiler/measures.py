"""`Measures`: the measurements of one or many nodes, and their text form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any


@dataclass
class Measures:
    """Measurements that add up: microseconds, bytes, parameters, floating-point operations, runs and nodes."""

    accelerator_micros: float = 0
    cpu_micros: float = 0
    bytes: float = 0
    peak_bytes: float = 0
    residual_bytes: float = 0
    output_bytes: float = 0
    params: float = 0
    float_ops: float = 0
    runs: float = 0
    occurrence: float = 0

    @property
    def micros(self) -> float:
        """Microseconds on all devices."""
        return self.accelerator_micros + self.cpu_micros

    def add(self, other: Measures) -> None:
        """Adds another record's numbers."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def fill(self, message: Any, prefix: str) -> None:
        """Writes them into the fields of a message, whose names have `prefix` before."""
        for name, value in (
            ("exec_micros", self.micros),
            ("accelerator_exec_micros", self.accelerator_micros),
            ("cpu_exec_micros", self.cpu_micros),
            ("requested_bytes", self.bytes),
            ("peak_bytes", self.peak_bytes),
            ("residual_bytes", self.residual_bytes),
            ("output_bytes", self.output_bytes),
            ("parameters", self.params),
            ("float_ops", self.float_ops),
        ):
            setattr(message, prefix + name, round(value))


def total(parts: Iterable[Measures]) -> Measures:
    """Returns the sum."""
    result = Measures()
    for part in parts:
        result.add(part)
    return result


def time_text(micros: float) -> str:
    """Returns microseconds in a unit that suits them."""
    if micros < 1000:
        return f"{micros:.0f}us"
    return f"{micros / 1e3:.2f}ms" if micros < 1e6 else f"{micros / 1e6:.2f}sec"


def _scaled(value: float, unit: str, units: str) -> str:
    if value < 1000:
        return f"{value:.0f}{unit}"
    for letter in units:
        value /= 1000
        if value < 1000 or letter == units[-1]:
            return f"{value:.2f}{letter}{unit}"
    return ""


def memory_text(size: float) -> str:
    """Returns bytes in a unit that suits them."""
    return _scaled(size, "B", "KMGT")


def count_text(count: float) -> str:
    """Returns a number, shortened."""
    return _scaled(count, "", "kmb")


# By what `select` and `order_by` take: heading, explanation, text of a value.
COLUMNS: dict[str, tuple[str, str, Any]] = {
    "bytes": ("requested bytes", "The memory of the operations' outputs.", memory_text),
    "peak_bytes": ("peak bytes", "The memory of the operations' outputs.", memory_text),
    "residual_bytes": ("residual bytes", "Memory left behind; it is not measured, hence 0.", memory_text),
    "output_bytes": ("output bytes", "The memory of the outputs of the operations.", memory_text),
    "micros": ("total execution time", "Time on all devices.", time_text),
    "accelerator_micros": ("accelerator execution time", "Time on accelerators, of which there are none.", time_text),
    "cpu_micros": ("cpu execution time", "Time from the start to the end of the operations.", time_text),
    "params": ("# parameters", "Elements of variables.", count_text),
    "float_ops": ("# float_ops", "Floating-point operations of one run, as far as shapes are known.", count_text),
    "occurrence": ("op occurrence", "Nodes of the graph.", count_text),
}
