"""Files read, written and listed by operations."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
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


def _make(folder: bytes, names: list[bytes]) -> None:
    """Makes empty files; the test is skipped where the file system refuses a name."""
    for name in names:
        try:
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "wb"):
                pass
        except OSError as error:
            pytest.skip(f"the file system refuses {name!r}: {error}")


def _matched(pattern: bytes) -> list[bytes]:
    with tf.Graph().as_default(), tf.Session() as session:
        found: list[bytes] = session.run(tf.matching_files(tf.constant(pattern))).tolist()
        return found


def _globbed(pattern: bytes) -> list[bytes]:
    return [os.fsencode(name) for name in tf.gfile.Glob(os.fsdecode(pattern))]


def _listed(pattern: bytes) -> list[bytes]:
    with tf.Graph().as_default(), tf.Session() as session:
        files = tf.data.Dataset.list_files(tf.constant(pattern), shuffle=False)
        batch = files.batch(99).make_one_shot_iterator().get_next()
        found: list[bytes] = session.run(batch).tolist()
        return found


_NAMES = [
    *(b"a", b"b", b"ab", b"A", b"-", b"1", b".dot", b"a*b", b"a?", b"[a", b"a]", b"{a,b}", b"x\xff", b"\xe9"),
    *(b"\xc3\xa9", b"sub/a", b"sub/b\xff", b"sub/deep/a", b".hid/a"),
]
# Patterns, and the names that TensorFlow 1.15.5 finds for them with the C library of Debian 12.
_PATTERNS: list[tuple[bytes, list[bytes]]] = [
    (b"x*", [b"x\xff"]),
    (b"*\xff", [b"x\xff"]),
    (b"x\xff", [b"x\xff"]),
    (b"sub/b?", [b"sub/b\xff"]),
    (b"sub/*", [b"sub/a", b"sub/b\xff", b"sub/deep"]),
    (b"?", [b"-", b"1", b"A", b"a", b"b", b"\xc3\xa9", b"\xe9"]),
    (b"[\xe9]", [b"\xe9"]),
    (b"x[\xfe-\xff]", [b"x\xff"]),
    (b"[\xc3\xa9]", [b"\xc3\xa9"]),
    (b"[!a]", [b"-", b"1", b"A", b"b", b"\xc3\xa9", b"\xe9"]),
    (b"[^a]", [b"-", b"1", b"A", b"b", b"\xc3\xa9", b"\xe9"]),
    (b"[[:alpha:]]", [b"A", b"a", b"b", b"\xc3\xa9"]),
    (b"[-a]", [b"-", b"a"]),
    (b"[a", [b"[a"]),
    (b"*]", [b"a]"]),
    (b"a\\*b", [b"a*b"]),
    (b"a\\?", [b"a?"]),
    (b"\\a", [b"a"]),
    (b"{a,b}", [b"{a,b}"]),
    (b".*", [b".dot", b".hid"]),
    (b"**/a", [b".hid/a", b"sub/a"]),
    (b"*/*/a", [b"sub/deep/a"]),
    (b"*/../a", []),
    (b"*//a", []),
    (b"sub//*", []),
    (b"s*/", []),
    (b"sub/.", []),
    (b"sub/../a", [b"sub/../a"]),
    (b"s[!x]b/a", [b"sub/a"]),
    (b"[a/b]", [b"a", b"b"]),
    (b"su[b/]a", []),
]


@pytest.mark.parametrize("find", [_matched, _globbed, _listed])
def test_patterns_match_names_of_any_bytes(find: Callable[[bytes], list[bytes]], tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    _make(folder, _NAMES)
    for pattern, names in _PATTERNS:
        if names or find is not _listed:
            assert sorted(find(folder + b"/" + pattern)) == sorted(folder + b"/" + name for name in names), pattern


def test_matches_in_the_current_folder_are_named_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make(os.fsencode(tmp_path), [b"a", b"sub/a"])
    monkeypatch.chdir(tmp_path)
    assert _matched(b"*") == [b"./a", b"./sub"]
    assert _matched(b"a") == [b"./a"]
    assert _matched(b"sub/*") == [b"sub/a"]
    assert _matched(b"") == []
