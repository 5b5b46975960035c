"""Files behind URLs: `tf.gfile` on a store of fsspec does what it does on local files."""

from __future__ import annotations

import errno
import itertools
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from base.stores import SHARED_FOLDER, FaultyStore, Killed, register
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.base.files import remote, staging, urls
from ferroflow._src.base.files.content import atomic_write_string_to_file

gfile = tf.gfile
_NAMES = ("a", "b", "[x]", "d", "d/a", "d/e", "d/e/a")


@pytest.fixture(autouse=True)
def _stores() -> Iterator[None]:
    register()
    FaultyStore.arm(0, Killed)
    yield
    FaultyStore.arm(0, Killed)


def _outcome(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except tf.errors.OpError as failure:
        return type(failure)


def _failure(act: Callable[[str], Any], name: str) -> tf.errors.OpError | None:
    try:
        act(name)
    except tf.errors.OpError as failure:
        return failure
    return None


def _write(name: str, mode: str, text: str) -> None:
    with gfile.GFile(name, mode) as file:
        file.write(text)


def _tree(top: str) -> list[Any]:
    found = [(folder.removeprefix(top), folders, files) for folder, folders, files in gfile.Walk(top)]
    contents = [gfile.GFile(f"{top}{folder}/{name}").read() for folder, _, files in found for name in files]
    return [found, contents]


_ACTS: dict[str, Callable[[str, str, str, bool], Any]] = {
    "write": lambda top, a, b, flag: _write(top + a, "a" if flag else "w", f"{a} {b}\n"),
    "read": lambda top, a, b, flag: list(gfile.GFile(top + a)),
    "exists": lambda top, a, b, flag: (gfile.Exists(top + a), gfile.IsDirectory(top + a)),
    "stat": lambda top, a, b, flag: None if gfile.IsDirectory(top + a) else gfile.Stat(top + a).length,
    "remove": lambda top, a, b, flag: gfile.Remove(top + a),
    "copy": lambda top, a, b, flag: gfile.Copy(top + a, top + b, overwrite=flag),
    "rename": lambda top, a, b, flag: gfile.Rename(top + a, top + b, overwrite=flag),
    "make": lambda top, a, b, flag: gfile.MakeDirs(top + a),
    "delete": lambda top, a, b, flag: gfile.DeleteRecursively(top + a),
    "list": lambda top, a, b, flag: gfile.ListDirectory(top + a),
    "glob": lambda top, a, b, flag: [
        name.removeprefix(top) for name in gfile.Glob([top + "*", top + "d/*", top + "?/e*"])
    ],
}


def _is_defined(act: str, top: Path, a: str, b: str) -> bool:
    """False where local files need a folder that stores do without, or a folder is moved into another one."""
    target = top / (b if act in ("copy", "rename") else a)
    needs_parent = act in ("write", "copy", "rename", "make")
    parents = [parent for parent in target.parents if top in parent.parents]
    if needs_parent and any(not parent.is_dir() for parent in parents):
        return False
    return not (act == "rename" and ((top / a).is_dir() or target.is_dir()))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(_ACTS)), st.sampled_from(_NAMES), st.sampled_from(_NAMES), st.booleans()),
        max_size=10,
    )
)
def test_a_store_does_what_local_files_do(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, str, str, bool]]
) -> None:
    top = tmp_path_factory.mktemp("local")
    local, url = f"{top}/", f"memory://{uuid.uuid4().hex}/"
    for name in (local, url):
        gfile.MakeDirs(name + "d/e")
        _write(name + "a", "w", "first\n")
    for act, a, b, flag in acts:
        if _is_defined(act, top, a, b):
            expected = _outcome(lambda: _ACTS[act](local, a, b, flag))  # noqa: B023  called at once
            assert _outcome(lambda: _ACTS[act](url, a, b, flag)) == expected, (act, a, b, flag)  # noqa: B023
    assert _tree(url.rstrip("/")) == _tree(local.rstrip("/"))


def test_folders_are_renamed_with_their_files() -> None:
    top = f"memory://{uuid.uuid4().hex}"
    _write(f"{top}/d/e/a", "w", "text")
    gfile.Rename(f"{top}/d", f"{top}/f")
    assert _tree(top) == [[("", ["f"], []), ("/f", ["e"], []), ("/f/e", [], ["a"])], ["text"]]
    gfile.MakeDirs(f"{top}/g")
    with pytest.raises(tf.errors.FailedPreconditionError):
        gfile.Rename(f"{top}/f", f"{top}/g", overwrite=True)


def test_flushed_data_is_seen_by_readers_and_reading_has_its_own_position() -> None:
    name = f"memory://{uuid.uuid4().hex}/f"
    with gfile.GFile(name, "w+") as file:
        file.write("one\ntwo\n")
        assert not gfile.Exists(name)
        file.flush()
        assert gfile.GFile(name).read() == "one\ntwo\n"
        assert file.readline() == "one\n"
        assert (file.tell(), file.size()) == (4, 8)
        file.seek(0)
        assert file.read() == "one\ntwo\n"


def test_files_are_copied_between_stores_and_disk(tmp_path: Path) -> None:
    url, path, other = f"memory://{uuid.uuid4().hex}/f", str(tmp_path / "f"), f"faulty://{uuid.uuid4().hex}/f"
    _write(url, "w", "text")
    gfile.Copy(url, path)
    gfile.Copy(path, other)
    assert gfile.GFile(path).read() == gfile.GFile(other).read() == "text"
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.Copy(other, url)
    with pytest.raises(tf.errors.UnimplementedError, match=r"use tf\.gfile\.Copy"):
        gfile.Rename(url, path, overwrite=True)


def test_record_files_at_urls_have_their_records() -> None:
    name = f"memory://{uuid.uuid4().hex}/r"
    records = [b"first", b"", bytes(1000)]
    for kind in (tf.python_io.TFRecordCompressionType.NONE, tf.python_io.TFRecordCompressionType.GZIP):
        options = tf.python_io.TFRecordOptions(kind)
        with tf.python_io.TFRecordWriter(name, options) as writer:
            for record in records:
                writer.write(record)
        assert list(tf.python_io.tf_record_iterator(name, options)) == records
    with pytest.raises(tf.errors.NotFoundError, match=f"^{name}x; "):
        next(tf.python_io.tf_record_iterator(name + "x"))


def test_a_file_is_downloaded_once_for_each_version() -> None:
    name = f"faulty://{uuid.uuid4().hex}/f"
    _write(name, "w", "old")
    first = staging.fetched(name)
    assert staging.fetched(name) is first
    _write(name, "w", "new")
    second = staging.fetched(name)
    assert Path(second.path).read_text() == "new"
    # The copy of the old version stays while it is in use.
    assert Path(first.path).read_text() == "old"


def test_a_forked_child_leaves_the_local_copies_and_files_of_its_parent() -> None:
    names = [f"memory://{uuid.uuid4().hex}/{number}" for number in range(6)]
    for name in names:
        _write(name, "w", "text")
    copy = staging.fetched(names[0])
    writer = tf.python_io.TFRecordWriter(names[0] + "r")
    writer.write(b"record")
    writer.flush()
    child = os.fork()
    if child == 0:
        # The copy is no longer among the last ones, and nothing else refers to it.
        for name in names[1:]:
            staging.fetched(name)
        del copy, writer
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert Path(copy.path).read_text() == "text"
    writer.close()
    assert list(tf.python_io.tf_record_iterator(names[0] + "r")) == [b"record"]


_UNCLOSED = """
import atexit
from base.stores import register
import ferroflow as tf
register()

def written(name):
    records = tf.python_io.TFRecordWriter(f"shared://{name}/records")
    records.write(b"record")
    events = tf.summary.FileWriter(f"shared://{name}")
    events.add_summary(tf.Summary(value=[tf.Summary.Value(tag="first")]))
    file = tf.gfile.GFile(f"shared://{name}/file", "w")
    file.write("text")
    return records, events, file

written("collected")
print(sorted(tf.gfile.ListDirectory("shared://collected"))[1:])
kept = written("kept")
# Exit functions of the program come before the last upload.
atexit.register(lambda: kept[1].add_summary(tf.Summary(value=[tf.Summary.Value(tag="second")])))
"""


def test_files_that_are_not_closed_are_uploaded_when_they_are_collected_or_the_program_ends(tmp_path: Path) -> None:
    store, folder = tmp_path / "store", tmp_path / "temporary"
    store.mkdir()
    folder.mkdir()
    here = str(Path(__file__).parents[1])
    environment = {
        **os.environ,
        SHARED_FOLDER: str(store),
        "TMPDIR": str(folder),
        "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]),
        "PYTHONWARNINGS": "ignore",
    }
    command = [sys.executable, "-c", _UNCLOSED]
    ran = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
    assert (ran.stdout, ran.stderr) == ("['file', 'records']\n", "")
    for name, tags in (("collected", ["first"]), ("kept", ["first", "second"])):
        assert (store / name / "file").read_text() == "text"
        assert list(tf.python_io.tf_record_iterator(str(store / name / "records"))) == [b"record"]
        (events,) = store.glob(f"{name}/*.tfevents.*")
        found = [value.tag for event in tf.train.summary_iterator(str(events)) for value in event.summary.value]
        assert found == tags
    assert list(folder.iterdir()) == []


def test_a_close_that_fails_can_be_repeated() -> None:
    name = f"faulty://{uuid.uuid4().hex}"
    records = tf.python_io.TFRecordWriter(name + "/records")
    records.write(b"record")
    events = tf.summary.FileWriter(name)
    events.add_summary(tf.Summary(value=[tf.Summary.Value(tag="tag")]))
    for writer in (records, events):
        FaultyStore.arm(1, ConnectionResetError)
        with pytest.raises(tf.errors.UnavailableError, match=f"^{name}/"):
            writer.close()
        FaultyStore.arm(0, Killed)
        writer.close()
        writer.close()
    events.flush()
    assert list(tf.python_io.tf_record_iterator(name + "/records")) == [b"record"]
    (path,) = gfile.Glob(name + "/*.tfevents.*")
    assert b"tag" in gfile.GFile(path, "rb").read()


def test_a_full_disk_raises_tensorflows_error(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"memory://{uuid.uuid4().hex}/f"
    _write(name, "w", "text")

    def mkdtemp(**options: Any) -> str:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(tempfile, "mkdtemp", mkdtemp)
    for act in (lambda: gfile.GFile(name).read(), lambda: _write(name, "w", "new")):
        with pytest.raises(tf.errors.ResourceExhaustedError, match="Temporary folder"):
            act()


def test_local_files_have_their_scheme_in_atomic_writes(tmp_path: Path) -> None:
    for overwrite in (False, True):
        atomic_write_string_to_file(f"file://{tmp_path}/f", "text", overwrite)
    assert (tmp_path / "f").read_text() == "text"
    with pytest.raises(tf.errors.AlreadyExistsError):
        atomic_write_string_to_file(f"file://{tmp_path}/f", "text", overwrite=False)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (PermissionError, tf.errors.PermissionDeniedError),
        (ConnectionResetError, tf.errors.UnavailableError),
        (TimeoutError, tf.errors.DeadlineExceededError),
        (NotImplementedError, tf.errors.UnimplementedError),
        (RuntimeError, tf.errors.UnknownError),
        (type("EndpointConnectionError", (Exception,), {}), tf.errors.UnavailableError),
        (type("HttpError", (Exception,), {"code": 403}), tf.errors.PermissionDeniedError),
    ],
)
def test_failures_of_a_store_are_tensorflows_errors_with_the_url(
    tmp_path: Path, error: type[Exception], expected: type[tf.errors.OpError]
) -> None:
    name = f"faulty://{uuid.uuid4().hex}/f"
    _write(name, "w", "text")
    acts: tuple[Callable[[str], Any], ...] = (
        gfile.Exists,
        gfile.Stat,
        gfile.Remove,
        lambda x: gfile.GFile(x).read(),
        lambda x: gfile.Copy(x, str(tmp_path / "copy"), overwrite=True),
    )
    for act in acts:
        for at in itertools.count(1):
            FaultyStore.arm(at, error)
            failure = _failure(act, name)
            if failure is not None:
                assert type(failure) is expected
                assert failure.message.startswith(name)
            is_spent = FaultyStore.is_spent()
            FaultyStore.arm(0, error)
            _write(name, "w", "text")
            if not is_spent or at > 20:
                break
        assert at > 1


@pytest.mark.parametrize("name", ["s3://bucket/f", "unheardof://f"])
def test_schemes_without_a_file_system_are_unimplemented(name: str) -> None:
    scheme = name.partition(":")[0]
    expected = rf"File system scheme '{scheme}' not implemented \(file: '{name}'\).*pip install fsspec"
    for act in (gfile.Exists, gfile.ListDirectory, gfile.MakeDirs, gfile.Glob, lambda x: gfile.GFile(x).read()):
        with pytest.raises(tf.errors.UnimplementedError, match=expected):
            act(name)


def test_without_fsspec_urls_are_unimplemented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(tf.errors.UnimplementedError, match=r"scheme 'memory' not implemented.*pip install fsspec"):
        gfile.Exists("memory://f")


def test_operations_that_read_files_name_the_scheme_and_their_node() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        read = tf.read_file("s3://bucket/f", name="my_read")
        records = tf.data.TFRecordDataset("gs://bucket/f").make_one_shot_iterator().get_next(name="my_records")
        lines = tf.data.TextLineDataset("gs://bucket/f").make_one_shot_iterator().get_next(name="my_lines")
        for fetch in (read, records, lines):
            with pytest.raises(tf.errors.UnimplementedError, match=r"File system scheme '(s3|gs)'") as caught:
                sess.run(fetch)
            assert caught.value.op is fetch.op
            assert f"[[node {fetch.op.name} = " in caught.value.message
        with pytest.raises(tf.errors.NotFoundError):
            sess.run(tf.read_file("file:///no/such/file"))


def test_folders_of_urls_keep_the_scheme() -> None:
    assert [urls.folder_of(name) for name in ("memory://f", "s3://b/d/f", "d/f", "/f", "f", "memory://")] == [
        "memory://",
        "s3://b/d",
        "d",
        "/",
        "",
        "memory://",
    ]
    assert not urls.is_remote("file:///a")
    assert not urls.is_remote("a/b://c")


def test_times_are_nanoseconds_in_each_form_that_stores_have() -> None:
    forms = (1.5, "1970-01-01T00:00:01.500Z", "1970-01-01T00:00:01.500+00:00")
    assert {remote._nanoseconds(form) for form in forms} == {1_500_000_000}


def test_importing_the_library_and_local_files_do_not_import_fsspec(tmp_path: Path) -> None:
    program = (
        "import sys, ferroflow as tf\n"
        "tf.gfile.MakeDirs('d')\n"
        "with tf.gfile.GFile('d/f', 'w') as file: file.write('x')\n"
        "assert tf.gfile.GFile('d/f').read() == 'x'\n"
        "print('fsspec' in sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )
    assert ran.stdout.split() == ["False"]
