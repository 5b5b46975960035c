"""Files and folders as `tf.gfile` sees them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deprecations import logs_deprecation
from hypothesis import given, strategies as st

import ferroflow as tf

gfile = tf.gfile


def _bytes(path: Path) -> bytes:
    return path.read_bytes()


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20), max_size=8))
def test_text_that_is_written_is_read_whole_and_by_lines(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    name = str(tmp_path_factory.getbasetemp() / "text")
    with gfile.GFile(name, "wb") as file:
        file.write("")
        for part in parts:
            file.write(part)
    text = "".join(parts)
    with gfile.GFile(name) as file:
        assert file.read() == text
        file.seek(0)
        lines = file.readlines()
    assert "".join(lines) == text
    assert all(line.endswith("\n") for line in lines[:-1])
    assert lines == list(gfile.GFile(name)) == gfile.Open(name).readlines()
    assert gfile.GFile(name, "rb").read() == text.encode()
    assert gfile.GFile(name).size() == gfile.Stat(name).length == len(text.encode())


def test_a_file_that_is_not_closed_is_closed_with_its_object(tmp_path: Path) -> None:
    name = str(tmp_path / "f")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gfile.GFile(name, "w").write("written")
        assert gfile.GFile(name).read() == "written"
    assert caught == []


def test_lines_have_no_carriage_returns_and_contents_do(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\r\nb\rc\n\r")
    assert gfile.GFile(str(tmp_path / "f")).readlines() == ["a\n", "bc\n"]
    assert gfile.GFile(str(tmp_path / "f")).read() == "a\r\nb\rc\n\r"


def test_bytes_are_counted_not_characters(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("aéb".encode())
    file = gfile.GFile(str(tmp_path / "f"))
    assert (file.read(3), file.tell(), file.read(5), file.read(1)) == ("aé", 3, "b", "")
    with pytest.raises(UnicodeDecodeError):
        gfile.GFile(str(tmp_path / "f")).read(2)


def test_a_place_can_be_sought_within_the_file_alone(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"0123456789")
    file = gfile.GFile(str(tmp_path / "f"))
    file.seek(4)
    file.seek(2, 1)
    assert file.read(1) == "6"
    file.seek(-2, 2)
    assert file.read() == "89"
    with logs_deprecation("position"):
        file.seek(position=3)
    assert file.tell() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative position: -1"):
        file.seek(-1)
    with pytest.raises(tf.errors.OutOfRangeError):
        file.seek(11)
    assert file.tell() == 10
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid whence argument: 3"):
        file.seek(0, 3)
    with pytest.raises(TypeError, match="offset argument required"):
        file.seek()


def test_files_are_made_by_the_first_write_and_appended_to_in_mode_a(tmp_path: Path) -> None:
    name = str(tmp_path / "f")
    gfile.GFile(name, "w").close()
    assert not gfile.Exists(name)
    for mode, text in [("w", "one"), ("a", "two"), ("a+", "three")]:
        with gfile.GFile(name, mode) as file:
            file.write(text)
    assert _bytes(tmp_path / "f") == b"onetwothree"
    with gfile.GFile(name, "w+") as file:
        file.write("new")
        file.flush()
        assert file.read() == "new"


def test_modes_allow_what_they_say(tmp_path: Path) -> None:
    name = str(tmp_path / "f")
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not 'r' or 'w'"):
        gfile.GFile(name, "x")
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for reading"):
        gfile.GFile(name, "w").read()
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for writing"):
        gfile.GFile(name, "r").write("x")
    with logs_deprecation("GFile"):
        gfile.FastGFile(name)


NOT_FOUND, EXISTS, FAILED = tf.errors.NotFoundError, tf.errors.AlreadyExistsError, tf.errors.FailedPreconditionError


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: gfile.GFile("none").read(), NOT_FOUND, "none; No such file or directory"),
        (lambda: gfile.GFile("none").size(), NOT_FOUND, "none; No such file or directory"),
        (lambda: gfile.GFile("folder").read(), FAILED, "folder; Is a directory"),
        (lambda: gfile.GFile("none/file", "w").write("x"), NOT_FOUND, "none/file; No such file or directory"),
        (lambda: gfile.GFile("folder", "w").write("x"), FAILED, "folder; Is a directory"),
        (lambda: gfile.Remove("none"), NOT_FOUND, "none; No such file or directory"),
        (lambda: gfile.MkDir("none/inner"), NOT_FOUND, "none/inner; No such file or directory"),
        (lambda: gfile.MakeDirs("file/inner"), FAILED, "file is not a directory"),
        (lambda: gfile.MakeDirs("file"), FAILED, "file is not a directory"),
        (lambda: gfile.Rename("none", "new"), NOT_FOUND, "none; No such file or directory"),
        (lambda: gfile.Rename("file", "other"), EXISTS, "file already exists"),
        (lambda: gfile.Copy("none", "new"), NOT_FOUND, "none; No such file or directory"),
        (lambda: gfile.Copy("file", "other"), EXISTS, "file already exists"),
        (lambda: gfile.Copy("folder", "new"), FAILED, "folder; Is a directory"),
        (lambda: gfile.Stat("none"), NOT_FOUND, "none; No such file or directory"),
        (lambda: gfile.ListDirectory("file"), NOT_FOUND, "Could not find directory file"),
        (lambda: gfile.DeleteRecursively("none"), NOT_FOUND, "none; No such file or directory"),
        (lambda: gfile.Exists("a\0b") or gfile.Remove("a\0b"), tf.errors.InvalidArgumentError, "null"),
    ],
)
def test_failures_have_tensorflows_class_and_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any], error: type[Exception], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder")
    for name in ("file", "other"):
        Path(name).write_bytes(name.encode())
    with pytest.raises(error, match=words):
        call()
    assert (Path("file").read_bytes(), Path("other").read_bytes()) == (b"file", b"other")
    assert not os.path.exists("new")


def test_files_are_copied_moved_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_bytes(b"a")
    Path("b").write_bytes(b"b")
    gfile.Copy("a", "b", overwrite=True)
    gfile.Copy("a", "a", overwrite=True)
    assert Path("a").read_bytes() == Path("b").read_bytes() == b"a"
    gfile.Rename("b", "c")
    gfile.Rename("c", "a", overwrite=True)
    assert gfile.ListDirectory(".") == ["a"]
    gfile.Remove(Path("a"))
    assert not gfile.Exists("a")
    assert not gfile.IsDirectory("a")


def test_folders_are_made_walked_matched_and_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gfile.MkDir("top")
    gfile.MkDir("top")
    gfile.MakeDirs("top/x/y")
    gfile.MakeDirs("top/x/y")
    for name in ("top/f", "top/x/g"):
        Path(name).write_bytes(b"")
    down = [("top", ["x"], ["f"]), ("top/x", ["y"], ["g"]), ("top/x/y", [], [])]
    assert list(gfile.Walk("top")) == down
    assert list(gfile.Walk("top", in_order=False)) == down[::-1]
    assert list(gfile.Walk("none")) == []
    assert gfile.Glob("top/*") == ["top/f", "top/x"]
    assert gfile.Glob(["top/?", "none", "*/x/g"]) == ["top/f", "top/x", "./top/x/g"]
    assert gfile.Glob(f"file://{tmp_path}/t*") == [f"file://{tmp_path}/top"]
    assert gfile.Stat("top").is_directory
    gfile.DeleteRecursively("top")
    assert not gfile.Exists("top")


def test_deleting_a_folder_spares_what_links_in_it_lead_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gfile.MakeDirs("kept")
    Path("kept/file").write_bytes(b"")
    gfile.MakeDirs("gone")
    os.symlink("../kept", "gone/link")
    gfile.DeleteRecursively("gone")
    assert gfile.Exists("kept/file")
    assert not gfile.Exists("gone")


def test_the_functions_of_1_13_take_its_arguments(tmp_path):
    files = tf.io.gfile
    files.makedirs(path=str(tmp_path / "a" / "b"))
    files.mkdir(path=str(tmp_path / "c"))
    (tmp_path / "a" / "f.txt").write_text("x", encoding="utf-8")
    files.copy(src=str(tmp_path / "a" / "f.txt"), dst=str(tmp_path / "c" / "g.txt"), overwrite=True)
    files.rename(src=str(tmp_path / "c" / "g.txt"), dst=str(tmp_path / "c" / "h.txt"))
    assert files.glob(pattern=str(tmp_path / "*" / "*.txt")) == [
        str(tmp_path / "a" / "f.txt"),
        str(tmp_path / "c" / "h.txt"),
    ]
    assert files.stat(path=str(tmp_path / "a" / "f.txt")).length == 1
    above = [folder for folder, _, _ in files.walk(top=str(tmp_path), topdown=True)]
    assert above == [str(tmp_path / part).rstrip("/") for part in ("", "a", "a/b", "c")]
    assert [f for f, _, _ in files.walk(str(tmp_path), topdown=False)][-1] == str(tmp_path)
    assert files.isdir(path=str(tmp_path / "a"))
    assert files.exists(path=str(tmp_path / "c"))
    assert files.listdir(path=str(tmp_path)) == ["a", "c"]
    files.remove(path=str(tmp_path / "c" / "h.txt"))
    files.rmtree(path=str(tmp_path / "a"))
    failures = []
    assert list(files.walk(str(tmp_path / "nowhere"), onerror=failures.append)) == []
    assert isinstance(failures[0], tf.errors.NotFoundError)


def test_names_that_are_no_utf8_are_those_of_the_bytes(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    name, copy = folder + b"/\xff", folder + b"/\xfe"
    with gfile.GFile(name, "w") as file:
        file.write("text")
    assert os.listdir(folder) == [b"\xff"]
    assert gfile.GFile(name).read() == "text"
    assert gfile.Exists(name)
    assert not gfile.IsDirectory(name)
    assert gfile.Stat(name).length == 4
    gfile.Copy(name, copy)
    gfile.Rename(copy, name, overwrite=True)
    gfile.MakeDirs(folder + b"/\xfd")
    assert sorted(os.listdir(folder)) == [b"\xfd", b"\xff"]
    gfile.Remove(name)
    assert not gfile.Exists(name)


def test_operations_and_writers_take_names_that_are_no_utf8(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    one, two, records, events = (folder + b"/" + x for x in (b"\xff", b"\xfe", b"\xfd", b"\xfc"))
    with tf.Graph().as_default(), tf.Session() as session:
        session.run([tf.write_file(one, "1"), tf.write_file(two, "2")])
        assert session.run([tf.read_file(one), tf.read_file(two)]) == [b"1", b"2"]
        assert session.run(tf.matching_files(folder + b"/*")).tolist() == [two, one]
    with tf.python_io.TFRecordWriter(records) as writer:
        writer.write(b"record")
    assert list(tf.python_io.tf_record_iterator(records)) == [b"record"]
    tf.summary.FileWriter(events).close()
    assert sorted(os.listdir(folder)) == [b"\xfc", b"\xfd", b"\xfe", b"\xff"]
    assert len(os.listdir(events)) == 1
