"""A damaged checkpoint gives an error that says so or the right values, never others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import ferroflow as tf

_REFUSED = (
    tf.errors.DataLossError,
    tf.errors.InvalidArgumentError,
    tf.errors.NotFoundError,
    tf.errors.UnimplementedError,
)
_VALUES = {
    "a/w": np.arange(4, dtype=np.float32),
    "a/flags": np.array([True, False]),
    "s": np.array([b"one", b"", b"three"], dtype=object),
    "n": np.int64(-5),
}


def _save(path: str, version: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        for name, value in _VALUES.items():
            tf.Variable(value, name=name)
        tf.get_variable("part", shape=[3], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
        saver = tf.train.Saver(write_version=version)
        session.run(tf.global_variables_initializer())
        saver.save(session, path, write_meta_graph=False, write_state=False)


def _read(path: str) -> dict[str, list[object]]:
    """What a reader gets of the checkpoint; raises what it raises."""
    reader = tf.train.NewCheckpointReader(path)
    names = sorted(reader.get_variable_to_shape_map())
    return {name: np.asarray(reader.get_tensor(name)).tolist() for name in names}


def _flips(content: bytes) -> Iterator[bytes]:
    for at in range(len(content)):
        for bit in (0x01, 0x80, 0xFF):
            yield content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :]


def _cuts(content: bytes) -> Iterator[bytes]:
    for size in range(len(content)):
        yield content[:size]


@pytest.mark.parametrize("damage", [_flips, _cuts])
@pytest.mark.parametrize("version", [1, 2])
def test_no_flipped_byte_and_no_cut_gives_other_values(
    tmp_path: Path, version: int, damage: Callable[[bytes], Iterator[bytes]]
) -> None:
    path = str(tmp_path / "model")
    _save(path, version)
    whole = _read(path)
    assert whole == {**{name: np.asarray(v).tolist() for name, v in _VALUES.items()}, "part": [1.0, 1.0, 1.0]}
    refused = 0
    files = sorted(tmp_path.iterdir())
    assert [f.name for f in files] == (["model"] if version == 1 else ["model.data-00000-of-00001", "model.index"])
    for file in files:
        content = file.read_bytes()
        for damaged in damage(content):
            file.write_bytes(damaged)
            try:
                assert _read(path) == whole
            except _REFUSED:
                refused += 1
        file.write_bytes(content)
    assert refused > 0
    assert _read(path) == whole


def test_a_damaged_tensor_is_named_with_its_file_and_the_others_are_read(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    _save(path, 2)
    data = tmp_path / "model.data-00000-of-00001"
    content = data.read_bytes()
    at = content.index(_VALUES["a/w"].tobytes())
    data.write_bytes(content[:at] + b"\x01" + content[at + 1 :])
    reader = tf.train.load_checkpoint(path)
    with pytest.raises(tf.errors.DataLossError, match=r"model.data-00000-of-00001: key a/w: Checksum does not match"):
        reader.get_tensor("a/w")
    assert reader.get_tensor("n") == -5
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(np.zeros(4, np.float32), name="a/w")
        with pytest.raises(tf.errors.DataLossError, match="key a/w"):
            tf.train.Saver().restore(session, path)


def test_a_missing_data_file_is_not_found(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    _save(path, 2)
    (tmp_path / "model.data-00000-of-00001").unlink()
    with pytest.raises(tf.errors.NotFoundError, match=r"model.data-00000-of-00001; No such file"):
        tf.train.load_variable(path, "n")


def _save_shards(path: str, number: float) -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        for place in range(2):
            with tf.device(f"/cpu:{place}"):
                tf.Variable(np.full(4, number + place, np.float32), name=f"v{place}")
        session.run(tf.global_variables_initializer())
        tf.train.Saver(sharded=True).save(session, path, write_meta_graph=False, write_state=False)


@pytest.mark.parametrize(
    "others", ["the other shard", "the same shard of another checkpoint", "the index of another one"]
)
def test_swapped_files_are_data_loss(tmp_path: Path, others: str) -> None:
    path, other = tmp_path / "model", tmp_path / "other"
    _save_shards(str(path), 1.0)
    _save_shards(str(other), 5.0)
    first, second = (f".data-0000{place}-of-00002" for place in range(2))
    pair = {
        "the other shard": (path.with_suffix(first), path.with_suffix(second)),
        "the same shard of another checkpoint": (path.with_suffix(first), other.with_suffix(first)),
        "the index of another one": (path.with_suffix(".index"), other.with_suffix(".index")),
    }[others]
    contents = [file.read_bytes() for file in pair]
    assert contents[0] != contents[1]
    for file, content in zip(pair, reversed(contents), strict=True):
        file.write_bytes(content)
    with pytest.raises(tf.errors.DataLossError, match="Checksum does not match"):
        _read(str(path))
