"""The operations that write and read checkpoints, by their types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf
from ferroflow._src.framework.apply import apply_op


def _run(op_type: str, inputs: list[Any], attrs: dict[str, Any] | None = None) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        op = apply_op(op_type, inputs, attrs)
        return session.run(list(op.outputs) or op)


def test_names_of_shards_have_five_digits() -> None:
    assert _run("ShardedFilename", ["a/b", 3, 20]) == [b"a/b-00003-of-00020"]
    assert _run("ShardedFilespec", ["a/b", 20]) == [b"a/b-?????-of-00020"]


@pytest.mark.parametrize(("name", "kept"), [(b"\xe9\xff", b"\xe9\xff"), (b"a\0b", b"a"), (b"", b"")])
def test_names_of_shards_keep_the_bytes_before_the_first_zero(name: bytes, kept: bytes) -> None:
    assert _run("ShardedFilename", [name, 3, 20]) == [kept + b"-00003-of-00020"]
    assert _run("ShardedFilespec", [name, 20]) == [kept + b"-?????-of-00020"]


def test_slices_are_saved_and_read(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    whole = np.arange(12, dtype=np.int32).reshape(3, 4)
    specs = ["3 4 0,1:-", "3 4 1,2:-", ""]
    _run("SaveV2", [path, ["w", "w", "x"], specs, [whole[:1], whole[1:], np.float32(5)]])
    wanted = ["3 4 -:1,2", "", ""]
    read = _run("RestoreV2", [path, ["w", "w", "x"], wanted], {"dtypes": [tf.int32, tf.int32, tf.float32]})
    assert [np.asarray(r).tolist() for r in read] == [whole[:, 1:3].tolist(), whole.tolist(), 5]
    with tf.Graph().as_default():
        restored = apply_op("RestoreV2", [path, ["w", "w"], ["3 4 -:1,2", ""]], {"dtypes": [tf.int32, tf.int32]})
        assert [t.shape.ndims for t in restored.outputs] == [2, None]
        assert restored.outputs[0].shape.as_list() == [3, 2]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("3 4 0,1", "Mismatching ranks"),
        ("3 4 0,4:-", "out of bounds"),
        ("3 4 x,1:-", "Expected a pair of numbers"),
        ("4", "Need least two elements"),
        ("3 4 1,2:-", "does not match the"),
    ],
)
def test_slices_that_do_not_fit_are_refused(tmp_path: Path, spec: str, message: str) -> None:
    path = str(tmp_path / "model")
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        _run("SaveV2", [path, ["w"], [spec], [np.zeros((1, 4), np.float32)]])
    assert list(tmp_path.iterdir()) == []


def test_a_name_given_twice_and_parts_that_are_missing_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Adding duplicate key: w"):
        _run("SaveV2", [path, ["w", "w"], ["", ""], [1.0, 2.0]])
    assert list(tmp_path.iterdir()) == []
    _run("SaveV2", [path, ["w"], ["3 0,2"], [np.zeros(2, np.float32)]])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Does not have sufficient slices for partitioned tensor w"
    ):
        _run("RestoreV2", [path, ["w"], [""]], {"dtypes": [tf.float32]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not match the shape stored in checkpoint"):
        _run("RestoreV2", [path, ["w"], ["4 0,2"]], {"dtypes": [tf.float32]})


def test_bundles_are_merged_and_their_folders_removed(tmp_path: Path) -> None:
    merged, folder = str(tmp_path / "model"), str(tmp_path / "parts")
    prefixes = [f"{folder}/p{i}" for i in range(2)]
    whole = np.arange(4, dtype=np.float32)
    for i, prefix in enumerate(prefixes):
        _run("SaveV2", [prefix, ["w", f"x{i}"], [f"4 {2 * i},2", ""], [whole[2 * i : 2 * i + 2], np.int32(i)]])
    _run("MergeV2Checkpoints", [prefixes, merged])
    reader = tf.train.load_checkpoint(merged)
    assert reader.get_tensor("w").tolist() == whole.tolist()
    assert [reader.get_tensor(f"x{i}") for i in range(2)] == [0, 1]
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "model.data-00000-of-00002", "model.data-00001-of-00002", "model.index"
    ]  # fmt: skip


def test_a_tensor_in_two_bundles_is_refused(tmp_path: Path) -> None:
    prefixes = [str(tmp_path / f"p{i}") for i in range(2)]
    for prefix in prefixes:
        _run("SaveV2", [prefix, ["w"], [""], [1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tensor keyed by w encountered"):
        _run("MergeV2Checkpoints", [prefixes, str(tmp_path / "model")])
    assert not tf.train.checkpoint_exists(str(tmp_path / "model"))


def test_the_first_formats_operations_write_and_read(tmp_path: Path) -> None:
    path = str(tmp_path / "old")
    whole = np.arange(6, dtype=np.int64).reshape(2, 3)
    _run("Save", [path, ["w", "x"], [whole, np.array([True, False])]])
    assert _run("Restore", [path, "w"], {"dt": tf.int64})[0].tolist() == whole.tolist()
    assert _run("Restore", [path, "x"], {"dt": tf.bool})[0].tolist() == [True, False]
    assert _run("RestoreSlice", [path, "w", "2 3 -:1,2"], {"dt": tf.int64})[0].tolist() == whole[:, 1:].tolist()
    for i in range(2):
        _run("SaveSlices", [f"{path}-{i}-of-2", ["w"], [f"2 3 {i},1:-"], [whole[i : i + 1]]])
    assert _run("Restore", [f"{path}-?-of-2", "w"], {"dt": tf.int64})[0].tolist() == whole.tolist()
    assert _run("RestoreSlice", [f"{path}-?-of-2", "w", "2 3 -:0,2"], {"dt": tf.int64})[0].tolist() == [[0, 1], [3, 4]]
    with pytest.raises(tf.errors.NotFoundError, match='Tensor name "y" not found in checkpoint files'):
        _run("Restore", [path, "y"], {"dt": tf.int64})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected to restore a tensor of type float"):
        _run("Restore", [path, "w"], {"dt": tf.float32})
