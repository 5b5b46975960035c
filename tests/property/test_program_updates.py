"""The laws of writes that compute their values: random updates give variables the bits of their single operations."""

from __future__ import annotations

import threading
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.session import config as session_config, session as session_module
from ferroflow.python.framework import function

_REASON = "a write to a variable computes its value as it writes it"
_STEPS = 3
_VARIABLES = 3
# In the tensors themselves; in memory of their own; for several threads.
_SIZES = [3, 40, 70_001]
_FEW = settings(max_examples=max(8, settings.default.max_examples // 2), deadline=None)

_FUNCTIONS = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * 0.75,
    lambda x, y: tf.tanh(x),
    lambda x, y: tf.minimum(x, y) * y,
    lambda x, y: tf.where(x > y, x, -y),
    lambda x, y: tf.reduce_mean(x) + y,
    lambda x, y: tf.identity(x),
    lambda x, y: x * tf.tile(y[:1], tf.shape(x)),
    lambda x, y: tf.while_loop(lambda i, _: i < 2, lambda i, t: (i + 1, tf.tanh(t) * y), [tf.constant(0), x])[1],
    lambda x, y: tf.cond(x[0] > 0.0, lambda: x * y, lambda: y - x),
]
_KINDS = ["assign", "assign_add", "assign_sub"]
_ANY = st.integers(0, 50)
_MADE = st.tuples(st.just("node"), st.integers(0, len(_FUNCTIONS) - 1), _ANY, _ANY, st.none() | _ANY)
_READ = st.tuples(st.just("read"), st.integers(0, _VARIABLES - 1), st.none() | _ANY)
# An update mostly takes what was made last.
_UPDATE = st.tuples(
    st.just("update"),
    st.sampled_from(_KINDS),
    st.integers(0, _VARIABLES - 1),
    st.one_of(st.just(0), st.just(0), _ANY),
    st.one_of(st.none(), st.none(), _ANY),
)
_PARTS = st.tuples(
    st.lists(st.one_of(_MADE, _MADE, _READ, _UPDATE, _UPDATE), min_size=1, max_size=12), _MADE, _UPDATE
).map(lambda drawn: [*drawn[0], *drawn[1:]])


def _without_updates():
    """Makes sessions whose writes do not compute their values."""
    options = session_config.session_options
    return mock.patch.object(
        session_module, "session_options", lambda config: {**options(config), "without_rewrites": ["update"]}
    )


def _build(parts, dtype, size, resource):
    """Builds a program; returns its graph, its updates, its reads of variables and the variables."""
    random = np.random.RandomState(3)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(dtype, [size], "x")
        variables = [
            tf.Variable(random.normal(size=size).astype(dtype), name=f"v{k}", use_resource=resource)
            for k in range(_VARIABLES)
        ]
        made = [x, *(v.read_value() for v in variables)]
        ops, reads = [x.op], []
        for kind, *rest, waits_for in parts:
            with tf.control_dependencies([] if waits_for is None else [ops[waits_for % len(ops)]]):
                if kind == "update":
                    name, variable, value = rest
                    ops.append(getattr(variables[variable], name)(made[-1 - value % len(made)]).op)
                    continue
                if kind == "read":
                    made.append(variables[rest[0]].read_value())
                    reads.append(made[-1])
                else:
                    function, a, b = rest
                    made.append(_FUNCTIONS[function](made[-1 - a % len(made)], made[-1 - b % len(made)]))
                ops.append(made[-1].op)
        return graph, [op for op in ops if op.type.startswith("Assign")], reads, variables


def _bits(built, dtype, size, config=None):
    """Returns the bits of what is fetched in each step and of the variables after it."""
    graph, updates, reads, variables = built
    found = []
    with graph.as_default(), tf.Session(graph=graph, config=config) as session, np.errstate(all="ignore"):
        session.run(tf.global_variables_initializer())
        for step in range(_STEPS):
            feeds = {"x:0": np.random.RandomState(step).normal(size=size).astype(dtype)}
            found.append([value.tobytes() for value in session.run([reads, updates], feeds)[0]])
            found.append([value.tobytes() for value in session.run(variables)])
    return found


def _fuses(built):
    graph, updates, reads, _ = built
    with tf.Session(graph=graph) as session:
        return _REASON in session._core.plan_text(reads, [graph.get_tensor_by_name("x:0")], updates)


@pytest.mark.parametrize("size", _SIZES)
def test_updates_have_the_bits_of_their_single_operations(size):
    fused = []

    @_FEW
    @given(parts=_PARTS, dtype=st.sampled_from([np.float32, np.float64]), resource=st.booleans())
    def check(parts, dtype, resource):
        built = _build(parts, dtype, size, resource)
        fused.append(_fuses(built))
        with _without_updates():
            expected = _bits(built, dtype, size)
        for threads in (1, 3):
            assert _bits(built, dtype, size, tf.ConfigProto(intra_op_parallelism_threads=threads)) == expected

    check()
    assert sum(fused) > len(fused) * 0.3


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("kind", _KINDS)
def test_a_plan_says_that_a_write_computes_its_value(kind, resource):
    v = tf.Variable(tf.ones([40]), use_resource=resource)
    x = tf.placeholder(tf.float32, [40])
    update = getattr(v, kind)((v - x) * 0.1).op
    with tf.Session() as session:
        assert _REASON in session._core.plan_text([], [x], [update])
    with _without_updates(), tf.Session() as session:
        assert _REASON not in session._core.plan_text([], [x], [update])


def test_averages_behind_a_training_step_are_one_pass_each():
    w = tf.Variable(tf.ones([300]))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.square(w)))
    with tf.control_dependencies([train]):
        average = tf.train.ExponentialMovingAverage(0.9).apply([w])
    with tf.Session() as session:
        lines = [line for line in session._core.plan_text([], [], [average]).splitlines() if _REASON in line]
        assert len(lines) == 1
        session.run(tf.global_variables_initializer())
        session.run(average)
        np.testing.assert_array_equal(session.run(w), np.full(300, 1 - np.float32(0.1) * 2, np.float32))


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("resource", [False, True])
def test_errors_are_those_of_the_single_operations_and_leave_the_variable(kind, resource):
    outcomes = []
    for made in (mock.MagicMock(), _without_updates()):
        with tf.Graph().as_default(), made:
            v = tf.Variable(np.arange(40, dtype=np.float32), use_resource=resource)
            x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
            update = getattr(v, kind)(tf.multiply(x, y, name="factors")).op
            for shapes in ([40, 40], [40, 39], [40, 1], [1, 1], [41, 41], [39, 1]):
                with tf.Session() as session:
                    feeds = dict(zip((x, y), (np.ones(n, np.float32) for n in shapes), strict=True))
                    for initialized in (False, True):
                        if initialized:
                            session.run(v.initializer)
                        try:
                            session.run(update, feeds)
                            outcome = "runs"
                        except tf.errors.OpError as error:
                            outcome = (type(error), error.op.name, error.message.splitlines()[0])
                        is_kept = session.run(tf.is_variable_initialized(v))
                        outcomes.append((outcome, session.run(v).tobytes() if is_kept else None))
    half = len(outcomes) // 2
    assert outcomes[:half] == outcomes[half:]


def test_updates_of_several_threads_are_all_there():
    v, x = tf.Variable(tf.zeros([5000])), tf.placeholder(tf.float32, [5000])
    update = v.assign_add(x * 2.0).op
    with tf.Session() as session:
        session.run(v.initializer)
        run = session.make_callable(update, feed_list=[x])
        threads = [
            threading.Thread(target=lambda: [run(np.ones(5000, np.float32)) for _ in range(100)]) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(session.run(v), np.full(5000, 800, np.float32))


def test_what_was_fetched_before_an_update_stays():
    v = tf.Variable(tf.ones([70_000]))
    update = v.assign_sub(v * 0.5).op
    with tf.Session() as session:
        session.run(v.initializer)
        before = session.run(v)
        session.run(update)
        np.testing.assert_array_equal(before, np.ones(70_000, np.float32))
        np.testing.assert_array_equal(session.run(v), np.full(70_000, 0.5, np.float32))


@pytest.mark.parametrize("kind", _KINDS)
def test_handles_that_are_values_of_the_step_keep_their_order(kind):
    @function.Defun(tf.resource, tf.float32)
    def doubled_first(handle, x):
        raw = {"assign": "AssignVariableOp", "assign_add": "AssignAddVariableOp", "assign_sub": "AssignSubVariableOp"}
        write = getattr(tf.raw_ops, raw[kind])(resource=handle, value=x * 2.0)
        with tf.control_dependencies([write]):
            return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)

    found = []
    for made in (mock.MagicMock(), _without_updates()):
        with tf.Graph().as_default(), made:
            v = tf.Variable(np.arange(40, dtype=np.float32), use_resource=True)
            result = doubled_first(v.handle, tf.constant(np.ones(40, np.float32)))
            with tf.Session() as session:
                session.run(v.initializer)
                found.append([session.run(result).tobytes(), session.run(v).tobytes()])
    assert found[0] == found[1]


def test_updates_in_a_loop():
    found = []
    for made in (mock.MagicMock(), _without_updates()):
        with tf.Graph().as_default(), made:
            v = tf.Variable(tf.ones([40]))
            x = tf.placeholder(tf.float32, [40])

            def turn(i, t, v=v, x=x):
                changing, same = v.assign_sub(t * 0.25), v.assign_add(tf.exp(x) * 0.5)
                with tf.control_dependencies([changing, same]):
                    return i + 1, tf.tanh(t) + x

            _, last = tf.while_loop(lambda i, _: i < 4, turn, [tf.constant(0), x])
            with tf.Session() as session:
                session.run(v.initializer)
                feeds = {x: np.linspace(-1, 1, 40, dtype=np.float32)}
                found.append([session.run(last, feeds).tobytes(), session.run(v).tobytes()])
    assert found[0] == found[1]


@pytest.mark.parametrize("resource", [False, True])
def test_a_write_may_change_the_shape(resource):
    v = tf.Variable(tf.ones([40]), use_resource=resource, validate_shape=False)
    x = tf.placeholder(tf.float32, [None])
    update = tf.assign(v, v * x, validate_shape=False)
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(tf.assign(v, x * 3.0, validate_shape=False).op, {x: np.ones(1, np.float32)})
        for _ in range(2):
            session.run(update.op, {x: np.full(60, 2, np.float32)})
        np.testing.assert_array_equal(session.run(v), np.full(60, 12, np.float32))


def _feeds_of_changing_shapes(v, x):
    y = tf.placeholder(tf.float32)
    updates = [v.assign_add(x * y).op, v.assign(v * x - y).op, v.assign_sub(tf.maximum(x, y)).op]
    for step in range(24):
        sizes = [((40,), (40,)), ((40,), ()), ((1,), (40,)), ((41,), (1,))][step % 4]
        given = (np.random.RandomState(step + k).normal(size=size).astype(np.float32) for k, size in enumerate(sizes))
        yield updates[step % 3], dict(zip((x, y), given, strict=True))


def _branches_in_a_loop(v, x):
    def turn(i, t):
        branches = [(tf.equal(i % 3, k), update) for k, update in enumerate(_BRANCHES)]
        made = tf.case(
            [(p, lambda u=u: tf.identity(u(v, t, x))) for p, u in branches], lambda: tf.identity(v.assign_sub(t))
        )
        with tf.control_dependencies([made]):
            return i + 1, t * 0.5 + v.read_value() * 0.1

    last = tf.while_loop(lambda i, _: i < 7, turn, [tf.constant(0), x], [tf.TensorShape([]), tf.TensorShape([None])])[1]
    for step in range(4):
        yield last, {x: np.random.RandomState(step).normal(size=40).astype(np.float32)}


_BRANCHES = [lambda v, t, x: v.assign_add(tf.tanh(x) * t), lambda v, t, x: v.assign(v.read_value() * 0.5 + x)]


def _stretched_values(v, x):
    n, given = tf.placeholder(tf.int32, []), np.float32([0.75])
    updates = [
        v.assign_add(tf.tile(x, [n]) * v).op,
        v.assign(tf.fill([n], x[0]) * v).op,
        v.assign_sub(tf.broadcast_to(x, [n]) - v).op,
    ]
    for step in range(12):
        yield updates[step % 3], {x: given, n: 40 + step % 2}


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("program", [_feeds_of_changing_shapes, _branches_in_a_loop, _stretched_values])
def test_programs_with_writes_have_the_bits_and_errors_of_their_single_operations(program, resource):
    found = []
    for made in (mock.MagicMock(), _without_updates()):
        found.append([])
        with tf.Graph().as_default(), made:
            v = tf.Variable(np.arange(40, dtype=np.float32) / 40, use_resource=resource)
            with tf.Session() as session:
                steps = program(v, tf.placeholder(tf.float32, [None]))
                for k, (fetched, feeds) in enumerate(steps):
                    if k == 0:
                        session.run(v.initializer)
                    try:
                        session.run(fetched, feeds)
                    except tf.errors.InvalidArgumentError as error:
                        found[-1].append(error.message.splitlines()[0])
                    found[-1].append(session.run(v).tobytes())
    assert found[0] == found[1]
