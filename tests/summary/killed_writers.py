"""Writes event and record files in processes that are killed at random moments, and looks at what they leave.

`python killed_writers.py FOLDER KIND KILLS SEED` prints how many records were found in all.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import ferroflow as tf

# Records between two flushes.
_FLUSHED = 7


def _payload(number: int) -> bytes:
    """What a record of that number holds, of very different lengths."""
    return struct.pack("<q", number) * (1 + number * number % 400)


class _Events:
    def __init__(self, folder: Path) -> None:
        self._writer = tf.summary.FileWriter(str(folder), flush_secs=3600)
        self.flush: Callable[[], None] = self._writer.flush

    def write(self, number: int) -> None:
        value = tf.Summary.Value(tag="n", tensor=tf.make_tensor_proto([_payload(number)]))
        self._writer.add_summary(tf.Summary(value=[value]), number)

    @staticmethod
    def read(folder: Path) -> Iterator[tuple[int, bytes]]:
        newest = max(folder.glob("events.out.tfevents.*"), key=lambda path: path.stat().st_mtime_ns, default=None)
        for event in tf.train.summary_iterator(str(newest)) if newest else ():
            for value in event.summary.value:
                yield event.step, value.tensor.string_val[0]


class _Records:
    compression = ""

    def __init__(self, folder: Path) -> None:
        options = tf.python_io.TFRecordOptions(self.compression)
        self._writer = tf.python_io.TFRecordWriter(str(folder / "records"), options)
        self.flush: Callable[[], None] = self._writer.flush

    def write(self, number: int) -> None:
        self._writer.write(_payload(number))

    @classmethod
    def read(cls, folder: Path) -> Iterator[tuple[int, bytes]]:
        if (folder / "records").exists():
            options = tf.python_io.TFRecordOptions(cls.compression)
            yield from enumerate(tf.python_io.tf_record_iterator(str(folder / "records"), options))


class _Compressed(_Records):
    compression = "GZIP"


KINDS = {"events": _Events, "records": _Records, "compressed records": _Compressed}


def _write_on(kind: type[_Events | _Records], folder: Path, flushed: int) -> None:
    """Writes until it is killed; tells a pipe how many records are flushed."""
    writer = kind(folder)
    for number in itertools.count():
        writer.write(number)
        if number % _FLUSHED == _FLUSHED - 1:
            writer.flush()
            os.write(flushed, struct.pack("<q", number + 1))


def _kill_one(kind: type[_Events | _Records], folder: Path, delay: float) -> int:
    """Kills a writer after so many seconds; checks what it left, and gives the number of its records."""
    told, telling = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        _write_on(kind, folder, telling)
    os.close(telling)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(told, "rb") as pipe:
        reports = pipe.read()
    flushed = struct.unpack("<q", reports[-8:])[0] if reports else 0
    found, failure = [], ""
    try:
        found.extend(kind.read(folder))
    except tf.errors.DataLossError as error:
        failure = error.message
    # The last record may be cut short, none may be damaged.
    assert not failure or "truncated" in failure or kind is _Compressed, failure
    assert found == [(number, _payload(number)) for number in range(len(found))]
    assert len(found) >= flushed, f"{len(found)} records of {flushed} that were flushed"
    return len(found)


def main(folder: Path, name: str, kills: int, seed: int) -> int:
    """Kills as many writers; the number of records in all."""
    rng = random.Random(seed)
    # The pace of this machine, so that the kills hit all moments: of opening, of writing, of flushing.
    began = time.monotonic()
    first = 0
    while not first:
        first = _kill_one(KINDS[name], folder, 2 * (time.monotonic() - began) + 0.005)
    pace = time.monotonic() - began
    return first + sum(_kill_one(KINDS[name], folder, rng.uniform(0.0, 2 * pace)) for _ in range(kills))


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
