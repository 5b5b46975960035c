"""Laws of processes that are forked while other threads run steps."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import ferroflow as tf

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="locks stay usable after a fork on Linux alone"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

PROGRAM = Path(__file__).with_name("forking_program.py")
# FERROFLOW_FORKS=1000 for a thorough look.
FORKS = int(os.environ.get("FERROFLOW_FORKS", "70"))


@pytest.mark.parametrize("mode", ["fresh", "parent", "both"])
def test_no_child_of_a_busy_process_hangs(mode):
    ended = subprocess.run(
        [sys.executable, str(PROGRAM), mode, str(FORKS)],
        capture_output=True,
        text=True,
        timeout=120 + FORKS * 5,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    done, refused, others = re.fullmatch(r"(\d+) done, (\d+) refused, others (.*)\n", ended.stdout).groups()
    assert others == "{}", ended.stdout
    assert int(done) + int(refused) == FORKS
    # What the child makes itself is never refused.
    assert mode != "fresh" or int(refused) == 0, ended.stdout
    assert int(done) > 0, ended.stdout


def exit_status(work):
    """The exit status of a forked child that runs `work`; a child that hangs is ended by a signal."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            signal.alarm(60)
            status = work()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_child_is_refused_the_graph_that_another_thread_was_changing():
    graph, other = tf.Graph(), tf.Graph()
    is_held, may_end = threading.Event(), threading.Event()

    def hold():
        with graph._lock:
            is_held.set()
            may_end.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait()

    def work():
        with other.as_default():
            tf.constant(1.0)
        try:
            with graph.as_default():
                tf.constant(1.0)
        except tf.errors.FailedPreconditionError as failure:
            return 0 if "forked" in failure.message else 1
        return 2

    try:
        assert exit_status(work) == 0
    finally:
        may_end.set()
        thread.join()
    with graph.as_default():
        assert tf.constant(1.0).graph is graph


def test_a_child_is_refused_an_iterator_that_another_thread_was_reading():
    is_read, may_end = threading.Event(), threading.Event()

    def slow(n):
        is_read.set()
        may_end.wait()
        return n

    dataset = tf.data.Dataset.range(3).map(lambda n: tf.numpy_function(slow, [n], tf.int64))
    element = dataset.make_one_shot_iterator().get_next()
    two = tf.constant(1) + 1
    with tf.Session() as session:
        assert session.run(two) == 2
        thread = threading.Thread(target=lambda: session.run(element))
        thread.start()
        is_read.wait()

        def work():
            if session.run(two) != 2:
                return 1
            try:
                session.run(element)
            except tf.errors.FailedPreconditionError as failure:
                return 0 if "forked" in failure.message else 2
            return 3

        try:
            assert exit_status(work) == 0
        finally:
            may_end.set()
            thread.join()


def test_a_child_that_forked_inside_a_lock_still_has_it():
    graph = tf.Graph()

    def work():
        with graph.as_default():
            return 0 if tf.constant(1.0).graph is graph else 1

    with graph._lock:
        assert exit_status(work) == 0


def test_children_of_one_process_draw_their_own_random_numbers():
    def draw(write):
        with tf.Graph().as_default(), tf.Session() as sess:
            os.write(write, sess.run(tf.random_uniform([4])).tobytes())
        return 0

    drawn = set()
    for _ in range(3):
        read, write = os.pipe()
        assert exit_status(lambda write=write: draw(write)) == 0
        drawn.add(os.read(read, 64))
        os.close(read)
        os.close(write)
    assert len(drawn) == 3
