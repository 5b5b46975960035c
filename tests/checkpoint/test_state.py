"""Laws of the state file: paths are complete when read, and what is damaged is ignored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ferroflow as tf


def test_paths_are_relative_to_the_folder_when_written_and_complete_when_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dir").mkdir()
    tf.train.update_checkpoint_state("dir", "dir/m-2", ["dir/m-1", "dir/m-2"])
    text = (tmp_path / "dir" / "checkpoint").read_text(encoding="utf-8")
    assert text == (
        'model_checkpoint_path: "m-2"\nall_model_checkpoint_paths: "m-1"\nall_model_checkpoint_paths: "m-2"\n'
    )
    state = tf.train.get_checkpoint_state("dir")
    assert state.model_checkpoint_path == "dir/m-2"
    assert list(state.all_model_checkpoint_paths) == ["dir/m-1", "dir/m-2"]
    state = tf.train.get_checkpoint_state(str(tmp_path / "dir"))
    assert state.model_checkpoint_path == str(tmp_path / "dir" / "m-2")


def test_the_latest_is_always_among_all() -> None:
    state = tf.train.generate_checkpoint_state_proto("/d", "/d/m-3", ["/d/m-1"])
    assert list(state.all_model_checkpoint_paths) == ["/d/m-1", "/d/m-3"]
    given = ["/d/m-1"]
    tf.train.generate_checkpoint_state_proto("/d", "/d/m-3", given)
    assert given == ["/d/m-1", "/d/m-3"]
    with pytest.raises(ValueError, match="must match checkpoint paths"):
        tf.train.generate_checkpoint_state_proto("/d", "/d/m-1", ["/d/m-1"], [1.0, 2.0])


def test_a_damaged_or_missing_state_is_none(tmp_path: Path) -> None:
    assert tf.train.get_checkpoint_state(str(tmp_path)) is None
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    (tmp_path / "checkpoint").write_text("no such thing {", encoding="utf-8")
    assert tf.train.get_checkpoint_state(str(tmp_path)) is None
    (tmp_path / "checkpoint").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="Invalid checkpoint state"):
        tf.train.get_checkpoint_state(str(tmp_path))
    with pytest.raises(RuntimeError, match="conflicts with path used for checkpoint state"):
        tf.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "checkpoint"))


def test_a_checkpoint_without_files_is_not_the_latest(tmp_path: Path) -> None:
    path = str(tmp_path / "m")
    tf.train.update_checkpoint_state(str(tmp_path), path)
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    (tmp_path / "m.index").write_text("", encoding="utf-8")
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    assert tf.train.checkpoint_exists(path)
    assert len(tf.train.get_checkpoint_mtimes([path, path + "-none"])) == 1


def _files_of(prefix: str) -> list[object]:
    """Calls every function that finds the files of a checkpoint; returns the errors' classes, or the results."""
    outcomes: list[object] = []
    for call in (
        lambda: tf.train.checkpoint_exists(prefix),
        lambda: tf.train.get_checkpoint_mtimes([prefix]),
        lambda: tf.train.remove_checkpoint(prefix),
    ):
        try:
            outcomes.append(call())
        except tf.errors.OpError as error:
            outcomes.append(type(error))
    return outcomes


def test_a_checkpoint_of_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert _files_of(str(tmp_path / "none" / "m")) == [tf.errors.NotFoundError] * 3
    assert _files_of(str(tmp_path / "none" / "*" / "m")) == [tf.errors.NotFoundError] * 3
    assert _files_of(str(tmp_path / "file" / "m")) == [tf.errors.FailedPreconditionError] * 3
    assert _files_of(str(tmp_path / "m")) == [False, [], None]
    assert _files_of(str(tmp_path / "m*" / "m")) == [False, [], None]
    assert _files_of(str(tmp_path / "[m")) == [False, [], None]


def test_a_state_that_names_a_missing_folder_is_an_error_and_no_fresh_start(tmp_path: Path) -> None:
    state = f'model_checkpoint_path: "{tmp_path / "moved" / "m"}"'
    (tmp_path / "checkpoint").write_text(state, encoding="utf-8")
    with pytest.raises(tf.errors.NotFoundError, match="moved; No such file or directory"):
        tf.train.latest_checkpoint(str(tmp_path))


def test_a_removed_checkpoint_leaves_nothing(tmp_path: Path) -> None:
    for name in ("m.index", "m.data-00000-of-00002", "m.data-00001-of-00002", "m.meta", "m2.index"):
        (tmp_path / name).write_text("", encoding="utf-8")
    tf.train.remove_checkpoint(str(tmp_path / "m"))
    assert [p.name for p in tmp_path.iterdir()] == ["m2.index"]


def test_a_checkpoint_that_cannot_be_removed_raises_tensorflows_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.index").write_text("", encoding="utf-8")

    def replace(source: str, target: str) -> None:
        raise PermissionError(13, "refused")

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(tf.errors.PermissionDeniedError, match=str(tmp_path / "m.index")):
        tf.train.remove_checkpoint(str(tmp_path / "m"))
    assert tf.train.checkpoint_exists(str(tmp_path / "m"))
