"""Reading event files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.base.files.record_files import tf_record_iterator
from ferroflow._src.base.stored_messages import stored_message


def summary_iterator(path: str) -> Iterator[Any]:
    """Reads the events of a file, one after the other.

    Args:
        path: str, name of an event file.

    Yields:
        `Event` messages.

    Raises:
        tf.errors.NotFoundError: if the file does not exist.
        tf.errors.DataLossError: if the file is damaged or cut short.
    """
    for number, record in enumerate(tf_record_iterator(path)):
        yield stored_message(proto.Event, record, f"{path}; record {number}")
