"""Times a step again and again, under Python 3.7 and later."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

# Seconds of measured steps.
BUDGET = 1.5


def timed(step: Callable[[], float]) -> dict[str, Any]:
    """Returns seconds of the first step, milliseconds of a step, MB of memory, and the first losses."""
    start = time.perf_counter()
    losses = [step()]
    first = time.perf_counter() - start
    losses += [step(), step()]
    samples = []
    end = time.perf_counter() + BUDGET
    while time.perf_counter() < end or len(samples) < 5:
        start = time.perf_counter()
        step()
        samples.append(time.perf_counter() - start)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"first": first, "step": statistics.median(samples) * 1e3, "memory": memory, "losses": losses}
