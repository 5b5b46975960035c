"""A failure ends the nodes that come after it; the others of the step run, as in TensorFlow 1."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ferroflow as tf

_WRITES = 5


def _closed_queue() -> tuple[Any, list[Any]]:
    queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
    return queue.dequeue(), [queue.close()]


def _ended_dataset() -> tuple[Any, list[Any]]:
    return tf.data.Dataset.range(0).make_one_shot_iterator().get_next(), []


def _assertion() -> tuple[Any, list[Any]]:
    x = tf.placeholder_with_default(-1.0, [])
    return tf.Assert(x > 0, [x]), []


def _gather() -> tuple[Any, list[Any]]:
    return tf.gather([1.0, 2.0], tf.placeholder_with_default(7, [])), []


def _python_function() -> tuple[Any, list[Any]]:
    def fail() -> None:
        raise ValueError("fails")

    return tf.py_func(fail, [], tf.float32), []


def _epochs() -> tuple[Any, list[Any]]:
    limited = tf.train.limit_epochs([tf.constant(1.0)], num_epochs=1)
    return limited, [tf.local_variables_initializer(), limited]


def _missing_file() -> tuple[Any, list[Any]]:
    return tf.read_file(tf.placeholder_with_default("/nonexistent/file", [])), []


def _failing_loop() -> tuple[Any, list[Any]]:
    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.Assert(i < 3, [i])]):
            return i + 1

    return tf.while_loop(lambda i: i < 9, body, [tf.placeholder_with_default(0, [])]), []


def _no_value() -> tuple[Any, list[Any]]:
    return tf.get_variable("empty", [], collections=["other"]) + 1.0, []


_FAILURES: list[tuple[Callable[[], tuple[Any, list[Any]]], type[Exception]]] = [
    (_closed_queue, tf.errors.OutOfRangeError),
    (_ended_dataset, tf.errors.OutOfRangeError),
    (_assertion, tf.errors.InvalidArgumentError),
    (_gather, tf.errors.InvalidArgumentError),
    (_python_function, tf.errors.InvalidArgumentError),
    (_epochs, tf.errors.OutOfRangeError),
    (_missing_file, tf.errors.NotFoundError),
    (_failing_loop, tf.errors.InvalidArgumentError),
    (_no_value, tf.errors.FailedPreconditionError),
]


def _writes(name: str) -> tuple[Any, Any]:
    """Returns a variable and the last of some writes, each of which comes after the one before."""
    variable = tf.get_variable(name, initializer=0.0)
    written: list[Any] = []
    for _ in range(_WRITES):
        with tf.control_dependencies(written):
            written = [tf.assign_add(variable, 1.0)]
    return variable, written[0]


@pytest.mark.parametrize("comes_first", [False, True])
@pytest.mark.parametrize(("make", "error"), _FAILURES)
def test_writes_that_do_not_come_after_a_failure_happen(
    make: Callable[[], tuple[Any, list[Any]]], error: type[Exception], comes_first: bool
) -> None:
    before = _writes("before") if comes_first else None
    failing, first = make()
    variable, write = before or _writes("before")
    with tf.control_dependencies(tf.contrib.framework.nest.flatten(failing)):
        never = tf.assign_add(tf.get_variable("never", initializer=0.0), 1.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for op in first:
            sess.run(op)
        for steps in range(1, 4):
            with pytest.raises(error):
                sess.run([never, failing, write])
            values = sess.run([variable, tf.global_variables("never")[0]])
            assert values == [_WRITES * steps, 0.0]


def test_a_failure_between_others_is_reported_though_later_nodes_fail_too() -> None:
    queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
    taken = queue.dequeue(name="taken")
    variable, write = _writes("v")
    with tf.control_dependencies([write]):
        checked = tf.check_numerics(variable.read_value() / 0.0, "not finite")
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), queue.close()])
        with pytest.raises(tf.errors.OutOfRangeError, match="taken"):
            sess.run([taken, checked])
        assert sess.run(variable) == _WRITES


def test_what_waits_when_another_node_fails_neither_happens_nor_keeps_the_step(tmp_path: Path) -> None:
    empty, full = tf.FIFOQueue(3, [tf.float32], shapes=[[]]), tf.FIFOQueue(1, [tf.float32], shapes=[[]])
    variable, write = _writes("v")
    taken = empty.dequeue()
    failing = tf.read_file(tf.placeholder_with_default(str(tmp_path / "missing"), []))
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), full.enqueue(1.0)])
        with pytest.raises(tf.errors.NotFoundError):
            sess.run([taken, full.enqueue(2.0), failing, write])
        assert sess.run([variable, full.size(), empty.size()]) == [_WRITES, 1, 0]


def test_a_training_step_at_the_end_of_the_input_counts() -> None:
    queue = tf.FIFOQueue(3, [tf.string], shapes=[[]])
    name = queue.dequeue()
    weights = tf.get_variable("w", initializer=[2.5, 3.0])
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(weights), global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([queue.enqueue_many([["a", "b"]])])
        sess.run(queue.close())
        sess.run([train, name])
        sess.run([train, name])
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run([train, name])
        assert sess.run(step) == 3


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("reading", ["fetched", "product", "written", "added"])
def test_a_variable_without_a_value_fails_a_step_that_waits(use_resource: bool, reading: str) -> None:
    taken = tf.FIFOQueue(3, [tf.float32], shapes=[[2, 2]]).dequeue()
    weights = tf.get_variable("w", [2, 2], use_resource=use_resource)
    makers: dict[str, Any] = {
        "fetched": lambda: [taken, weights],
        "product": lambda: tf.matmul(taken, weights),
        "written": lambda: weights.assign(weights * taken).op,
        "added": lambda: weights.assign_add(taken * weights).op,
    }
    fetch = makers[reading]()
    with tf.Session() as sess, pytest.raises(tf.errors.FailedPreconditionError, match="w"):
        sess.run(fetch)


def test_a_read_that_comes_after_what_waits_finds_the_value_that_it_had_to_wait_for() -> None:
    queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
    variable = tf.get_variable("v", initializer=2.0)
    taken, given = queue.dequeue(), queue.enqueue(3.0)
    with tf.control_dependencies([taken]):
        product = variable.read_value() * taken
    with tf.Session() as sess:
        values: list[Any] = []
        step = threading.Thread(target=lambda: values.append(sess.run(product)))
        step.start()
        time.sleep(0.2)
        sess.run(variable.initializer)
        sess.run(given)
        step.join(20)
        assert values == [6.0]
