"""A damaged event file gives the events before the damage and an error that says so, never other events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An event file with a graph, and scalars and histograms of some steps."""
    folder = tmp_path_factory.mktemp("events")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        value = tf.placeholder(tf.float32, [4], name="v")
        merged = tf.summary.merge(
            [tf.summary.scalar("mean", tf.reduce_mean(value)), tf.summary.histogram("all", value)]
        )
        with tf.summary.FileWriter(str(folder)) as writer:
            writer.add_graph(graph)
            for step in range(3):
                writer.add_summary(session.run(merged, {value: np.arange(4) * step}), step)
    (file,) = folder.iterdir()
    return file


def _read(file: Path) -> tuple[list[bytes], bool]:
    """The events before any damage, and whether there is some."""
    found = []
    try:
        found.extend(event.SerializeToString(deterministic=True) for event in tf.train.summary_iterator(str(file)))
    except tf.errors.DataLossError:
        return found, True
    return found, False


def _flips(content: bytes) -> Iterator[bytes]:
    for at in range(len(content)):
        for bit in (0x01, 0x80, 0xFF):
            yield content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]


def test_every_flipped_byte_is_noticed(whole: Path, tmp_path: Path) -> None:
    events, damaged = _read(whole)
    assert (len(events), damaged) == (5, False)
    file = tmp_path / "events"
    for content in _flips(whole.read_bytes()):
        file.write_bytes(content)
        found, damaged = _read(file)
        assert damaged
        assert found == events[: len(found)]
        assert len(found) < len(events)


def test_every_cut_gives_the_events_before_it(whole: Path, tmp_path: Path) -> None:
    events, _ = _read(whole)
    content = whole.read_bytes()
    file = tmp_path / "events"
    at_ends = 0
    for size in range(len(content)):
        file.write_bytes(content[:size])
        found, damaged = _read(file)
        assert found == events[: len(found)]
        assert len(found) < len(events)
        at_ends += not damaged
    # Only between two events a cut cannot be told from an end.
    assert at_ends == len(events)
