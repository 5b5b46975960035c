"""Record files hold what was written, are TensorFlow's, and no damage or kill gives a record that was not written."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "records.json").read_text(encoding="utf-8"))
RECORDS = [record.encode("latin-1") for record in GOLDEN["records"]]
TENSORFLOW_PYTHON = "FERROFLOW_TENSORFLOW_PYTHON"

Kind = tf.python_io.TFRecordCompressionType
NAMES = {Kind.NONE: "", Kind.ZLIB: "ZLIB", Kind.GZIP: "GZIP"}


def _write(path: Path, records: list[bytes], compression: int = Kind.NONE) -> None:
    with tf.python_io.TFRecordWriter(str(path), tf.python_io.TFRecordOptions(compression)) as writer:
        for record in records:
            writer.write(record)


def _read(path: Path, compression: int = Kind.NONE) -> list[bytes]:
    return list(tf.python_io.tf_record_iterator(str(path), tf.python_io.TFRecordOptions(compression)))


@given(st.lists(st.binary(max_size=2000), max_size=20), st.sampled_from(list(NAMES)))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, records: list[bytes], kind: int) -> None:
    path = tmp_path_factory.getbasetemp() / "records"
    _write(path, records, kind)
    assert _read(path, kind) == records


def test_records_larger_than_any_buffer_are_written_and_read(tmp_path: Path) -> None:
    records = [bytes([i]) * n for i, n in enumerate([1 << 20, 3, 262_128, 262_129, 5])]
    for kind in NAMES:
        _write(tmp_path / "f", records, kind)
        assert _read(tmp_path / "f", kind) == records


@pytest.mark.parametrize("kind", NAMES)
def test_record_files_of_tensorflow_are_read(tmp_path: Path, kind: int) -> None:
    (tmp_path / "f").write_bytes(base64.b64decode(GOLDEN["files"][NAMES[kind]]))
    assert _read(tmp_path / "f", kind) == RECORDS


def test_a_record_file_is_tensorflows_to_the_byte(tmp_path: Path) -> None:
    _write(tmp_path / "f", RECORDS)
    assert (tmp_path / "f").read_bytes() == base64.b64decode(GOLDEN["files"][""])


@pytest.mark.skipif(TENSORFLOW_PYTHON not in os.environ, reason=f"needs {TENSORFLOW_PYTHON}, a Python with TensorFlow")
@pytest.mark.parametrize("kind", NAMES)
def test_tensorflow_reads_our_record_files(tmp_path: Path, kind: int) -> None:
    records = [*RECORDS, bytes(range(256)) * 3000]
    _write(tmp_path / "f", records, kind)
    program = f"""
import hashlib
import tensorflow as tf
for record in tf.data.TFRecordDataset({str(tmp_path / "f")!r}, {NAMES[kind]!r}).as_numpy_iterator():
    print(hashlib.sha1(record).hexdigest(), len(record))
"""
    done = subprocess.run(
        [os.environ[TENSORFLOW_PYTHON], "-c", program], capture_output=True, encoding="utf-8", timeout=300, check=True
    )
    assert done.stdout.split("\n")[:-1] == [f"{hashlib.sha1(r).hexdigest()} {len(r)}" for r in records]


def test_damage_names_file_and_byte_after_the_records_before_it(tmp_path: Path) -> None:
    path = tmp_path / "damaged"
    _write(path, [b"a" * 10, b"b" * 10, b"c"])
    data = bytearray(path.read_bytes())
    data[26 + 12] ^= 1
    path.write_bytes(data)
    records = tf.python_io.tf_record_iterator(str(path))
    assert next(records) == b"a" * 10
    with pytest.raises(tf.errors.DataLossError, match=r"damaged; corrupted record at 38"):
        next(records)


def test_a_file_that_is_cut_short_is_data_loss(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    _write(path, [b"abc"])
    for n in range(1, 19):
        path.write_bytes(path.read_bytes()[:-1] if n > 1 else path.read_bytes()[:18])
        with pytest.raises(tf.errors.DataLossError, match="cut; truncated record at"):
            _read(path)


def test_missing_files_and_folders_are_not_found(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="none; No such file or directory"):
        _read(tmp_path / "none")
    with pytest.raises(tf.errors.NotFoundError, match="file; No such file or directory"):
        tf.python_io.TFRecordWriter(str(tmp_path / "none" / "file"))
    with pytest.raises(tf.errors.FailedPreconditionError):
        _read(tmp_path)


def test_a_closed_writer_writes_no_more(tmp_path: Path) -> None:
    writer = tf.python_io.TFRecordWriter(str(tmp_path / "f"))
    writer.write("text")
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        writer.write(3)
    writer.flush()
    assert _read(tmp_path / "f") == [b"text"]
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError):
        writer.write(b"more")
    assert _read(tmp_path / "f") == [b"text"]


def test_options_that_no_reader_knows_are_refused() -> None:
    for wrong in (3, "LZ4"):
        with pytest.raises(ValueError, match="compression_type must be"):
            tf.python_io.TFRecordOptions(wrong)
    with pytest.raises(ValueError, match="compression_level"):
        tf.python_io.TFRecordOptions("GZIP", compression_level=10)
    assert tf.python_io.TFRecordOptions.get_compression_type_string(None) == ""


def test_a_harder_compression_makes_a_smaller_file(tmp_path: Path) -> None:
    records = [b"some words that come again and again %d" % (i % 7) for i in range(2000)]
    sizes = []
    for level in (0, 9):
        options = tf.python_io.TFRecordOptions("GZIP", compression_level=level)
        with tf.python_io.TFRecordWriter(str(tmp_path / "f"), options) as writer:
            for record in records:
                writer.write(record)
        sizes.append((tmp_path / "f").stat().st_size)
        assert _read(tmp_path / "f", Kind.GZIP) == records
    assert sizes[1] < sizes[0]


def _record(i: int) -> bytes:
    return b"%d " % i * (i * 37 % 500)


# Records until it is killed; a byte for each goes to standard output, after the record was flushed where that is asked.
WRITER = """
import os, sys
import ferroflow as tf
for path in sys.stdin:
    flushes, path = path.rstrip("\\n").split(" ", 1)
    child = os.fork()
    if child == 0:
        writer = tf.python_io.TFRecordWriter(path)
        for i in range(1 << 40):
            writer.write(b"%d " % i * (i * 37 % 500))
            if flushes == "1":
                writer.flush()
            os.write(1, b".")
    print(child, flush=True)
    os.waitpid(child, 0)
    print("dead", flush=True)
"""


def test_a_killed_writer_leaves_a_beginning_of_what_it_wrote(tmp_path: Path) -> None:
    rng = random.Random(7)
    path = os.pathsep.join([str(Path(tf.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    with subprocess.Popen(
        [sys.executable, "-c", WRITER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        for kill in range(100):
            flushes = kill % 2
            file = tmp_path / f"{kill}"
            parent.stdin.write(f"{flushes} {file}\n".encode())
            parent.stdin.flush()
            head = b""
            while not head.strip(b".").endswith(b"\n"):
                head += parent.stdout.read1(1)
            child = int(head.replace(b".", b""))
            seen = head.count(b".")
            wanted = rng.randrange(1, 1500)
            while seen < wanted:
                seen += parent.stdout.read1(wanted - seen).count(b".")
            os.kill(child, signal.SIGKILL)
            tail = parent.stdout.readline()
            seen += tail.count(b".")
            assert tail.endswith(b"dead\n")
            records: list[bytes] = []
            try:
                records.extend(tf.python_io.tf_record_iterator(str(file)))
            except tf.errors.DataLossError as error:
                assert "truncated record" in str(error)  # noqa: PT017  a cut is allowed, and nothing else
                records = _until_damage(file)
            assert records == [_record(i) for i in range(len(records))]
            assert not flushes or len(records) >= seen
        parent.stdin.close()


def _until_damage(path: Path) -> list[bytes]:
    records = []
    iterator = tf.python_io.tf_record_iterator(str(path))
    while True:
        try:
            records.append(next(iterator))
        except tf.errors.DataLossError:
            return records
