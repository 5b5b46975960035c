"""Interrupts one kind of call again and again at random moments, as Ctrl-C does, and checks what is kept after each.

`python interrupted_program.py KIND TIMES SEED FOLDER` prints how many calls were interrupted.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import ferroflow as tf

# Longest time from a call to its interrupt, in seconds. A blocked call waits for its interrupt.
_LONGEST = 0.03
# A call that does not end within this time after its interrupt hangs.
_PATIENCE = 60.0


class Interrupts:
    """Calls functions and interrupts them.

    Attributes:
        count: int, the calls that were interrupted.
    """

    def __init__(self, seed: int) -> None:
        self._choose = random.Random(seed)
        self.count = 0
        signal.signal(signal.SIGALRM, self._raise)

    @staticmethod
    def _raise(*_: Any) -> None:
        raise KeyboardInterrupt

    def call(self, function: Callable[[], Any], longest: float = _LONGEST) -> list[Any]:
        """The function's value in a list, or nothing if it was interrupted."""
        value: list[Any] = []
        began = time.monotonic()
        try:
            signal.setitimer(signal.ITIMER_REAL, self._choose.uniform(1e-5, longest))
            value = [function()]
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            self.count += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert time.monotonic() < began + _PATIENCE, "the call did not end"
        return value


def _variables(interrupts: Interrupts, times: int, folder: str) -> None:
    """Every update of a variable is whole."""
    v = tf.Variable(tf.zeros([1 << 18]))
    update = tf.group(*[v.assign_add(tf.ones([1 << 18])) for _ in range(3)])
    smallest, largest = tf.reduce_min(v), tf.reduce_max(v)
    with tf.Session() as session:
        session.run(v.initializer)
        last = 0.0
        for _ in range(times):
            interrupts.call(lambda: session.run(update), 0.002)
            low, high = session.run([smallest, largest])
            assert low == high, (low, high)
            assert last <= low <= last + 3
            last = low


def _iterator(interrupts: Interrupts, times: int, folder: str) -> None:
    """Elements come in order, none twice; at most the one of an interrupted call is lost."""
    dataset = tf.data.Dataset.range(1 << 40).map(lambda n: tf.fill([20_000], n)).batch(3).prefetch(2)
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        following = 0
        for _ in range(times):
            before = interrupts.count
            interrupts.call(lambda: session.run(element), 0.002)
            seen = session.run(element)
            assert (seen == seen[:, :1]).all()
            first = int(seen[0, 0])
            assert first in ({following, following + 3} if interrupts.count > before else {following + 3}), (
                first,
                following,
            )
            following = first + 3


def _queue(interrupts: Interrupts, times: int, folder: str) -> None:
    """A blocked call ends, and takes or gives nothing but what it returns."""
    queue = tf.FIFOQueue(2, tf.int64, [])
    fed = tf.placeholder(tf.int64, [])
    put, get, size = queue.enqueue(fed), queue.dequeue(), queue.size()
    both = queue.dequeue_many(2)
    with tf.Session() as session:
        for number in range(times):
            # Empty: dequeues wait.
            waiting = get if number % 2 else both
            interrupts.call(partial(session.run, waiting), 0.02)
            assert session.run(size) == 0
            session.run(put, {fed: number})
            # With one of two elements: nothing is taken.
            interrupts.call(lambda: session.run(both), 0.02)
            assert session.run(size) == 1
            session.run(put, {fed: number + 1})
            # Full: enqueues wait.
            interrupts.call(lambda: session.run(put, {fed: -1}), 0.02)
            assert session.run(both).tolist() == [number, number + 1]
    assert interrupts.count == 3 * times


def _unfinished(folder: str) -> list[str]:
    """Files of unfinished saves, but for the marks of old checkpoints, which the next save removes with these."""
    return [name for name in _files(folder) if "temp" in name and not name.endswith("_superfluous")]


def _files(folder: str) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name != "checkpoint")


def _saver(interrupts: Interrupts, times: int, folder: str) -> None:
    """The checkpoint that is found is whole, and nothing else is left."""
    v = tf.Variable(tf.zeros([1 << 16]))
    fed = tf.placeholder(tf.float32, [])
    update = v.assign(tf.fill([1 << 16], fed))
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as session:
        session.run(v.initializer)
        saver.save(session, folder + "/model", 0)
        for number in range(1, times + 1):
            session.run(update, {fed: number})
            interrupts.call(partial(saver.save, session, folder + "/model", number))
            latest = tf.train.latest_checkpoint(folder)
            assert latest is not None
            value = tf.train.load_variable(latest, v.op.name)
            assert (value == int(latest.rsplit("-", 1)[1])).all()
            assert not _unfinished(folder), _files(folder)
        saver.save(session, folder + "/model", times + 1)
        assert str(tf.train.latest_checkpoint(folder)).endswith(f"-{times + 1}")
        assert not [name for name in _files(folder) if "temp" in name], _files(folder)


def _estimator(interrupts: Interrupts, times: int, folder: str) -> None:
    """Training goes on from the last checkpoint."""

    def model(features: Any, labels: Any, mode: str) -> Any:
        v = tf.get_variable("v", [1 << 12])
        step = tf.train.get_global_step()
        counted = tf.get_variable("counted", [], initializer=tf.zeros_initializer(), trainable=False)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.square(v)), step)
        with tf.control_dependencies([train]):
            both = tf.group(counted.assign_add(1.0))
        return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(v), train_op=both)

    def inputs() -> Any:
        return tf.data.Dataset.from_tensors((1.0, 1.0)).repeat()

    config = tf.estimator.RunConfig(save_checkpoints_steps=5, save_summary_steps=7, log_step_count_steps=None)
    estimator = tf.estimator.Estimator(model, folder, config)
    estimator.train(inputs, steps=1)
    last = 1
    for _ in range(times):
        interrupts.call(lambda: estimator.train(inputs, steps=1_000_000), 1.0)
        assert tf.get_default_graph() is _GRAPH
        step, counted = (int(estimator.get_variable_value(name)) for name in ("global_step", "counted"))
        assert step == counted >= last, (step, counted, last)
        last = step
        assert not _unfinished(folder), _files(folder)
    estimator.train(inputs, steps=3)
    assert int(estimator.get_variable_value("global_step")) == last + 3


_GRAPH = tf.get_default_graph()
KINDS = {f.__name__[1:]: f for f in (_variables, _iterator, _queue, _saver, _estimator)}


if __name__ == "__main__":
    _kind, _times, _seed, _folder = sys.argv[1:]
    _interrupts = Interrupts(int(_seed))
    tf.logging.set_verbosity(tf.logging.FATAL)
    KINDS[_kind](_interrupts, int(_times), _folder)
    print(_interrupts.count)
