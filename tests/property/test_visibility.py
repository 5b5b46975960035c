"""Steps of random programs follow the visibility rule, bit for bit, at any number of threads."""

from __future__ import annotations

import contextlib
import importlib.util
import pathlib
import sys
import threading

import numpy as np
import pytest
from hypothesis import given

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.framework.apply import apply_op

_SPEC = importlib.util.spec_from_file_location("visibility", pathlib.Path(__file__).with_name("visibility.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
visibility = importlib.util.module_from_spec(_SPEC)
sys.modules["visibility"] = visibility
_SPEC.loader.exec_module(visibility)

_OPS = {
    "assign": "Assign",
    "assign_add": "AssignAdd",
    "assign_sub": "AssignSub",
    "add": "Add",
    "mul": "Mul",
    "read": "Identity",
}


def _build(program, size):
    """The program as a graph: (graph, operations, initializer)."""
    graph = tf.Graph()
    ops = []
    with graph.as_default():
        for node in program.nodes:
            with tf.control_dependencies([ops[c] for c in node.controls if c < len(ops)]):
                inputs = [ops[i].outputs[0] for i in node.inputs]
                if node.kind == "variable":
                    op = apply_op("VariableV2", [], {"dtype": tf.float64, "shape": [size]})
                elif node.kind == "constant":
                    op = tf.constant(np.full(size, node.value)).op
                elif node.kind == "noop":
                    op = apply_op("NoOp", [])
                else:
                    op = apply_op(_OPS[node.kind], inputs)
            ops.append(op)
        for i, node in enumerate(program.nodes):
            late = [ops[c] for c in node.controls if c > i]
            if late:
                ops[i]._add_control_inputs(late)
        starts = [
            apply_op("Assign", [ops[v].outputs[0], tf.constant(np.full(size, start))])
            for v, start in program.starts.items()
        ]
    return graph, ops, starts


@contextlib.contextmanager
def _side_by_side(yes):
    """Makes the sessions inside run all that they can side by side; with one thread, one lane after the other."""
    _core.assume_time(50_000 if yes else 0)
    try:
        yield
    finally:
        _core.assume_time(0)


@pytest.mark.parametrize("side_by_side", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 4])
@given(program=visibility.programs())
def test_a_step_gives_what_the_naive_interpreter_gives(threads, side_by_side, program):
    size = 3
    graph, ops, starts = _build(program, size)
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with _side_by_side(side_by_side), tf.Session(graph=graph, config=config) as sess:
        sess.run(starts)
        state = dict(program.starts)
        fetches = [ops[f].outputs[0] if ops[f].outputs else ops[f] for f in program.fetches]
        variables = [ops[v].outputs[0] for v in program.starts]
        for _ in range(2):
            expected, state = visibility.interpret(program, state)
            for got, want in zip(sess.run(fetches), expected, strict=True):
                if want is None:
                    assert got is None
                else:
                    np.testing.assert_array_equal(got, np.full(size, want))
            for got, want in zip(sess.run(variables), state.values(), strict=True):
                np.testing.assert_array_equal(got, np.full(size, want))


def test_what_was_fetched_is_not_changed_by_later_steps():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = apply_op("VariableV2", [], {"dtype": tf.float32, "shape": [1000]}).outputs[0]
        sess.run(apply_op("Assign", [v, tf.constant(np.zeros(1000, np.float32))]))
        add = apply_op("AssignAdd", [v, tf.constant(np.ones(1000, np.float32))])
        first = sess.run(v)
        after = sess.run(add.outputs[0])
        sess.run(add)
        np.testing.assert_array_equal(first, np.zeros(1000))
        np.testing.assert_array_equal(after, np.ones(1000))
        first[:] = 7
        np.testing.assert_array_equal(sess.run(v), np.full(1000, 2.0))


def test_what_was_fed_may_change_after_the_step():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = apply_op("VariableV2", [], {"dtype": tf.float32, "shape": [1000]}).outputs[0]
        x = apply_op("Placeholder", [], {"dtype": tf.float32, "shape": [1000]}).outputs[0]
        fed = np.ones(1000, np.float32)
        sess.run(apply_op("Assign", [v, x]), {x: fed})
        fed[:] = 5
        np.testing.assert_array_equal(sess.run(v), np.ones(1000))


def test_threads_on_one_session_lose_no_update_and_tear_no_tensor():
    size, threads, steps = 50_000, 4, 50
    with tf.Graph().as_default(), tf.Session() as sess:
        v = apply_op("VariableV2", [], {"dtype": tf.float32, "shape": [size]}).outputs[0]
        sess.run(apply_op("Assign", [v, tf.constant(np.zeros(size, np.float32))]))
        add = apply_op("AssignAdd", [v, tf.constant(np.ones(size, np.float32))])
        twice = apply_op("Mul", [v, tf.constant(np.float32(2))]).outputs[0]
        torn = []

        def work():
            for _ in range(steps):
                got = sess.run([add, twice])[1]
                if np.unique(got).size != 1:
                    torn.append(got)

        workers = [threading.Thread(target=work) for _ in range(threads)]
        for w in workers:
            w.start()
        for w in workers:
            w.join(timeout=120)
            assert not w.is_alive()
        assert not torn
        np.testing.assert_array_equal(sess.run(v), np.full(size, threads * steps))
