"""A cache that takes long to write is shown on a terminal, with lines of their own."""

from __future__ import annotations

import gc
import io
import sys
import threading
import time

import pytest

import ferroflow as tf
from ferroflow._src.data import cache_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal_of(monkeypatch):
    """A terminal in the place of standard error, and a watcher without patience; what fixtures set, pytest undoes."""
    for name, value in (("_PATIENCE", 0.0), ("_LOOK", 0.01), ("_PERIOD", 1000.0)):
        monkeypatch.setattr(cache_progress, name, value)
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def watchers():
    return [thread for thread in threading.enumerate() if thread.name == "ferroflow-cache-progress"]


def wait_for(condition):
    ends = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_a_cache_is_shown_while_it_is_written_and_when_it_is_done(tmp_path, monkeypatch):
    terminal = terminal_of(monkeypatch)
    name = str(tmp_path / "cached")
    with tf.Graph().as_default(), tf.Session() as session:
        element = tf.data.Dataset.range(3).cache(name).make_one_shot_iterator().get_next()
        session.run(element)
        wait_for(lambda: terminal.getvalue())
        assert terminal.getvalue().startswith(f"Caching to {name}: ")
        assert [session.run(element) for _ in range(2)] == [1, 2]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
        wait_for(lambda: not watchers())
    assert terminal.getvalue().split("\n")[1:] == [f"Cached to {name}: 0.0 MB", ""]


def test_nothing_watches_a_complete_cache_a_cache_in_memory_or_without_a_terminal(tmp_path, monkeypatch):
    terminal_of(monkeypatch)
    name = str(tmp_path / "cached")
    (tmp_path / "cached.elements").touch()
    with tf.Graph().as_default():
        tf.data.Dataset.range(3).cache(name)
        tf.data.Dataset.range(3).cache()
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        tf.data.Dataset.range(3).cache(str(tmp_path / "other"))
    assert not watchers()


def test_a_watcher_ends_with_its_graph(tmp_path, monkeypatch):
    terminal = terminal_of(monkeypatch)
    graph = tf.Graph()
    with graph.as_default():
        tf.data.Dataset.range(3).cache(str(tmp_path / "never_written"))
    assert watchers()
    del graph
    wait_for(lambda: gc.collect() is not None and not watchers())
    assert terminal.getvalue() == ""
