"""Readers give the records of the files that a queue names, in order, to any number of threads."""

from __future__ import annotations

import gzip
import os
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ferroflow as tf

CLOSED = "is closed and has insufficient elements"


def _queue(names: list[Any], close: bool = True) -> tuple[Any, list[Any]]:
    """A queue of work and what to run before reading from it."""
    queue = tf.FIFOQueue(100, [tf.string], shapes=[()])
    fill = [queue.enqueue_many([[str(name) for name in names]])] if names else []
    return queue, [*fill, queue.close()] if close else fill


def _all(reader: Any, names: list[Any]) -> list[tuple[str, bytes]]:
    """Every record of the files; the reader must be of the default graph."""
    queue, first = _queue(names)
    read = reader.read(queue)
    records = []
    with tf.Session() as session:
        for op in first:
            session.run(op)
        try:
            while True:
                key, value = session.run(read)
                records.append((key.decode(), value))
        except tf.errors.OutOfRangeError as error:
            assert CLOSED in str(error)  # noqa: PT017  any other end is a failure
    return records


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def test_whole_files_and_work_itself(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    for file in files:
        file.write_bytes(file.name.encode() * 3)
    assert _all(tf.WholeFileReader(), files) == [(str(f), f.name.encode() * 3) for f in files]
    assert _all(tf.IdentityReader(), ["x", "y"]) == [("x", b"x"), ("y", b"y")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_lines_are_numbered_from_one_and_have_no_ends(tmp_path: Path, end: bytes) -> None:
    (tmp_path / "a").write_bytes(b"one" + end + end + b"three" + end)
    (tmp_path / "b").write_bytes(b"four" + end + b"five")
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    lines = [(f"{a}:1", b"one"), (f"{a}:2", b""), (f"{a}:3", b"three"), (f"{b}:1", b"four"), (f"{b}:2", b"five")]
    assert _all(tf.TextLineReader(), [a, b]) == lines
    assert _all(tf.TextLineReader(skip_header_lines=1), [a, b]) == [lines[1], lines[2], lines[4]]
    assert _all(tf.TextLineReader(skip_header_lines=9), [a, b]) == []


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [(None, bytes), ("GZIP", gzip.compress), ("ZLIB", zlib.compress)],
    ids=["none", "gzip", "zlib"],
)
def test_records_of_one_size_lie_between_header_and_footer(
    tmp_path: Path, encoding: str | None, compress: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "f").write_bytes(compress(b"HH" + b"abcdefg" + b"F"))

    def values(hop_bytes: int | None) -> list[bytes]:
        reader = tf.FixedLengthRecordReader(3, 2, 1, hop_bytes, encoding=encoding)
        records = _all(reader, [tmp_path / "f"])
        assert [key for key, _ in records] == [f"{tmp_path / 'f'}:{i}" for i in range(len(records))]
        return [value for _, value in records]

    assert values(None) == [b"abc", b"def"]
    assert values(2) == [b"abc", b"cde", b"efg"]
    assert values(4) == [b"abc", b"efg"]


@pytest.mark.parametrize("compression", [None, "ZLIB", "GZIP"])
def test_records_of_record_files_are_named_by_their_place(tmp_path: Path, compression: str | None) -> None:
    options = tf.python_io.TFRecordOptions(compression)
    for name, records in [("a", [b"1", b"22", b""]), ("b", []), ("c", [b"x" * 100_000])]:
        with tf.python_io.TFRecordWriter(str(tmp_path / name), options) as writer:
            for record in records:
                writer.write(record)
    a, c = tmp_path / "a", tmp_path / "c"
    found = _all(tf.TFRecordReader(options=options), [a, tmp_path / "b", c])
    assert found == [(f"{a}:0", b"1"), (f"{a}:17", b"22"), (f"{a}:35", b""), (f"{c}:0", b"x" * 100_000)]


def test_a_batch_ends_with_its_file(tmp_path: Path) -> None:
    for name, n in [("a", 5), ("b", 2)]:
        (tmp_path / name).write_text("".join(f"{name}{i}\n" for i in range(n)), encoding="utf-8")
    reader = tf.TextLineReader()
    queue, first = _queue([tmp_path / "a", tmp_path / "b"])
    batch = reader.read_up_to(queue, 3)[1]
    produced, completed = reader.num_records_produced(), reader.num_work_units_completed()
    with tf.Session() as session:
        for op in first:
            session.run(op)
        assert [session.run(batch).tolist() for _ in range(2)] == [[b"a0", b"a1", b"a2"], [b"a3", b"a4"]]
        assert session.run(batch).tolist() == [b"b0", b"b1"]
        assert session.run([produced, completed]) == [7, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match=CLOSED):
            session.run(batch)
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_records must be positive"):
            session.run(reader.read_up_to(queue, 0))


def test_missing_and_damaged_files_are_named_and_the_next_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"\x01" * 40)
    (tmp_path / "good").write_bytes(b"line\n")
    reader, queue = tf.TextLineReader(), _queue([tmp_path / "none", tmp_path / "good"])
    records, damaged = tf.TFRecordReader(), _queue([tmp_path / "bad"])
    read, read_record = reader.read(queue[0]), records.read(damaged[0])
    with tf.Session() as session:
        for op in queue[1] + damaged[1]:
            session.run(op)
        with pytest.raises(tf.errors.NotFoundError, match="none; No such file or directory"):
            session.run(read)
        assert session.run(read)[1] == b"line"
        with pytest.raises(tf.errors.DataLossError, match="bad; corrupted record at 0"):
            session.run(read_record)


def test_a_reader_is_reset_saved_and_restored() -> None:
    reader = tf.IdentityReader("r")
    queue, first = _queue(["a", "b", "c", "d"], close=False)
    read, produced = reader.read(queue)[1], reader.num_records_produced()
    state = tf.placeholder(tf.string, [])
    save, restore, reset = reader.serialize_state(), reader.restore_state(state), reader.reset()
    with tf.Session() as session:
        session.run(first)
        assert session.run(read) == b"a"
        saved = session.run(save)
        assert [session.run(read), session.run(produced)] == [b"b", 2]
        session.run(restore, {state: saved})
        assert [session.run(produced), session.run(read)] == [1, b"c"]
        session.run(reset)
        assert session.run(produced) == 0
        for damaged in (saved[1:], saved[:-1], saved + b"junk", b"PREFIX" + saved):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse state for IdentityReader 'r'"):
                session.run(restore, {state: damaged})
    with tf.Session() as session, pytest.raises(tf.errors.UnimplementedError):
        session.run(tf.TextLineReader().serialize_state())
    with pytest.raises(ValueError, match="rank 0"):
        reader.restore_state(["a", "b"])


def test_threads_that_read_together_get_every_record_once(tmp_path: Path) -> None:
    files = []
    for f in range(5):
        files.append(tmp_path / str(f))
        files[-1].write_text("".join(f"{f}-{i}\n" for i in range(40)), encoding="utf-8")
    reader = tf.TextLineReader()
    queue = tf.FIFOQueue(2, [tf.string], shapes=[()])
    fill, close, read = queue.enqueue_many([[str(f) for f in files]]), queue.close(), reader.read(queue)[1]
    found: list[list[bytes]] = [[] for _ in range(6)]
    with tf.Session() as session:

        def keep_reading(mine: list[bytes]) -> None:
            try:
                while True:
                    mine.append(session.run(read))
            except tf.errors.OutOfRangeError:
                return

        threads = [threading.Thread(target=keep_reading, args=(mine,), daemon=True) for mine in found]
        for thread in threads:
            thread.start()
        session.run(fill)
        session.run(close)
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    assert sorted(v for mine in found for v in mine) == sorted(b"%d-%d" % (f, i) for f in range(5) for i in range(40))


def test_a_reader_that_waits_for_work_ends_with_its_session() -> None:
    reader = tf.IdentityReader()
    queue, _ = _queue([], close=False)
    read = reader.read(queue)
    session = tf.Session()
    failures: list[Exception] = []

    def wait() -> None:
        try:
            session.run(read)
        except (tf.errors.CancelledError, RuntimeError) as error:
            failures.append(error)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    session.close()
    thread.join(60)
    assert not thread.is_alive()
    assert len(failures) == 1


def test_readers_of_one_name_are_shared_and_sizes_are_checked() -> None:
    queue, first = _queue(["a", "b"])
    one = tf.raw_ops.IdentityReaderV2(shared_name="shared")
    other = tf.raw_ops.IdentityReaderV2(shared_name="shared")
    read = tf.ReaderBase(one).read(queue)
    with tf.Session() as session:
        for op in first:
            session.run(op)
        session.run(read)
        assert session.run(tf.ReaderBase(other).num_records_produced()) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="record_bytes must be > 0"):
            session.run(tf.FixedLengthRecordReader(0).num_records_produced())


@pytest.mark.parametrize(("make", "place"), [(tf.TextLineReader, b"1"), (lambda: tf.FixedLengthRecordReader(3), b"0")])
def test_keys_have_the_bytes_of_the_files_names(tmp_path: Path, make: Callable[[], Any], place: bytes) -> None:
    name = os.fsencode(tmp_path) + b"/\xe9\xff"
    Path(os.fsdecode(name)).write_bytes(b"one")
    queue = tf.FIFOQueue(1, [tf.string], shapes=[()])
    record = make().read(queue)
    with tf.Session() as session:
        session.run(queue.enqueue(name))
        assert list(session.run(record)) == [name + b":" + place, b"one"]
