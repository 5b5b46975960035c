"""Summaries of how full the queues of an input pipeline are."""

from __future__ import annotations

from ferroflow._src.base import dtypes
from ferroflow._src.ops.math.arithmetic import maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.queue.queues import QueueBase
from ferroflow._src.summary.values import scalar


def note_fraction_full(queue: QueueBase, capacity: int) -> None:
    """Adds the summary that says how full a queue is.

    Args:
        queue: QueueBase.
        capacity: int, the most elements it holds.
    """
    scalar(f"fraction_of_{capacity}_full", cast(queue.size(), dtypes.float32) * (1.0 / capacity))


def note_fraction_over(queue: QueueBase, capacity: int, min_after_dequeue: int) -> None:
    """Adds the summary that says how full a queue is above the elements that stay.

    Args:
        queue: QueueBase.
        capacity: int, the most elements it holds.
        min_after_dequeue: int, the elements that stay.
    """
    room = capacity - min_after_dequeue
    over = cast(maximum(0, queue.size() - min_after_dequeue), dtypes.float32) * (1.0 / room)
    scalar(f"fraction_over_{min_after_dequeue}_of_{room}_full", over)
