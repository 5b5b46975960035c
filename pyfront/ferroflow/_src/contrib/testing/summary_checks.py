"""Checks of summaries and of event files, for tests."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import proto
from ferroflow._src.summary.summary_iterator import summary_iterator

__all__ = [
    "assert_summary",
    "latest_event_file",
    "latest_events",
    "latest_summaries",
    "simple_values_from_events",
    "to_summary_proto",
]


def assert_summary(expected_tags: Iterable[str], expected_simple_values: Mapping[str, Any], summary_proto: Any) -> None:
    """Fails if a summary has other tags, or other numbers in their first two decimals.

    Args:
        expected_tags: list of str, all tags.
        expected_simple_values: dict of numbers by tag.
        summary_proto: Summary message.

    Raises:
        AssertionError: if a number differs.
        ValueError: if the tags differ.
    """
    for value in summary_proto.value:
        if value.tag in expected_simple_values:
            expected = expected_simple_values[value.tag]
            np.testing.assert_almost_equal(value.simple_value, expected, decimal=2, err_msg=value.tag)
    found, wanted = {value.tag for value in summary_proto.value}, set(expected_tags)
    if found != wanted:
        raise ValueError(f"Expected tags {wanted}, got {found}.")


def to_summary_proto(summary_str: bytes) -> Any:
    """Returns the message of a serialized summary.

    Args:
        summary_str: bytes.

    Returns:
        Summary message.
    """
    return proto.Summary.FromString(summary_str)


def latest_event_file(base_dir: str) -> str | None:
    """Returns the event file of a folder with the last name.

    Args:
        base_dir: str, the folder.

    Returns:
        str, the path; None if there is none.
    """
    return max(glob.glob(os.path.join(base_dir, "events.*")), default=None)


def latest_events(base_dir: str) -> Any:
    """Returns the events of a folder's last event file.

    Args:
        base_dir: str, the folder.

    Returns:
        iterator of Event messages; an empty list if there is no file.
    """
    path = latest_event_file(base_dir)
    return summary_iterator(path) if path else []


def latest_summaries(base_dir: str) -> list[Any]:
    """Returns the events with summaries of a folder's last event file.

    Args:
        base_dir: str, the folder.

    Returns:
        list of Event messages.
    """
    return [event for event in latest_events(base_dir) if event.HasField("summary")]


def simple_values_from_events(events: Iterable[Any], tags: Iterable[str]) -> dict[str, float]:
    """Returns the numbers of tags at their last steps.

    Args:
        events: iterable of Event messages.
        tags: list of str.

    Returns:
        dict of numbers by tag.

    Raises:
        ValueError: if a tag has something else than a number.
    """
    wanted, found = set(tags), {}
    for event in sorted(events, key=lambda event: event.step):
        for value in event.summary.value:
            if value.tag in wanted:
                if not value.HasField("simple_value"):
                    raise ValueError(f"Summary for {value.tag} is not a simple_value.")
                found[value.tag] = value.simple_value
    return found
