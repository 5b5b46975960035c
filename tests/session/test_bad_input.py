"""Misuse of sessions and graphs raises the right exception, naming the node and the Python line that made it."""

import inspect
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ferroflow as tf

INT64_PRODUCT_OVERFLOWS = [1 << 31, 1 << 31, 1 << 31]


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default() as graph:
        yield graph


def line():
    """The line that calls this function."""
    return inspect.stack()[1].lineno


def assert_names(error, node, made_at):
    """The error's message names the node and the line of this file that made it."""
    assert f"[[node {node} = " in str(error)
    assert f"{pathlib.Path(__file__).name}:{made_at})" in str(error)
    assert error.op.name == node
    assert error.node_def.name == node


def test_a_feed_of_a_type_that_does_not_convert_names_the_tensor():
    x = tf.placeholder(tf.float32, [2], name="fed")
    with tf.Session() as sess, pytest.raises(ValueError, match=r"Cannot feed .* for Tensor 'fed:0' of type float32"):
        sess.run(x + 1, {x: np.array(["a", "b"])})


def test_an_integer_that_the_fed_type_cannot_hold_is_refused():
    x = tf.placeholder(tf.int32, [])
    with tf.Session() as sess, pytest.raises(TypeError, match="is not compatible with Tensor type"):
        sess.run(x + 1, {x: 1 << 40})


def test_a_feed_of_the_wrong_shape_names_the_tensor_and_both_shapes():
    x = tf.placeholder(tf.float32, [2], name="fed")
    text = "Cannot feed value of shape (3,) for Tensor 'fed:0', which has shape '(2,)'"
    with tf.Session() as sess, pytest.raises(ValueError, match=re.escape(text)):
        sess.run(x + 1, {x: np.zeros([3])})


def test_a_callable_refuses_an_argument_of_the_wrong_shape():
    x = tf.placeholder(tf.float32, [2])
    with tf.Session() as sess:
        f = sess.make_callable(x + 1, [x])
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="Cannot feed value of shape"):
            f(np.zeros([3]))
        np.testing.assert_array_equal(f([1, 2]), [2, 3])


def test_a_callable_refuses_a_wrong_number_of_arguments():
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as sess, pytest.raises(TypeError):
        sess.make_callable(x + 1, [x])()


def test_a_tensor_marked_as_not_feedable_cannot_be_fed(fresh_graph):
    c = tf.constant(1.0, name="fixed")
    fresh_graph.prevent_feeding(c)
    with tf.Session() as sess, pytest.raises(ValueError, match=r'Tensor\("fixed:0".* may not be fed'):
        sess.run(c + 1, {c: 2.0})


def test_an_operation_cannot_be_fed():
    c = tf.constant(1.0)
    with tf.Session() as sess, pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
        sess.run(c + 1, {c.op: 2.0})


def test_a_tensor_is_no_value_to_feed():
    c = tf.constant(1.0)
    with tf.Session() as sess, pytest.raises(TypeError, match=r"cannot be a tf\.Tensor object"):
        sess.run(c + 1, {c: c})


def test_feeds_that_are_no_dict_are_refused():
    c = tf.constant(1.0)
    with tf.Session() as sess, pytest.raises(TypeError):
        sess.run(c, [c])


def test_a_fetch_of_another_graph_is_refused():
    with tf.Graph().as_default():
        other = tf.constant(1.0, name="other")
    tf.constant(2.0)
    with tf.Session() as sess, pytest.raises(ValueError, match=r"other:0.*is not an element of this graph"):
        sess.run(other)


def test_a_feed_of_another_graph_is_refused():
    with tf.Graph().as_default():
        other = tf.constant(1.0, name="other")
    c = tf.constant(2.0)
    with tf.Session() as sess, pytest.raises(TypeError, match=r"other:0.*is not an element of this graph"):
        sess.run(c, {other: 1.0})


def test_tensors_of_two_graphs_do_not_mix():
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(tf.constant(2.0), other)


@pytest.mark.parametrize("fetch", [None, 3.0, object(), [1], {"a": None}])
def test_what_is_neither_tensor_nor_name_cannot_be_fetched(fetch):
    tf.constant(1.0)
    with tf.Session() as sess, pytest.raises(TypeError, match=r"Fetch argument .* has invalid type"):
        sess.run(fetch)


def test_a_name_that_is_not_in_the_graph_cannot_be_fetched():
    tf.constant(1.0)
    with tf.Session() as sess, pytest.raises(ValueError, match="cannot be interpreted as a Tensor"):
        sess.run("absent:0")


@pytest.mark.parametrize("fetches", [[], (), {}])
def test_an_empty_graph_cannot_run(fetches):
    with tf.Session() as sess, pytest.raises(RuntimeError, match="The Session graph is empty"):
        sess.run(fetches)


def test_a_closed_session_runs_nothing():
    c = tf.constant(2.0)
    sess = tf.Session()
    f = sess.make_callable(c)
    assert sess.run(c) == 2.0
    sess.close()
    for step in (lambda: sess.run(c), lambda: sess.run([]), f, lambda: sess.make_callable(c)):
        with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\."):
            step()


def test_a_placeholder_that_is_not_fed_is_named_with_its_line():
    x = tf.placeholder(tf.float32, [2], name="hungry")
    made_at = line() - 1
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(x + 1)
    assert "You must feed a value for placeholder tensor 'hungry' with dtype float and shape [2]" in str(caught.value)
    assert_names(caught.value, "hungry", made_at)


def test_a_variable_without_a_value_is_named_with_its_line():
    w = tf.Variable([1.0, 2.0], name="w")
    made_at = line() - 1
    with tf.Session() as sess, pytest.raises(tf.errors.FailedPreconditionError) as caught:
        sess.run(w * 2)
    assert "Attempting to use uninitialized value w" in str(caught.value)
    assert_names(caught.value, "w/read", made_at)


def test_a_variable_without_a_value_cannot_be_added_to():
    w = tf.Variable([1.0, 2.0], name="w")
    with tf.Session() as sess, pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value w"):
        sess.run(tf.assign_add(w, [1.0, 1.0]))


def test_shapes_that_do_not_fit_fail_where_the_node_is_made():
    with pytest.raises(ValueError, match=r"Dimensions must be equal, but are 3 and 4.*for 'product' \(op: 'MatMul'\)"):
        tf.matmul(tf.zeros([2, 3]), tf.zeros([4, 5]), name="product")
    with pytest.raises(ValueError, match=r"for 'total' \(op: 'Add'\) with input shapes: \[2\], \[3\]"):
        tf.add(tf.constant([1, 2]), tf.constant([1, 2, 3]), name="total")


def test_types_that_do_not_fit_fail_where_the_node_is_made():
    with pytest.raises(TypeError, match="has type float32 that does not match type int32"):
        tf.add(tf.constant(1), tf.constant(1.0))


def test_a_failed_construction_leaves_the_graph_usable():
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        tf.add([1, 2], [1, 2, 3])
    with tf.Session() as sess:
        assert sess.run(tf.constant(5)) == 5


def test_shapes_that_meet_only_in_the_step_are_named_with_the_line():
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    total = tf.add(x, y, name="total")
    made_at = line() - 1
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes") as caught:
        sess.run(total, {x: np.zeros([2]), y: np.zeros([3])})
    assert_names(caught.value, "total", made_at)


def test_a_shape_whose_product_overflows_is_an_error_of_its_node():
    dims = tf.placeholder(tf.int64, [3])
    filled = tf.fill(dims, 1.0, name="huge")
    made_at = line() - 1
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(filled, {dims: INT64_PRODUCT_OVERFLOWS})
    assert_names(caught.value, "huge", made_at)


def test_a_constant_shape_whose_product_overflows_is_an_error_too():
    errors = (ValueError, tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)
    with tf.Session() as sess, pytest.raises(errors):
        sess.run(tf.zeros(INT64_PRODUCT_OVERFLOWS))


@pytest.mark.parametrize(
    "make",
    [
        lambda n: tf.fill(tf.stack([n, n]), 1.0),
        lambda n: tf.tile(tf.zeros([4, 4]), tf.stack([n, n])),
        lambda n: tf.range(tf.cast(n, tf.int64) * (1 << 30)),
    ],
    ids=["fill", "tile", "range"],
)
def test_a_tensor_larger_than_memory_is_refused_before_it_is_made(make):
    n = tf.placeholder(tf.int32, [])
    with tf.Session() as sess, pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError)):
        sess.run(make(n), {n: (1 << 31) - 1})


def test_division_of_integers_by_zero_is_an_error_of_its_node():
    zero = tf.placeholder(tf.int32, [])
    quotient = tf.floordiv(7, zero, name="quotient")
    made_at = line() - 1
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        sess.run(quotient, {zero: 0})
    assert_names(caught.value, "quotient", made_at)


def test_a_device_that_is_not_there_is_an_error_of_its_node():
    with tf.device("/gpu:0"):
        c = tf.constant(1.0, name="placed")
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device") as caught:
        sess.run(c)
    assert caught.value.op.name == "placed"
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        assert sess.run(c) == 1.0


@pytest.mark.parametrize("count", [-1, 1 << 30])
def test_an_absurd_number_of_devices_is_refused(count):
    with pytest.raises(tf.errors.InvalidArgumentError, match="device_count"):
        tf.Session(config=tf.ConfigProto(device_count={"CPU": count}))


def test_a_name_that_no_node_may_have_is_refused():
    with pytest.raises(ValueError, match="is not a valid node name"):
        tf.constant(1, name="a b")


def test_a_finalized_graph_refuses_nodes(fresh_graph):
    fresh_graph.finalize()
    with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
        tf.constant(1)


def test_a_chain_of_100_000_nodes_is_built_differentiated_and_run():
    x = y = tf.placeholder(tf.float32, [])
    for _ in range(100_000):
        y = tf.negative(y)
    (slope,) = tf.gradients(y, x)
    with tf.Session() as sess:
        assert sess.run([y, slope], {x: 3.0}) == [3.0, 1.0]


LONG_STEPS = {
    "chain": """
a = y = tf.placeholder(tf.float32, [1500, 1500])
for _ in range(400):
    y = tf.matmul(y, a)
feeds = {a: np.zeros([1500, 1500], np.float32)}
""",
    "one_product": """
a = tf.placeholder(tf.float32, [9000, 9000])
y = tf.matmul(a, a)
feeds = {a: np.zeros([9000, 9000], np.float32)}
""",
    "constants": """
a = y = tf.ones([1500, 1500])
for _ in range(400):
    y = tf.matmul(y, a)
feeds = {}
""",
}

INTERRUPTED = """
import signal, sys, time
# A shell's background job inherits that the signal is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
import ferroflow as tf
{build}
sess = tf.Session()
sess.run(tf.constant(0))
print("running", flush=True)
try:
    sess.run(y, feeds)
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
    sys.exit(0)
sys.exit("the step was not interrupted")
"""


@pytest.mark.parametrize("build", LONG_STEPS.values(), ids=LONG_STEPS)
def test_an_interrupt_ends_a_long_step(build):
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(build=build)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "running\n"
        # The child is on its way into the step; a step takes far longer than this.
        time.sleep(0.3)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        word, _, when = child.communicate(timeout=60)[0].strip().partition(" ")
    finally:
        child.kill()
    assert child.returncode == 0
    assert word == "interrupted"
    # 0.2 s is the promise; a loaded machine may be slow to run either process.
    assert float(when) - sent < 2.0


@pytest.mark.parametrize("build", LONG_STEPS.values(), ids=LONG_STEPS)
def test_a_step_that_takes_longer_than_it_may_ends_with_deadline_exceeded(build):
    scope = {"tf": tf, "np": np}
    exec(build, scope)
    began = time.monotonic()
    limited = tf.ConfigProto(operation_timeout_in_ms=200)
    with tf.Session(config=limited) as sess, pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(scope["y"], scope["feeds"])
    assert time.monotonic() - began < 10


def test_the_time_limit_of_one_run_is_its_own():
    scope = {"tf": tf, "np": np}
    exec(LONG_STEPS["chain"], scope)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(scope["y"], scope["feeds"], options=tf.RunOptions(timeout_in_ms=200))
        assert sess.run(tf.constant(1)) == 1


def test_a_session_is_not_entered_twice():
    session = tf.Session()
    with session:
        with pytest.raises(RuntimeError, match="not re-entrant"):
            session.__enter__()
        with session.as_default():
            assert tf.constant(1.0).eval() == 1.0
    with pytest.raises(RuntimeError, match="closed"):
        session.run(tf.constant(1.0))


@pytest.mark.parametrize("error", [RuntimeError("mine"), StopIteration("mine"), KeyError("mine")], ids=repr)
def test_what_is_raised_within_a_session_is_raised_and_the_session_closed(fresh_graph, error):
    session = tf.Session(graph=tf.Graph())
    with pytest.raises(type(error)) as raised, session:
        raise error
    assert raised.value is error
    assert tf.get_default_session() is None
    assert tf.get_default_graph() is fresh_graph
    with pytest.raises(RuntimeError, match="closed"):
        session.run([])


def test_a_number_is_no_string():
    text = tf.placeholder(tf.string)
    with tf.Session() as session, pytest.raises(TypeError, match="Type of feed value 1 with type <class 'int'> is not"):
        session.run(text, {text: 1})
