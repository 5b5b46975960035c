"""A coordinator ends threads together and raises the first failure; looper threads keep time."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from typing import Any

import pytest

import ferroflow as tf


def failing_thread(coord: tf.train.Coordinator) -> threading.Thread:
    """A thread, not started, that fails in a function one can recognize."""

    def recognizable() -> None:
        raise ZeroDivisionError("from the thread")

    def run() -> None:
        with coord.stop_on_exception():
            recognizable()

    return threading.Thread(target=run)


def test_threads_stop_when_one_asks() -> None:
    coord = tf.train.Coordinator()
    threads = [threading.Thread(target=coord.wait_for_stop) for _ in range(3)]
    threads.append(threading.Thread(target=coord.request_stop))
    for thread in threads:
        coord.register_thread(thread)
    assert not coord.should_stop()
    assert not coord.wait_for_stop(0.001)
    assert not coord.joined
    for thread in threads:
        thread.start()
    coord.join(threads[:1])
    assert coord.should_stop()
    assert coord.joined
    assert not any(t.is_alive() for t in threads)
    coord.clear_stop()
    assert not coord.should_stop()
    assert not coord.joined


def test_the_first_failure_is_raised_with_the_traceback_of_its_thread() -> None:
    coord = tf.train.Coordinator()
    thread = failing_thread(coord)
    thread.start()
    with pytest.raises(ZeroDivisionError, match="from the thread") as raised:
        coord.join([thread])
    assert "recognizable" in "".join(traceback.format_tb(raised.value.__traceback__))
    with pytest.raises(ZeroDivisionError):
        coord.raise_requested_exception()
    coord.request_stop()
    coord.clear_stop()
    coord.raise_requested_exception()
    coord.join()


def test_a_failure_that_is_reported_while_it_is_handled_is_raised() -> None:
    coord = tf.train.Coordinator()
    try:
        raise RuntimeError("first")
    except RuntimeError as e:
        coord.request_stop(e)
    try:
        raise RuntimeError("second")
    except RuntimeError:
        coord.request_stop(sys.exc_info())
    with pytest.raises(RuntimeError, match="first"):
        coord.join([])
    # Nobody will ask any more: a failure that comes after the join is raised at once.
    coord = tf.train.Coordinator()
    coord.join([])
    try:
        raise RuntimeError("late")
    except RuntimeError as e:
        with pytest.raises(RuntimeError, match="late"):
            coord.request_stop(e)


def test_something_that_is_no_exception_being_handled_is_refused_by_join() -> None:
    coord = tf.train.Coordinator()
    coord.request_stop((None, None, None))
    with pytest.raises(ValueError, match=r"ex must be a tuple or sys\.exc_info"):
        coord.join([])


@pytest.mark.parametrize("kinds", [None, (KeyError,)])
def test_the_end_of_input_is_no_failure(kinds: Any) -> None:
    coord = tf.train.Coordinator(kinds)
    end = KeyError("end") if kinds else tf.errors.OutOfRangeError(None, None, "end")
    with coord.stop_on_exception():
        raise end
    coord.join([])
    assert coord.should_stop()


def test_threads_that_do_not_stop_are_named_and_their_stacks_logged(caplog: pytest.LogCaptureFixture) -> None:
    release = threading.Event()

    def stubborn_work() -> None:
        release.wait(60)

    for ignored in (False, True):
        coord = tf.train.Coordinator()
        thread = threading.Thread(target=stubborn_work, name="stubborn", daemon=True)
        thread.start()
        coord.request_stop()
        caplog.clear()
        tf.logging.set_verbosity(tf.logging.INFO)
        logger = __import__("logging").getLogger("tensorflow")
        logger.addHandler(caplog.handler)
        try:
            if ignored:
                coord.join([thread], stop_grace_period_secs=0.01, ignore_live_threads=True)
            else:
                with pytest.raises(RuntimeError, match="threads still running: stubborn"):
                    coord.join([thread], stop_grace_period_secs=0.01)
        finally:
            logger.removeHandler(caplog.handler)
        assert "stubborn_work" in caplog.text
    release.set()


def test_a_looper_calls_its_target_again_and_again_until_the_stop() -> None:
    coord = tf.train.Coordinator()
    calls: list[tuple[int, int]] = []

    def call(a: int, b: int) -> None:
        calls.append((a, b))
        if len(calls) == 5:
            coord.request_stop()

    looper = tf.train.LooperThread.loop(coord, None, call, args=(1,), kwargs={"b": 2})
    coord.join()
    assert calls == [(1, 2)] * 5
    assert not looper.is_alive()
    assert looper.daemon


def test_a_looper_with_a_timer_does_not_drift() -> None:
    coord = tf.train.Coordinator()
    times: list[float] = []

    class Looper(tf.train.LooperThread):  # type: ignore[misc]
        """Notes when it is called, and takes half of its interval for it."""

        ended = False

        def run_loop(self) -> None:
            times.append(time.time())
            if len(times) == 5:
                coord.request_stop()
            time.sleep(0.02)

        def stop_loop(self) -> None:
            self.ended = True

    looper = Looper(coord, 0.04)
    looper.start()
    coord.join()
    assert looper.ended
    # Calls come late on a busy machine, but what was late is made up for: none before its time, counted from the first.
    assert all(t - times[0] >= 0.04 * i - 0.011 for i, t in enumerate(times))


def test_a_failure_in_a_looper_stops_the_others() -> None:
    coord = tf.train.Coordinator()
    tf.train.LooperThread.loop(coord, 60, lambda: None)
    tf.train.LooperThread.loop(coord, None, lambda: [][0])
    with pytest.raises(IndexError):
        coord.join()
    with pytest.raises(ValueError, match="must be a Coordinator"):
        tf.train.LooperThread(None, 1)
    with pytest.raises(ValueError, match="also pass 'target'"):
        tf.train.LooperThread(coord, 1, args=(1,))
