"""What killed saves leave is finished or removed, by the words of a journal and by locks."""

from __future__ import annotations

import fcntl
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

import ferroflow as tf


def _save(path: Path, value: float) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(value, name="v")
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        saver.save(session, str(path), write_meta_graph=False, write_state=False)


def _crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def _journal(names: Sequence[str]) -> bytes:
    """The journal of renames, each of a name to the one after it."""
    content = b"".join(name.encode() + b"\0" for name in names)
    crc = _crc32c(content)
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    return content + struct.pack("<I", masked)


_DATA, _INDEX = "model.data-00000-of-00001", "model.index"
_MARK = ".tempstate_0123456789abcdef"


def _interrupted(folder: Path) -> bytes:
    """The files of a save that was killed after the first of two renames; the journal."""
    _save(folder / "model", 1.0)
    _save(folder / "new", 2.0)
    (folder / "new.data-00000-of-00001").rename(folder / _DATA)
    (folder / "new.index").rename(folder / (_INDEX + _MARK))
    return _journal([_DATA + _MARK, _DATA, _INDEX + _MARK, _INDEX])


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_who_reads_a_checkpoint_finishes_its_renames(tmp_path: Path) -> None:
    (tmp_path / "model.tempstate_journal").write_bytes(_interrupted(tmp_path))
    assert tf.train.load_variable(str(tmp_path / "model"), "v") == 2.0
    assert _files(tmp_path) == [_DATA, _INDEX]


def test_who_saves_beside_it_does_too(tmp_path: Path) -> None:
    (tmp_path / "model.tempstate_journal").write_bytes(_interrupted(tmp_path))
    _save(tmp_path / "other", 3.0)
    assert _files(tmp_path) == [_DATA, _INDEX, "other.data-00000-of-00001", "other.index"]
    assert tf.train.load_variable(str(tmp_path / "model"), "v") == 2.0


def test_a_journal_that_is_not_whole_was_never_begun(tmp_path: Path) -> None:
    _save(tmp_path / "model", 1.0)
    (tmp_path / (_DATA + _MARK)).write_bytes(b"a part")
    (tmp_path / "model.tempstate_journal").write_bytes(_journal([_DATA + _MARK, _DATA])[:-1])
    assert tf.train.load_variable(str(tmp_path / "model"), "v") == 1.0
    _save(tmp_path / "other", 3.0)
    assert _files(tmp_path) == [_DATA, _INDEX, "other.data-00000-of-00001", "other.index"]


def test_data_whose_index_never_came_is_removed(tmp_path: Path) -> None:
    _save(tmp_path / "model", 1.0)
    (tmp_path / _INDEX).rename(tmp_path / (_INDEX + _MARK))
    _save(tmp_path / "other", 3.0)
    assert _files(tmp_path) == ["other.data-00000-of-00001", "other.index"]


def test_files_that_are_being_written_and_those_of_others_stay(tmp_path: Path) -> None:
    # Ours, locked; TensorFlow's, which has no lock; and a folder of its shards.
    names = [_DATA + _MARK, "model.index.tempstate1234567890", f"model_temp_{'0' * 32}"]
    for name in names[:2]:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / names[2]).mkdir()
    with open(tmp_path / names[0], "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        _save(tmp_path / "other", 3.0)
        assert set(names) < set(_files(tmp_path))
    _save(tmp_path / "other", 4.0)
    assert names[0] not in _files(tmp_path)
    assert set(names[1:]) < set(_files(tmp_path))


@pytest.mark.parametrize("first_killed", [False, True])
def test_a_checkpoint_no_longer_kept_goes_also_after_a_kill(tmp_path: Path, first_killed: bool) -> None:
    for i in (1, 2):
        _save(tmp_path / f"model-{i}", float(i))
    paths = [str(tmp_path / f"model-{i}") for i in (1, 2)]
    # Killed before the state file forgot the first, or after.
    tf.train.update_checkpoint_state(str(tmp_path), paths[1], paths if first_killed else paths[1:])
    (tmp_path / "model-1.tempstate_superfluous").write_text("checkpoint\n2\nmeta\n", encoding="utf-8")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(3.0, name="v")
        saver = tf.train.Saver()
        saver.recover_last_checkpoints(list(tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths))
        session.run(tf.global_variables_initializer())
        saver.save(session, str(tmp_path / "model"), global_step=3, write_meta_graph=False)
    assert tf.train.checkpoint_exists(paths[0]) == first_killed
    assert not list(tmp_path.glob("*.tempstate_*"))
