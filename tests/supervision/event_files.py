"""Reading what was written to the event files of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ferroflow as tf


def events_in(folder: Any) -> list[Any]:
    """All events of a folder, oldest file first; the writers that are open are flushed."""
    for writer in list(tf.summary.FileWriterCache._cache.values()):
        writer.flush()
    return [event for path in sorted(Path(folder).glob("events*")) for event in tf.train.summary_iterator(str(path))]


def scalars_in(folder: Any, tag: str) -> list[tuple[int, float]]:
    """(step, value) of each summary of a tag."""
    return [
        (event.step, value.simple_value)
        for event in events_in(folder)
        for value in event.summary.value
        if value.tag == tag
    ]


def statuses_in(folder: Any) -> list[tuple[int, int]]:
    """(status, step) of each session log."""
    return [(e.session_log.status, e.step) for e in events_in(folder) if e.HasField("session_log")]
