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
from ferroflow._src.base.progress import shown
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
    for progress in (functools.partial(tqdm, file=written), None):
        with shown(progress, 2, "work", "part") as advance:
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
    with pytest.raises(tf.errors.UnavailableError, match="1000 bytes came of 256000"):
        maybe_download("cut", str(tmp_path), address + "cut", progress=Bar)
    assert list(tmp_path.iterdir()) == []
