"""Record files that are damaged: whoever reads them says which file, and at which byte."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ferroflow as tf

_RECORDS = [b"first", b"second record"]
# The first record takes 5 bytes and 16 around it.
_SECOND = 21


def _whole(path: Path) -> bytes:
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for record in _RECORDS:
            writer.write(record)
    return path.read_bytes()


def _crc(data: bytes) -> bytes:
    """The masked checksum that stands behind a length."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 & -(crc & 1))
    crc ^= 0xFFFFFFFF
    return ((((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")


def _flipped(whole: bytes, at: int) -> bytes:
    return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]


_ABSURD = (1 << 62).to_bytes(8, "little")
DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "header cut": (lambda w: w[: _SECOND + 7], "truncated record at 21"),
    "body cut": (lambda w: w[:-6], "truncated record at 33"),
    "length changed": (lambda w: _flipped(w, _SECOND), "corrupted record at 21"),
    "body changed": (lambda w: _flipped(w, _SECOND + 13), "corrupted record at 33"),
    "absurd length": (lambda w: w[:_SECOND] + _ABSURD + _crc(_ABSURD) + w[_SECOND + 12 :], "truncated record at 33"),
}


def _by_reader(path: str) -> Callable[[tf.Session], bytes]:
    queue = tf.FIFOQueue(1, tf.string, shapes=[()])
    put, record = queue.enqueue(path), tf.TFRecordReader().read(queue)[1]
    # The one file name comes with the first record.
    fetches = iter([[record, put], [record]])
    return lambda session: session.run(next(fetches))[0]


def _by_dataset(path: str) -> Callable[[tf.Session], bytes]:
    record = tf.data.TFRecordDataset(path).make_one_shot_iterator().get_next()
    return lambda session: session.run(record)


def _by_iterator(path: str) -> Callable[[tf.Session], bytes]:
    records = tf.python_io.tf_record_iterator(path)
    return lambda _: next(records)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("way", [_by_reader, _by_dataset, _by_iterator])
def test_a_damaged_record_is_data_loss_with_file_and_byte(tmp_path: Path, way: Any, damage: str) -> None:
    change, words = DAMAGES[damage]
    path = tmp_path / "digits.tfrecord"
    path.write_bytes(change(_whole(path)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tf.Graph().as_default(), tf.Session() as session:
        following = way(str(path))
        assert following(session) == _RECORDS[0]
        with pytest.raises(tf.errors.DataLossError, match=rf"digits\.tfrecord; {words}"):
            following(session)
    # Nothing was allocated by the length that the file states. Kibibytes on Linux.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < peak + (256 << 10)
