"""Long work shows its progress by what it is given, called as `tqdm.tqdm` is."""

from __future__ import annotations

import functools
import http.server
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tqdm import tqdm

import ferroflow as tf
from ferroflow._src.base import progress
from ferroflow._src.base.progress import shown
from ferroflow._src.checkpoint import saver as saver_module
from ferroflow.contrib.learn.python.learn.datasets.base import maybe_download


class Bar:
    """Takes notes of what a bar is told."""

    made: list[Bar]

    def __init__(self, total: int | None, desc: str, unit: str) -> None:
        self.told = (total, desc, unit)
        self.updates: list[int] = []
        self.is_closed = False
        Bar.made.append(self)

    def update(self, n: int) -> None:
        self.updates.append(n)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture(autouse=True)
def _no_bars() -> None:
    Bar.made = []


def test_a_bar_is_told_all_and_closed_whatever_happens() -> None:
    def work() -> None:
        with shown(Bar, 3, "work", "part") as advance:
            advance(1)
            advance(2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    (bar,) = Bar.made
    assert (bar.told, bar.updates, bar.is_closed) == ((3, "work", "part"), [1, 2], True)


def test_tqdm_is_such_a_bar_and_none_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    written = io.StringIO()
    for bar in (functools.partial(tqdm, file=written), None):
        with shown(bar, 2, "work", "part") as advance:
            advance(1)
            advance(1)
    assert "work: 100%" in written.getvalue()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("dtype", [tf.float64, tf.complex128])
def test_a_gradient_check_counts_rows_and_columns(dtype: tf.DType) -> None:
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(np.ones([2, 3]), dtype)
        y = tf.reduce_sum(x * x, 0)
        assert tf.test.compute_gradient_error([x, x], [[2, 3]] * 2, y, [3], progress=Bar) < 1e-6
    (bar,) = Bar.made
    assert sum(bar.updates) == bar.told[0] == 2 * (6 + 3) * (2 if dtype.is_complex else 1)
    assert bar.is_closed


CONTENT = bytes(range(256)) * 1000


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT, or less of it than it states."""

    def do_GET(self) -> None:
        self.send_response(200)
        if "unstated" not in self.path:
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:1000] if "cut" in self.path else CONTENT)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("name", ["stated", "unstated"])
def test_a_download_counts_bytes(tmp_path: Path, address: str, name: str) -> None:
    for _ in range(2):
        path = maybe_download(name, str(tmp_path), address + name, progress=Bar)
        assert Path(path).read_bytes() == CONTENT
    # What is there is not fetched again.
    (bar,) = Bar.made
    assert bar.told == (len(CONTENT) if name == "stated" else None, name, "B")
    assert sum(bar.updates) == len(CONTENT)
    assert bar.is_closed


def test_a_download_that_is_cut_short_is_no_file(tmp_path: Path, address: str) -> None:
    with pytest.raises(tf.errors.UnavailableError, match="1000 bytes of 256000 were received"):
        maybe_download("cut", str(tmp_path), address + "cut", progress=Bar)
    assert list(tmp_path.iterdir()) == []


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def _work(terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch, patience: float, unit: str = "B") -> None:
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    with shown(progress.on_terminal, 2000, "Downloading it", unit) as advance:
        advance(1000)
        if patience == 0:
            # Until the line is there; the test's time limit ends what never comes.
            while "Downloading it" not in terminal.getvalue():
                threading.Event().wait(0.01)


def test_what_takes_long_appears_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    _work(terminal, monkeypatch, 0)
    assert "kB" in terminal.getvalue()


def test_what_ends_soon_and_what_no_terminal_sees_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Terminal(), io.StringIO()):
        _work(stream, monkeypatch, 60)
        assert stream.getvalue() == ""


def test_a_saver_shows_itself_on_a_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told: list[Any] = []

    def bar(**kwargs: Any) -> Any:
        told.append(kwargs["desc"])
        return Bar(**kwargs)

    monkeypatch.setattr(saver_module, "on_terminal", bar)
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("v", [2])
        sess.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        path = saver.save(sess, str(tmp_path / "model"))
        saver.restore(sess, path)
    assert told == [f"Saving {path}", f"Restoring {path}"]
