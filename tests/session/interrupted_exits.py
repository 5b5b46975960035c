"""Interrupts the ends of contexts at each of their lines, calls and returns, and checks what is left after each.

`python interrupted_exits.py KIND FOLDER` prints how many ends were interrupted.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from interrupted_program import Interrupts

import ferroflow as tf

_SOURCES = os.path.join(os.path.dirname(tf.__file__), "_src")
_CODE = (
    contextlib.__file__,
    *(
        os.path.join(_SOURCES, *part.split("/"))
        for part in (
            "framework/default_stacks.py",
            "input/coordinator.py",
            "session/session.py",
            "summary/",
            "supervision/monitored_session.py",
            "supervision/wrapped_session.py",
        )
    ),
)
_GRAPH = tf.get_default_graph()
_PATIENCE = 20.0


def _in_thread(function: Callable[[], Any]) -> None:
    """Calls a function in another thread, which must not block."""
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    assert not thread.is_alive(), "a lock is held"


def _each_moment(interrupts: Interrupts, begin: Callable[[], Any], check: Callable[[Any], None]) -> None:
    """Interrupts the end of what `begin` returns, at each moment but the entry, which Python code cannot catch."""
    for moment in itertools.count(2):
        context = begin()
        interrupts.call_at(lambda context=context: context.__exit__(None, None, None), moment, _CODE)
        try:
            check(context)
        except BaseException:
            print(interrupts.where, file=sys.stderr)
            raise
        if not interrupts.where:
            return


def _check_closed(session: Any) -> None:
    assert tf.get_default_session() is None
    assert tf.get_default_graph() is _GRAPH
    try:
        session.run(session.graph.get_tensor_by_name("one:0"))
    except RuntimeError:
        pass
    else:
        raise AssertionError("the session is open")


def _graph_of_one() -> tf.Graph:
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="one")
    return graph


def session(interrupts: Interrupts, folder: str) -> None:
    """The session is closed, and no default one."""
    graph = _graph_of_one()
    _each_moment(interrupts, lambda: tf.Session(graph=graph).__enter__(), _check_closed)


def interactive(interrupts: Interrupts, folder: str) -> None:
    """A second `close` completes an interrupted one."""
    graph = _graph_of_one()

    class _End:
        def __init__(self) -> None:
            self.session = tf.InteractiveSession(graph=graph)

        def __exit__(self, *failure: object) -> None:
            self.session.close()

    def check(end: _End) -> None:
        end.session.close()
        _check_closed(end.session)
        assert not tf.InteractiveSession._active

    _each_moment(interrupts, _End, check)


def monitored(interrupts: Interrupts, folder: str) -> None:
    """The session is closed, its threads end, and the graph can be changed."""
    queue = tf.FIFOQueue(3, tf.float32, [])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)]))
    taken = queue.dequeue()
    made: list[Any] = []

    def begin() -> Any:
        found = tf.train.MonitoredSession()
        assert found.run(taken) == 1.0
        made[:] = [found._tf_sess()]
        return found

    def check(found: Any) -> None:
        assert found.should_stop()
        assert found._is_closed()
        assert made[0]._closed
        assert not _GRAPH.finalized
        end = time.monotonic() + _PATIENCE
        while threading.active_count() > 1:
            assert time.monotonic() < end, threading.enumerate()
            time.sleep(0.001)

    _each_moment(interrupts, begin, check)


class _Stop:
    """A coordinator with a thread, which stop together."""

    def __init__(self) -> None:
        self.coordinator = tf.train.Coordinator()
        self.thread = threading.Thread(target=self.coordinator.wait_for_stop, daemon=True)
        self.thread.start()

    def __exit__(self, *failure: object) -> None:
        self.coordinator.request_stop()
        self.coordinator.join([self.thread])


def coordinator(interrupts: Interrupts, folder: str) -> None:
    """Other threads can stop and join."""

    def check(stop: _Stop) -> None:
        _in_thread(stop.coordinator.request_stop)
        assert stop.coordinator.should_stop()
        _in_thread(lambda: stop.coordinator.join([stop.thread]))
        assert stop.coordinator.joined
        assert not stop.thread.is_alive()

    _each_moment(interrupts, _Stop, check)


class _Report(_Stop):
    """A coordinator that a failure stops."""

    def __init__(self) -> None:
        super().__init__()
        self.context = self.coordinator.stop_on_exception()
        self.context.__enter__()

    def __exit__(self, *failure: object) -> None:
        reported = ValueError("reported")
        self.context.__exit__(ValueError, reported, None)


def report(interrupts: Interrupts, folder: str) -> None:
    """A coordinator with a failure has stopped; one without can be stopped."""

    def check(stop: _Report) -> None:
        failed = False
        try:
            stop.coordinator.raise_requested_exception()
        except (ValueError, KeyboardInterrupt):
            failed = True
        assert stop.coordinator.should_stop() or not failed
        _in_thread(stop.coordinator.request_stop)
        stop.thread.join(_PATIENCE)
        assert not stop.thread.is_alive()

    _each_moment(interrupts, _Report, check)


def writer(interrupts: Interrupts, folder: str) -> None:
    """No event is lost, and a second `close` completes an interrupted one."""
    count = 0

    def begin() -> Any:
        nonlocal count
        count += 1
        made = tf.summary.FileWriter(os.path.join(folder, str(count)))
        for step in range(3):
            made.add_summary(tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=step)]), step)
        return made.__enter__()

    def check(made: Any) -> None:
        _in_thread(made.close)
        (name,) = os.listdir(made.get_logdir())
        events = tf.train.summary_iterator(os.path.join(made.get_logdir(), name))
        assert [event.step for event in events if event.summary.value] == [0, 1, 2]

    _each_moment(interrupts, begin, check)


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.FATAL)
    _kinds = {f.__name__: f for f in (session, interactive, monitored, coordinator, report, writer)}
    _interrupts = Interrupts(1)
    _kinds[sys.argv[1]](_interrupts, sys.argv[2])
    print(_interrupts.count)
