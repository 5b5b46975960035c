"""`Progbar`: a line that shows how far a loop is, and the means of values so far."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np


def _write(text: str) -> None:
    # Programs that are started without a standard output have None.
    if sys.stdout is not None:
        sys.stdout.write(text)
        sys.stdout.flush()


class Progbar:
    """A line on standard output with a bar, the time left or taken, and the means of values.

    Args:
        target: int, the number of units; None if it is not known.
        width: int, the characters of the bar.
        verbose: int, 0 to print nothing, 1 for the bar, 2 for one line without a bar at the end.
        interval: float, the least number of seconds between two images.
        stateful_metrics: names, str, of the values whose last one is shown; of others it is the mean by units.
        unit_name: str, the name of a unit: "step" or "sample".
    """

    def __init__(
        self,
        target: int | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Iterable[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        self.target, self.width, self.verbose, self.interval = target, width, verbose, interval
        self.stateful_metrics = set(stateful_metrics or ())
        self.unit_name = unit_name
        # By name: the sum of the values by units, and the units.
        self._sums: dict[str, tuple[Any, float]] = {}
        self._seen = 0
        self._shown_width = 0
        self._begin = time.time()
        self._last_picture = 0.0

    def update(self, current: int, values: Iterable[tuple[str, Any]] | None = None) -> None:
        """Shows how far the loop is.

        Args:
            current: int, the units that are done.
            values: pairs of a name, str, and the value, float, of the units since the last call.
        """
        for name, value in values or ():
            self._add(name, value, current - self._seen)
        self._seen = current
        now = time.time()
        ends = self.target is not None and current >= self.target
        if self.verbose == 1:
            if self.target is not None and not ends and now - self._last_picture < self.interval:
                return
            self._draw(current, now, ends)
        elif self.verbose == 2 and ends:
            _write(f"{self._count(current)} - {now - self._begin:.0f}s{self._means(signed=False)}\n")
        self._last_picture = now

    def add(self, n: int, values: Iterable[tuple[str, Any]] | None = None) -> None:
        """Shows that more units are done.

        Args:
            n: int, the units since the last call.
            values: as for `update`.
        """
        self.update(self._seen + n, values)

    def _add(self, name: str, value: Any, units: int) -> None:
        if name in self.stateful_metrics:
            self._sums[name] = (value, 1)
        else:
            total, before = self._sums.get(name, (0.0, 0))
            self._sums[name] = (total + value * units, before + units)

    def _draw(self, current: int, now: float, ends: bool) -> None:
        line = self._bar(current) + self._time(current, now - self._begin, ends) + self._means(signed=True)
        # TF 1.x: the line before is taken back twice, which terminals and notebooks show alike.
        back = "\b" * self._shown_width + "\r"
        padding = " " * max(0, self._shown_width - len(line))
        _write(back + line + padding + ("\n" if ends else ""))
        self._shown_width = len(line)

    def _count(self, current: int) -> str:
        digits = len(str(self.target))
        return f"{current:{digits}d}/{self.target}"

    def _bar(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        filled = int(self.width * (current / self.target)) if self.target else self.width
        head = ">" if current < self.target else "="
        return (
            f"{self._count(current)} [{('=' * (filled - 1) + head) if filled > 0 else ''}{'.' * (self.width - filled)}]"
        )

    def _time(self, current: int, seconds: float, ends: bool) -> str:
        each = seconds / current if current else 0.0
        if self.target is not None and not ends:
            return f" - ETA: {_duration(each * (self.target - current))}"
        if each >= 1 or each == 0:
            shown = f"{each:.0f}s"
        elif each >= 1e-3:
            shown = f"{each * 1e3:.0f}ms"
        else:
            shown = f"{each * 1e6:.0f}us"
        return f" - {seconds:.0f}s {shown}/{self.unit_name}"

    def _means(self, signed: bool) -> str:
        words = []
        for name, (total, units) in self._sums.items():
            mean = float(np.mean(total / max(1, units)))
            # TF 1.x: in the line without a bar, negative means have exponents.
            is_large = (abs(mean) if signed else mean) > 1e-3
            words.append(f" - {name}: {mean:.4f}" if is_large else f" - {name}: {mean:.4e}")
        return "".join(words)


def _duration(seconds: float) -> str:
    if seconds > 3600:
        return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d}:{int(seconds % 60):02d}"
    if seconds > 60:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d}"
    return f"{int(seconds)}s"
