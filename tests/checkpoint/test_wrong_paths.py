"""Paths that name no checkpoint: errors have the classes of TensorFlow 1.15."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import ferroflow as tf


@pytest.mark.parametrize("read", [tf.train.load_checkpoint, tf.train.NewCheckpointReader, tf.train.list_variables])
def test_a_missing_folder_is_an_invalid_argument_and_a_missing_file_is_not_found(
    read: Callable[[str], object], tmp_path: Path
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Failed to get matching files on .*: Not found: "):
        read(str(tmp_path / "missing" / "model"))
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        read(str(tmp_path / "model"))
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Failed precondition: "):
        read(str(tmp_path / "file" / "model"))


def test_a_folder_with_a_slash_matches_nothing(tmp_path: Path) -> None:
    assert tf.gfile.Glob(f"{tmp_path}/") == []
    assert not tf.train.checkpoint_exists(f"{tmp_path}/")
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.NewCheckpointReader(f"{tmp_path}/")


def test_a_reader_takes_bytes(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.NewCheckpointReader(str(tmp_path / "model").encode())


def test_a_folder_is_no_meta_graph(tmp_path: Path) -> None:
    with tf.Graph().as_default(), pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.train.import_meta_graph(str(tmp_path))


def test_nothing_is_warm_started_from_a_folder_without_a_checkpoint(tmp_path: Path) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Expected binary or unicode string, got None"):
        tf.train.warm_start(str(tmp_path))


@pytest.mark.parametrize("prefix", [None, 3])
def test_a_removed_checkpoint_has_a_name(prefix: object) -> None:
    with pytest.raises(TypeError):
        tf.train.remove_checkpoint(prefix)  # type: ignore[arg-type]  # what a program may pass
