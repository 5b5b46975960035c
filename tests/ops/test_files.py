"""Files read, written and listed by operations."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import ferroflow as tf


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "a" / "b" / "file")
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.write_file(path, b"\x00one\xff"))
        assert session.run(tf.read_file(path)) == b"\x00one\xff"
        assert session.run(tf.read_file("file://" + path)) == b"\x00one\xff"


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory"):
            session.run(tf.read_file(str(tmp_path / "missing")))
        with pytest.raises(tf.errors.OpError):
            session.run(tf.read_file(str(tmp_path)))


def test_who_reads_while_a_file_is_written_sees_one_of_its_versions(tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    versions = [b"a" * 100_000, b"b" * 50_000]
    with tf.Graph().as_default(), tf.Session() as session:
        content = tf.placeholder(tf.string)
        write, read = tf.write_file(path, content), tf.read_file(path)
        session.run(write, {content: versions[0]})
        done = threading.Event()

        def keep_writing() -> None:
            for i in range(50):
                session.run(write, {content: versions[i % 2]})
            done.set()

        thread = threading.Thread(target=keep_writing)
        thread.start()
        while not done.is_set():
            assert session.run(read) in versions
        thread.join()


def test_names_match_patterns_and_are_sorted(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".c.txt", "d.dat"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "e.txt").write_text("", encoding="utf-8")
    base = str(tmp_path)

    def names(*patterns: str) -> list[str]:
        with tf.Graph().as_default(), tf.Session() as session:
            pattern = patterns[0] if len(patterns) == 1 else list(patterns)
            found = session.run(tf.matching_files(tf.constant(pattern)))
            return [name.decode().removeprefix(base + "/") for name in found]

    assert names(base + "/*.txt") == [".c.txt", "a.txt", "b.txt"]
    assert names(base + "/[ab].txt", base + "/?.dat") == ["a.txt", "b.txt", "d.dat"]
    assert names(base + "/*/*.txt") == ["sub/e.txt"]
    assert names(base + "/nothing*") == []


def test_a_file_is_read_in_every_step(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with tf.Graph().as_default(), tf.Session() as session:
        read = tf.read_file(str(path))
        for text in (b"one", b"two"):
            path.write_bytes(text)
            assert session.run(read) == text


@pytest.mark.parametrize("exists", [False, True])
def test_a_file_is_written_through_its_link(exists: bool, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    if exists:
        target.write_bytes(b"old")
    link.symlink_to("target")
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.write_file(str(link), b"new"))
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_all_names_of_a_file_show_what_is_written(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"old")
    other.hardlink_to(one)
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.write_file(str(one), b"new"))
    assert other.read_bytes() == b"new"


def test_a_name_that_is_too_long_is_invalid(tmp_path: Path) -> None:
    name = str(tmp_path / ("n" * 256))
    with tf.Graph().as_default(), tf.Session() as session:
        for step in (tf.write_file(name, b"new"), tf.read_file(name)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="File name too long"):
                session.run(step)


def test_a_name_as_long_as_any_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.write_file(str(path), b"new"))
    assert path.read_bytes() == b"new"
