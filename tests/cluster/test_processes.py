"""Sessions whose tasks are processes: what crosses, who dies, what is waited for."""

from __future__ import annotations

import contextlib
import importlib.util
import pathlib
import socket
import sys
import threading
import time

import numpy as np
import pytest
from cluster.task_processes import hang

import ferroflow as tf

_SPEC = importlib.util.spec_from_file_location("processes", pathlib.Path(__file__).with_name("processes.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
processes = importlib.util.module_from_spec(_SPEC)
sys.modules["processes"] = processes
_SPEC.loader.exec_module(processes)

# Longer than any of this takes, even where the machine stalls: what does not come by then hangs.
PATIENCE = 60.0


@pytest.fixture
def addresses():
    """A cluster of a worker in this process and a parameter server that is started by the test."""
    ports = processes.unused_ports(2)
    return {"worker": [f"localhost:{ports[0]}"], "ps": [f"localhost:{ports[1]}"]}


@pytest.fixture
def worker(addresses):
    """The worker's target."""
    return tf.train.Server(addresses, "worker", 0).target


@pytest.fixture
def graph():
    with tf.Graph().as_default() as g:
        yield g


def in_thread(call):
    """Runs a call on a thread: (the thread, a list for its exception or its value)."""
    ended = []

    def run():
        try:
            ended.append(call())
        except Exception as e:
            ended.append(e)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, ended


def end_of(thread, ended):
    thread.join(PATIENCE)
    assert ended, "hangs"
    return ended[0]


def test_a_model_trains_over_processes_as_in_one(addresses, worker):
    def losses(target, places):
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            with tf.device("/job:ps/task:0" if places else ""):
                w = tf.get_variable("w", [8, 3])
                b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
                step = tf.train.get_or_create_global_step()
            with tf.device("/job:worker/task:0" if places else ""):
                x = tf.placeholder(tf.float32, [None, 8])
                y = tf.placeholder(tf.int32, [None])
                loss = tf.losses.sparse_softmax_cross_entropy(y, tf.matmul(x, w) + b)
                train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
            random = np.random.RandomState(0)
            with tf.Session(target) as sess:
                sess.run(tf.global_variables_initializer())
                found = []
                for _ in range(20):
                    feed = {x: random.rand(16, 8), y: random.randint(3, size=16)}
                    found.append(sess.run([train, loss, step], feed)[1:])
                return found

    with processes.running(addresses, "ps"):
        assert losses(worker, True) == losses("", False)


def test_values_of_every_dtype_and_shape_cross(addresses, worker, graph):
    random = np.random.RandomState(1)
    plain = [tf.float16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.bool]
    plain += [tf.complex64, tf.complex128]
    values = []
    for dtype in plain:
        for shape in ([], [0, 3], [2, 3], [300, 70]):
            values.append(np.asarray(random.rand(*shape) * 9).astype(dtype.as_numpy_dtype))
    values.append(np.array([[b"a", b""], [b"\xff\x00", b"long" * 5000]], dtype=object))
    values.append(np.array([], dtype=object))
    fed = [tf.placeholder(tf.string if v.dtype == object else v.dtype, v.shape) for v in values]
    with tf.device("/job:ps/task:0"):
        there = [tf.identity(f) for f in fed]
        shapes = [tf.shape(f) for f in fed]
    with tf.device("/job:worker/task:0"):
        back = [tf.identity(t) for t in there]
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        feed = dict(zip(fed, values, strict=True))
        for got in (sess.run(there, feed), sess.run(back, feed)):
            for want, value in zip(values, got, strict=True):
                assert value.dtype == want.dtype
                np.testing.assert_array_equal(value, want)
        for want, value in zip(values, sess.run(shapes, feed), strict=True):
            assert tuple(value) == want.shape


def test_sparse_tensors_are_fed_and_fetched(addresses, worker, graph):
    fed = tf.sparse_placeholder(tf.float32)
    with tf.device("/job:ps/task:0"):
        twice = tf.SparseTensor(fed.indices, fed.values * 2.0, fed.dense_shape)
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        value = tf.SparseTensorValue([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
        got = sess.run(twice, {fed: value})
        np.testing.assert_array_equal(got.values, [2.0, 4.0])
        np.testing.assert_array_equal(got.dense_shape, [3, 2])


def test_what_a_task_keeps_outlives_a_session_and_is_shared(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0, name="v")
        q = tf.FIFOQueue(5, tf.int32, shared_name="q")
        put, get, size = q.enqueue(7), q.dequeue(), q.size()
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, shared_name="t")
        insert, look = table.insert(tf.constant("a"), tf.constant(5, tf.int64)), table.lookup(tf.constant("a"))
    with processes.running(addresses, "ps"):
        with tf.Session(worker) as sess:
            sess.run([v.initializer, put, insert])
        # Another process's session: one that is no server reaches the tasks all the same.
        with tf.Session(f"grpc://{addresses['ps'][0]}") as sess:
            assert sess.run([v, size, look]) == [1.0, 1, 5]
            assert sess.run(get) == 7
        isolated = tf.ConfigProto(isolate_session_state=True)
        with tf.Session(worker, config=isolated) as sess, pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(v)
        tf.Session.reset(worker, ["other"])
        with tf.Session(worker) as sess:
            assert sess.run(v) == 1.0
        tf.Session.reset(worker)
        with (
            tf.Session(worker) as sess,
            pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"),
        ):
            sess.run(v)


@pytest.mark.parametrize("device", ["/job:worker/task:0", "/job:ps/task:0"])
@pytest.mark.parametrize("threads", [None, 2])
def test_a_shared_iterator_outlives_the_session_that_made_it(addresses, worker, graph, device, threads):
    with tf.device(device):
        table = tf.contrib.lookup.HashTable(
            tf.contrib.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([10, 20], tf.int64)), -1, "shared_table"
        )
        names = tf.data.Dataset.from_tensor_slices(["a", "b", "c", "a"])
        iterator = names.map(table.lookup, threads).map(lambda x: x + 1).make_initializable_iterator("shared_iterator")
        private = names.map(lambda x: x + "!").prefetch(2).make_initializable_iterator()
        following, of_session = iterator.get_next(), private.get_next()
    with processes.running(addresses, "ps"):
        with tf.Session(worker) as sess:
            sess.run([table.init, iterator.initializer, private.initializer])
            assert sess.run([following, of_session]) == [11, b"a!"]
        with tf.Session(worker) as sess:
            assert sess.run(following) == 21
            with pytest.raises(tf.errors.FailedPreconditionError):
                sess.run(of_session)
        with tf.Session(f"grpc://{addresses['ps'][0]}" if "ps" in device else worker) as sess:
            assert [sess.run(following) for _ in range(2)] == [0, 11]
            with pytest.raises(tf.errors.OutOfRangeError):
                sess.run(following)
        # The iterator and its threads end here, not with this process's server.
        tf.Session.reset(worker)


def test_threads_on_one_session_lose_no_update(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(np.zeros(1000, np.float32))
    with tf.device("/job:worker/task:0"):
        add = tf.assign_add(v, tf.ones([1000]) + 0.0 * v)
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        sess.run(v.initializer)
        calls = [in_thread(lambda: [sess.run(add.op) for _ in range(25)]) for _ in range(4)]
        for call in calls:
            assert end_of(*call) == [None] * 25
        np.testing.assert_array_equal(sess.run(v), np.full(1000, 100.0))


def test_a_conditional_reads_a_variable_of_another_process(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(3.0)
    with tf.device("/job:worker/task:0"):
        chosen = tf.cond(tf.placeholder_with_default(True, [], name="read"), lambda: v, lambda: tf.constant(-1.0))
        initial = v.initialized_value() + 1.0
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        assert sess.run(initial) == 4.0
        sess.run(v.initializer)
        sess.run(v.assign(5.0).op)
        assert sess.run([chosen, initial]) == [5.0, 6.0]
        assert sess.run(chosen, {"read:0": False}) == -1.0


def test_an_error_elsewhere_names_its_node_and_ends_the_step(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        x = tf.placeholder(tf.float32, [None], name="fed")
        bad = tf.check_numerics(x, "not a number", name="the_check")
        never = tf.FIFOQueue(1, tf.float32).dequeue()
    with tf.device("/job:worker/task:0"):
        waits = tf.FIFOQueue(1, tf.float32).dequeue()
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        for fetches in ([bad], [bad, waits], [bad, never, waits]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="not a number") as raised:
                sess.run(fetches, {x: [np.nan]})
            assert raised.value.op is bad.op
        # The session is of use as before.
        assert sess.run(bad, {x: [1.0]}) == [1.0]


def test_a_task_that_is_killed_fails_the_step_at_once(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
        blocked = tf.FIFOQueue(1, tf.float32).dequeue()
    with processes.running(addresses, "ps") as ps, tf.Session(worker) as sess:
        sess.run(v.initializer)
        call = in_thread(lambda: sess.run([v, blocked]))
        ps.kill()
        began = time.monotonic()
        assert isinstance(end_of(*call), tf.errors.UnavailableError)
        with pytest.raises(tf.errors.UnavailableError, match="/job:ps/replica:0/task:0"):
            sess.run(v)
        assert time.monotonic() - began < PATIENCE / 2


def _hang_up(listener):
    # The step may have failed, and the listener be closed, before anyone connects.
    with contextlib.suppress(OSError):
        listener.accept()[0].close()


def test_a_task_that_hangs_up_is_named(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    with tf.Session(worker) as sess:
        with processes.running(addresses, "ps"):
            sess.run(v.initializer)
        # A task that is being killed still accepts connections, and says nothing on them.
        with socket.create_server(("localhost", int(addresses["ps"][0].split(":")[1]))) as dying:
            threading.Thread(target=_hang_up, args=[dying], daemon=True).start()
            with pytest.raises(tf.errors.UnavailableError, match=r"Socket closed: .*/job:ps/replica:0/task:0"):
                sess.run(v)


def test_a_task_that_was_restarted_aborts_once_and_has_no_state(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0, name="v")
    with tf.Session(worker) as sess:
        with processes.running(addresses, "ps"):
            sess.run(v.initializer)
            assert sess.run(v) == 1.0
        with processes.running(addresses, "ps"):
            with pytest.raises((tf.errors.AbortedError, tf.errors.UnavailableError)) as raised:
                sess.run(v)
            if isinstance(raised.value, tf.errors.UnavailableError):
                with pytest.raises(tf.errors.AbortedError, match="restarted"):
                    sess.run(v)
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
                sess.run(v)
            sess.run(v.initializer)
            assert sess.run(v) == 1.0


def test_a_task_that_is_not_there_yet_is_waited_for(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(3.0)
        three = v.initialized_value() if hasattr(v, "initialized_value") else v
    with tf.Session(worker) as sess:
        call = in_thread(lambda: sess.run([v.initializer, three][0]))
        with processes.running(addresses, "ps"):
            assert end_of(*call) is None
            assert sess.run(v) == 3.0


@pytest.mark.parametrize("how", ["of the step", "of the session"])
def test_a_task_that_never_comes_is_given_up_by_the_deadline(addresses, worker, graph, how):
    with tf.device("/job:ps/task:0"):
        c = tf.constant([1.0, 2.0]) + tf.random_uniform([2])
    config = tf.ConfigProto(operation_timeout_in_ms=200) if how == "of the session" else None
    options = tf.RunOptions(timeout_in_ms=200) if how == "of the step" else None
    with tf.Session(worker, config=config) as sess, pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(c, options=options)


def test_a_blocked_step_ends_by_its_deadline_and_leaves_the_queue_as_it_was(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        q = tf.FIFOQueue(5, tf.float32, shapes=[[]])
        put, two, size = q.enqueue(1.0), q.dequeue_many(2), q.size()
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        sess.run(put)
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(two, options=tf.RunOptions(timeout_in_ms=200))
        assert sess.run(size) == 1


def test_closing_waits_for_no_task(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        blocked = tf.FIFOQueue(1, tf.float32).dequeue()
        started = tf.Variable(0)
        mark = tf.assign_add(started, 1)
    with processes.running(addresses, "ps") as ps, tf.Session(worker) as other:
        sess = tf.Session(worker)
        other.run(started.initializer)
        call = in_thread(lambda: sess.run([mark, blocked]))
        while other.run(started) == 0:
            assert call[0].is_alive()
        hang(ps.process)
        began = time.monotonic()
        sess.close()
        assert time.monotonic() - began < 5
        error = end_of(*call)
        assert isinstance(error, tf.errors.CancelledError)
        assert "Session::Close" in str(error)


def test_filters_hide_tasks(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.random_uniform([2])
    config = tf.ConfigProto(device_filters=["/job:worker"])
    with tf.Session(worker, config=config) as sess:
        assert [d.name for d in sess.list_devices()] == ["/job:worker/replica:0/task:0/device:CPU:0"]
        with pytest.raises(tf.errors.InvalidArgumentError, match="available devices are"):
            sess.run(v)


def test_functions_of_the_graph_run_elsewhere(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        dataset = tf.data.Dataset.range(5).map(lambda x: x * x).filter(lambda x: tf.equal(x % 2, 0))
        element = dataset.make_one_shot_iterator().get_next()
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        assert [sess.run(element) for _ in range(3)] == [0, 4, 16]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(element)


def test_code_of_the_program_runs_in_its_own_process(addresses, worker, graph):
    seen = []
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(2.0)
    with tf.device("/job:worker/task:0"):
        out = tf.py_func(lambda x: seen.append(float(x)) or x * 3, [v], tf.float32)
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        sess.run(v.initializer)
        assert sess.run(out) == 6.0
    assert seen == [2.0]


def test_a_step_is_fed_and_fetched_in_pieces(addresses, worker, graph):
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    with tf.device("/job:ps/task:0"):
        first = a + 1.0
    with tf.device("/job:worker/task:0"):
        second = first * b
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        handle = sess.partial_run_setup([first, second], [a, b])
        assert sess.partial_run(handle, first, {a: 2.0}) == 3.0
        assert sess.partial_run(handle, second, {b: 5.0}) == 15.0


def test_noise_on_the_port_harms_nobody(addresses, worker, graph):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    host, port = addresses["ps"][0].split(":")
    with processes.running(addresses, "ps"), tf.Session(worker) as sess:
        sess.run(v.initializer)
        for noise in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100, b"FFw1" + b"\xff" * 100, b""):
            with socket.create_connection((host, int(port))) as raw:
                raw.settimeout(PATIENCE)
                # It is hung up on, perhaps before all of it is sent.
                try:
                    raw.sendall(noise)
                    raw.shutdown(socket.SHUT_WR)
                    while raw.recv(1024):
                        pass
                except TimeoutError:
                    raise
                except OSError:
                    pass
            assert sess.run(v) == 1.0


def test_a_token_is_asked_for_where_it_is_set(addresses, graph, monkeypatch):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    secret = {"FERROFLOW_CLUSTER_TOKEN": "a secret of the cluster"}
    with processes.running(addresses, "ps", **secret):
        target = f"grpc://{addresses['ps'][0]}"
        with tf.Session(target) as sess, pytest.raises(tf.errors.FailedPreconditionError, match="CLUSTER_TOKEN"):
            sess.run(v.initializer)
        monkeypatch.setenv("FERROFLOW_CLUSTER_TOKEN", "another secret, also long")
        with tf.Session(target) as sess, pytest.raises(tf.errors.UnauthenticatedError):
            sess.run(v.initializer)
        monkeypatch.setenv("FERROFLOW_CLUSTER_TOKEN", secret["FERROFLOW_CLUSTER_TOKEN"])
        with tf.Session(target) as sess:
            sess.run(v.initializer)
            assert sess.run(v) == 1.0


def test_a_server_that_others_could_reach_needs_a_token(monkeypatch):
    monkeypatch.delenv("FERROFLOW_CLUSTER_TOKEN", raising=False)
    with pytest.raises(tf.errors.FailedPreconditionError, match="FERROFLOW_CLUSTER_TOKEN"):
        tf.train.Server({"local": ["0.0.0.0:0"]})
    monkeypatch.setenv("FERROFLOW_CLUSTER_TOKEN", "short")
    with pytest.raises(tf.errors.FailedPreconditionError, match="at least"):
        tf.train.Server({"local": ["0.0.0.0:0"]})
    monkeypatch.setenv("FERROFLOW_CLUSTER_TOKEN", "long enough to be one")
    assert tf.train.Server({"local": ["0.0.0.0:0"]}).target.startswith("grpc://0.0.0.0:")
