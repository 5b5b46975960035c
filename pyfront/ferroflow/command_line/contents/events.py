"""The summaries of event files."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any

import ferroflow as tf
from ferroflow._src.base import tensor_content
from ferroflow.command_line.model_files import event_files
from ferroflow.command_line.tables import print_line, print_table, size_text


@dataclass
class _Series:
    kind: str
    steps: list[int] = field(default_factory=list)
    last: str = ""


def _text(value: Any) -> str:
    """Returns a summary's value in a few words."""
    kind = value.WhichOneof("value")
    if kind == "simple_value":
        return f"{value.simple_value:.6g}"
    if kind == "histo":
        histogram = value.histo
        count = histogram.num
        mean = histogram.sum / count if count else 0.0
        return f"{count:g} values, {histogram.min:.6g} to {histogram.max:.6g}, mean {mean:.6g}"
    if kind == "image":
        return f"{value.image.width} x {value.image.height}, {size_text(len(value.image.encoded_image_string))}"
    if kind == "audio":
        return f"{value.audio.length_frames} frames at {value.audio.sample_rate:g} Hz"
    if kind == "tensor":
        array = tensor_content.make_ndarray(value.tensor)
        if array.size == 1:
            item = array.reshape(-1)[0]
            return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)
        return f"{array.dtype.name if array.dtype != object else 'string'} {list(array.shape)}"
    return "nothing"


def _kind(value: Any) -> str:
    plugin = value.metadata.plugin_data.plugin_name
    kinds = {"simple_value": "scalar", "histo": "histogram"}
    kind = value.WhichOneof("value") or "nothing"
    return kinds.get(kind, kind) if not plugin or kind != "tensor" else plugin


def _show_file(file: str) -> None:
    series: dict[str, _Series] = {}
    others: dict[str, _Series] = {}
    first = last = damage = None
    try:
        for event in tf.train.summary_iterator(file):
            first, last = first or event.wall_time, event.wall_time
            what = event.WhichOneof("what")
            if what != "summary":
                others.setdefault(what or "nothing", _Series("")).steps.append(event.step)
            for value in event.summary.value:
                one = series.setdefault(value.tag, _Series(_kind(value)))
                one.steps.append(event.step)
                one.last = _text(value)
    except tf.errors.DataLossError as failure:
        damage = failure
    rows = [
        (tag, one.kind, len(one.steps), one.steps[0], one.steps[-1], one.last) for tag, one in sorted(series.items())
    ]
    numbers = ("values", "first step", "last step")
    if rows:
        print_table(("tag", "kind", *numbers, "last value"), rows, title=f"events {file}", right=numbers)
    else:
        print_line(f"events {file}: no summaries")
    if others:
        print_line("other events: " + ", ".join(f"{name} ({len(one.steps)})" for name, one in sorted(others.items())))
    if first is not None and last is not None:
        began = datetime.datetime.fromtimestamp(first).isoformat(" ", "seconds")
        print_line(f"from {began}, for {last - first:.1f} s")
    if damage is not None:
        raise damage


def show(path: str) -> None:
    """Prints the tags, steps and last values of each file, as far as it is whole.

    Args:
        path: str, an event file, or a folder with some.

    Raises:
        tf.errors.DataLossError: if a file is damaged or truncated; records before the damage are shown first.
    """
    for file in event_files(path):
        _show_file(file)


def show_key(path: str, key: str) -> bool:
    """Prints all values of a tag, with their steps.

    Args:
        path: str, as for `show`.
        key: str, the tag.

    Returns:
        bool; True if there is one.
    """
    rows = [
        (event.step, _text(value))
        for file in event_files(path)
        for event in tf.train.summary_iterator(file)
        for value in event.summary.value
        if value.tag == key
    ]
    if rows:
        print_table(("step", "value"), rows, title=key, right=("step",))
    return bool(rows)


def keys(path: str) -> list[str]:
    """Returns the tags.

    Args:
        path: str, as for `show`.
    """
    found = {
        value.tag
        for file in event_files(path)
        for event in tf.train.summary_iterator(file)
        for value in event.summary.value
    }
    return sorted(found)
