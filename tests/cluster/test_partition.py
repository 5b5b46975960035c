"""What a step computes does not depend on which task each of its nodes runs at."""

from __future__ import annotations

import importlib.util
import pathlib
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.framework.apply import apply_op

_FILE = pathlib.Path(__file__).parents[1] / "property" / "visibility.py"
_SPEC = importlib.util.spec_from_file_location("visibility", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
visibility = importlib.util.module_from_spec(_SPEC)
sys.modules["visibility"] = visibility
_SPEC.loader.exec_module(visibility)

DEVICES = ("", "/job:worker/task:0", "/job:ps/task:0", "/job:ps/task:1")
_OPS = {
    "assign": "Assign",
    "assign_add": "AssignAdd",
    "assign_sub": "AssignSub",
    "add": "Add",
    "mul": "Mul",
    "read": "Identity",
}
_WRITES = ("assign", "assign_add", "assign_sub")


def _config(over_sockets, **more):
    # What takes longer than a minute hangs.
    config = tf.ConfigProto(isolate_session_state=True, operation_timeout_in_ms=60_000, **more)
    config.rpc_options.use_rpc_for_inprocess_master = over_sockets
    return config


def _build(program, devices):
    graph = tf.Graph()
    ops = []
    with graph.as_default():
        for node, device in zip(program.nodes, devices, strict=True):
            # A write is where its variable is.
            place = "" if node.kind in _WRITES else device
            with tf.device(place), tf.control_dependencies([ops[c] for c in node.controls if c < len(ops)]):
                inputs = [ops[i].outputs[0] for i in node.inputs]
                if node.kind == "variable":
                    op = apply_op("VariableV2", [], {"dtype": tf.float64, "shape": [2]})
                elif node.kind == "constant":
                    op = tf.constant(np.full(2, node.value)).op
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
            apply_op("Assign", [ops[v].outputs[0], tf.constant(np.full(2, start))])
            for v, start in program.starts.items()
        ]
    return graph, ops, starts


@pytest.mark.parametrize("over_sockets", [False, True])
@given(data=st.data(), program=visibility.programs())
def test_a_step_over_tasks_gives_what_the_naive_interpreter_gives(cluster, over_sockets, data, program):
    devices = data.draw(st.lists(st.sampled_from(DEVICES), min_size=len(program.nodes), max_size=len(program.nodes)))
    graph, ops, starts = _build(program, devices)
    with tf.Session(cluster, graph=graph, config=_config(over_sockets)) as sess:
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
                    np.testing.assert_array_equal(got, np.full(2, want))
            for got, want in zip(sess.run(variables), state.values(), strict=True):
                np.testing.assert_array_equal(got, np.full(2, want))


@pytest.mark.parametrize("over_sockets", [False, True])
def test_what_a_fetched_read_of_a_distant_variable_waits_for_runs(cluster, over_sockets):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            source = apply_op("VariableV2", [], {"dtype": tf.float64, "shape": []})
        copy = apply_op("VariableV2", [], {"dtype": tf.float64, "shape": []})
        starts = [tf.assign(v.outputs[0], np.float64(x)).op for v, x in ((source, 2.0), (copy, 1.0))]
        copied = apply_op("Assign", [copy.outputs[0], source.outputs[0]])
        with tf.control_dependencies([copied]):
            read = apply_op("Identity", [source.outputs[0]])
        with tf.Session(cluster, config=_config(over_sockets)) as sess:
            sess.run(starts)
            assert sess.run(read.outputs[0]) == 2.0
            assert sess.run(copy.outputs[0]) == 2.0


@st.composite
def _expression(draw, depth=3):
    """Variables, a fed value, sums, products, updates, loops and conditionals, each operation at some task."""
    kinds = ["variable", "fed", "constant"] + (["add", "mul", "cond", "assign", "loop"] if depth > 0 else [])
    kind = draw(st.sampled_from(kinds))
    children = {"add": 2, "mul": 2, "cond": 3, "assign": 1, "loop": 1}.get(kind, 0)
    device, which = draw(st.sampled_from(DEVICES)), draw(st.integers(0, 1))
    return kind, device, which, [draw(_expression(depth - 1)) for _ in range(children)]


def _tensor(expression, variables, fed, placed):
    kind, device, which, children = expression
    with tf.device(device if placed else ""):
        if kind == "variable":
            return variables[which] * 1.0
        if kind == "fed":
            return fed[which] + 0.5
        if kind == "constant":
            return tf.constant(0.25 + which, tf.float64)
        first = _tensor(children[0], variables, fed, placed)
        if kind == "assign":
            return tf.assign_add(variables[which], first) if which else tf.assign(variables[which], first) + 0.0
        if kind == "loop":
            return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.tanh(x) + 0.1), [0, first])[1]
        if kind == "cond":
            return tf.cond(
                first > 0.5,
                lambda: _tensor(children[1], variables, fed, placed) * 2.0,
                lambda: tf.identity(_tensor(children[2], variables, fed, placed)),
            )
        second = _tensor(children[1], variables, fed, placed)
        return tf.tanh(first + second) if kind == "add" else tf.sin(first * second)


def _steps(target, expressions, places, config, values):
    graph = tf.Graph()
    with graph.as_default():
        variables = []
        for i, device in enumerate(places):
            with tf.device(device if target else ""):
                variables.append(tf.Variable(np.float64(0.3 + i), name=f"v{i}"))
        fed = [tf.placeholder(tf.float64, []) for _ in range(2)]
        fetches = [_tensor(e, variables, fed, bool(target)) for e in expressions]
        with tf.Session(target, graph=graph, config=config) as sess:
            sess.run(tf.global_variables_initializer())
            return [sess.run([*fetches, *variables], dict(zip(fed, v, strict=True))) for v in values]


@pytest.mark.parametrize("over_sockets", [False, True])
@settings(max_examples=60)
@given(
    expressions=st.lists(_expression(), min_size=1, max_size=3),
    places=st.tuples(st.sampled_from(DEVICES), st.sampled_from(DEVICES)),
    values=st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=2, max_size=3),
)
def test_conditionals_and_loops_over_tasks_give_equal_bits(cluster, over_sockets, expressions, places, values):
    want = _steps("", expressions, places, None, values)
    got = _steps(cluster, expressions, places, _config(over_sockets), values)
    np.testing.assert_array_equal(np.array(got), np.array(want))


def test_a_loop_with_state_at_one_task_runs_there(cluster, config):
    with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
        total = tf.Variable(1.0)
        with tf.device("/job:worker/task:0"):
            start = tf.constant(2.0)

            def body(i, x):
                with tf.device("/job:ps/task:0"):
                    return i + 1, x + tf.assign_add(total, x)

            _, out = tf.while_loop(lambda i, x: i < 3, body, [0, start])
        with tf.Session(cluster, config=config) as sess:
            sess.run(total.initializer)
            assert sess.run(out) == 2.0 + 3.0 + 8.0 + 21.0
            assert sess.run(total) == 1.0 + 2.0 + 5.0 + 13.0


def test_a_loop_with_state_in_two_processes_says_so(cluster):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            a = tf.Variable(1.0)
        with tf.device("/job:ps/task:1"):
            b = tf.Variable(1.0)
        _, out = tf.while_loop(
            lambda i, x: i < 3, lambda i, x: (i + 1, tf.assign_add(a, x) + tf.assign_add(b, x)), [0, tf.constant(1.0)]
        )
        with tf.Session(cluster, config=_config(True)) as sess:
            sess.run([a.initializer, b.initializer])
            with pytest.raises(tf.errors.UnimplementedError, match="state in more than one process"):
                sess.run(out)
