"""Laws of `tf.train.SyncReplicasOptimizer` with replicas that are threads of one process."""

import threading

import numpy as np
import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class Replicas:
    """A linear model trained by replicas that share a session; replica `i` gives its gradients by `grads`."""

    def __init__(self, aggregate, total=None, num_tokens=0, optimizer=None, sparse=False, **arguments):
        self.w = tf.Variable([1.0, -2.0], name="w")
        self.rows = tf.Variable(np.ones((4, 2), np.float32), name="rows")
        self.unused = tf.Variable(3.0, name="unused")
        self.grad = tf.placeholder(tf.float32, [2])
        self.step = tf.train.get_or_create_global_step()
        self.optimizer = tf.train.SyncReplicasOptimizer(
            optimizer or tf.train.GradientDescentOptimizer(0.5), aggregate, total, **arguments
        )
        loss = tf.reduce_sum(self.w * self.grad)
        if sparse:
            loss += tf.reduce_sum(tf.gather(self.rows, [1, 3]) * self.grad)
        self.train_op = self.optimizer.minimize(loss, global_step=self.step)
        self.hook = self.optimizer.make_session_run_hook(is_chief=True, num_tokens=num_tokens)
        self.hook.begin()
        init = tf.global_variables_initializer()
        self.session = tf.Session()
        self.session.run(init)

    def __enter__(self):
        self.coordinator = tf.train.Coordinator()
        self.hook.after_create_session(self.session, self.coordinator)
        return self

    def __exit__(self, *exc):
        self.coordinator.request_stop()
        self.session.close()
        self.coordinator.join()

    def begin(self, grad):
        """Starts the training operation of a replica in a thread of its own."""
        thread = threading.Thread(target=self.session.run, args=(self.train_op, {self.grad: grad}), daemon=True)
        thread.start()
        return thread

    def together(self, grads):
        for thread in [self.begin(grad) for grad in grads]:
            thread.join(30)
            assert not thread.is_alive()

    def values(self, *names):
        return self.session.run([getattr(self, name) for name in names])


def wait_for(condition):
    """Waits until a condition holds, at most 30 s."""
    pause = threading.Event()
    for _ in range(3000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("the condition did not come true")


def test_replicas_make_one_update_by_the_mean_of_their_gradients():
    with Replicas(2) as replicas:
        replicas.together([[1.0, 2.0], [3.0, 6.0]])
        w, step = replicas.values("w", "step")
        np.testing.assert_allclose(w, [1.0 - 0.5 * 2.0, -2.0 - 0.5 * 4.0])
        assert step == 1
        assert replicas.session.run(replicas.optimizer._local_step) == 1


def test_losses_are_those_of_one_process_with_the_whole_batch():
    x = np.random.RandomState(5).randn(8, 3).astype(np.float32)
    y = (x @ [[1.0], [-2.0], [0.5]] + 0.3).astype(np.float32)

    def model():
        inputs, targets = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
        outputs = tf.layers.dense(inputs, 1, kernel_initializer=tf.constant_initializer(0.1))
        return inputs, targets, tf.reduce_mean(tf.square(outputs - targets))

    with tf.Graph().as_default(), tf.Session() as session:
        inputs, targets, loss = model()
        train_op = tf.train.AdamOptimizer(0.05).minimize(loss)
        session.run(tf.global_variables_initializer())
        expected = [session.run([loss, train_op], {inputs: x, targets: y})[0] for _ in range(20)]

    inputs, targets, loss = model()
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(0.05), 2)
    train_op = optimizer.minimize(loss, global_step=step)
    hook = optimizer.make_session_run_hook(True, num_tokens=0)
    hook.begin()
    together, seen = threading.Barrier(2, timeout=30), np.zeros((2, 20))
    coordinator = tf.train.Coordinator()

    def replica(number, session):
        feed = {inputs: x[4 * number :][:4], targets: y[4 * number :][:4]}
        for i in range(20):
            seen[number, i] = session.run([loss, train_op], feed)[0]
            together.wait()

    session = tf.Session()
    session.run(tf.global_variables_initializer())
    hook.after_create_session(session, coordinator)
    threads = [threading.Thread(target=replica, args=(i, session)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.run(step) == 20
    coordinator.request_stop()
    session.close()
    np.testing.assert_allclose(seen.mean(axis=0), expected, rtol=1e-5)


def test_a_replica_alone_waits_for_the_others():
    with Replicas(2) as replicas:
        handle = tf.get_default_graph().get_tensor_by_name("sync_replicas/conditional_accumulator:0")
        accumulated = tf.raw_ops.AccumulatorNumAccumulated(handle=handle)
        first = replicas.begin([1.0, 1.0])
        wait_for(lambda: replicas.session.run(accumulated) == 1)
        first.join(0.1)
        assert first.is_alive()
        assert replicas.values("step") == [0]
        replicas.together([[3.0, 3.0]])
        first.join(30)
        assert not first.is_alive()
        assert replicas.values("step") == [1]


def test_gradients_of_backup_replicas_are_dropped():
    with Replicas(aggregate=2, total=3) as replicas:
        replicas.together([[1.0, 1.0], [3.0, 3.0]])
        np.testing.assert_allclose(replicas.values("w")[0], [0.0, -3.0])
        # The third replica computed its gradient from the variables of step 0.
        replicas.session.run(tf.assign(replicas.optimizer._local_step, 0))
        replicas.together([[100.0, 100.0]])
        w, step = replicas.values("w", "step")
        np.testing.assert_allclose(w, [0.0, -3.0])
        assert step == 1
        # Its token brought it to step 1: its next gradient counts.
        assert replicas.session.run(replicas.optimizer._local_step) == 1
        replicas.together([[2.0, 2.0], [4.0, 4.0]])
        np.testing.assert_allclose(replicas.values("w")[0], [-1.5, -4.5])


def test_one_replica_computes_several_gradients_for_one_update_if_replicas_are_fewer():
    with Replicas(aggregate=3, total=1, num_tokens=2) as replicas:
        for grad in (3.0, 6.0, 9.0):
            replicas.together([[grad, grad]])
        w, step = replicas.values("w", "step")
        np.testing.assert_allclose(w, [1.0 - 3.0, -2.0 - 3.0])
        assert step == 1


def test_training_ends_while_an_update_waits_for_gradients():
    with Replicas(2) as replicas:
        replicas.together([[1.0, 1.0], [3.0, 3.0]])
        replicas.coordinator.request_stop()
        replicas.coordinator.join(stop_grace_period_secs=0.0)


def test_a_failed_update_stops_the_coordinator():
    with Replicas(1) as replicas:
        replicas.session.close()
        assert replicas.coordinator.wait_for_stop(30)
        with pytest.raises((tf.errors.CancelledError, RuntimeError), match=r"cancelled|closed"):
            replicas.coordinator.join()
        # The thread may tell it once more.
        replicas.coordinator = tf.train.Coordinator()


def test_a_failed_update_ends_the_steps_that_wait_for_it():
    def fail():
        raise OSError("no rate today")

    rate = tf.numpy_function(fail, [], tf.float32)
    with Replicas(1, optimizer=tf.train.GradientDescentOptimizer(rate)) as replicas:
        # The update may have failed, and closed the session, before the step begins.
        with pytest.raises((tf.errors.CancelledError, RuntimeError), match=r"[Cc]ancelled|closed"):
            replicas.session.run(replicas.train_op, {replicas.grad: [1.0, 1.0]})
        with pytest.raises(tf.errors.UnknownError, match="no rate today"):
            replicas.coordinator.join()
        # The thread may tell it once more.
        replicas.coordinator = tf.train.Coordinator()


def test_slices_are_accumulated_row_by_row():
    with Replicas(2, sparse=True) as replicas:
        replicas.together([[1.0, 2.0], [3.0, 4.0]])
        rows = replicas.values("rows")[0]
        np.testing.assert_allclose(rows[[0, 2]], 1.0)
        np.testing.assert_allclose(rows[[1, 3]], [[0.0, -0.5], [0.0, -0.5]])


def test_averages_follow_each_update():
    averages = tf.train.ExponentialMovingAverage(0.5)
    w = tf.Variable([4.0])
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(1.0), 1, variable_averages=averages, variables_to_average=[w]
    )
    train_op = optimizer.minimize(2.0 * w, global_step=step)
    hook = optimizer.make_session_run_hook(True, num_tokens=0)
    hook.begin()
    average = averages.average(w)
    session, coordinator = tf.Session(), tf.train.Coordinator()
    session.run(tf.global_variables_initializer())
    hook.after_create_session(session, coordinator)
    session.run(train_op)
    wait_for(lambda: session.run(average)[0] != 4.0)
    np.testing.assert_allclose(session.run([w, average]), [[2.0], [3.0]])
    coordinator.request_stop()
    session.close()


def test_the_state_is_that_of_the_wrapped_optimizer():
    inner = tf.train.MomentumOptimizer(0.1, 0.9)
    replicas = Replicas(2, optimizer=inner)
    assert replicas.optimizer.get_slot_names() == ["momentum"]
    assert replicas.optimizer.get_slot(replicas.w, "momentum") is inner.get_slot(replicas.w, "momentum")
    assert replicas.optimizer.variables() == inner.variables()
    assert tf.local_variables() == [replicas.optimizer._local_step]


def test_accumulators_queue_and_steps_are_where_their_variables_are():
    setter = tf.train.replica_device_setter(cluster={"ps": ["a:1", "b:1"], "worker": ["c:1"]})
    with tf.device(setter):
        v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2)
        train_op = optimizer.minimize(v * w, global_step=step)
    placed = {op.name: op.device for op in tf.get_default_graph().get_operations()}
    assert placed["sync_replicas/conditional_accumulator"] == v.device == "/job:ps/task:0"
    assert placed["sync_replicas/conditional_accumulator_1"] == w.device == "/job:ps/task:1"
    assert placed["sync_token_q"] == step.device == "/job:ps/task:0"
    assert placed["sync_rep_local_step"] == train_op.device == "/job:worker"


def test_what_needs_applied_gradients_says_so():
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 3, 2)
    hook = optimizer.make_session_run_hook(True)
    with pytest.raises(ValueError, match="apply_gradient should be called before using the hook"):
        hook.begin()
    with pytest.raises(ValueError, match="Should be called after apply_gradients"):
        optimizer.get_chief_queue_runner()
    with pytest.raises(ValueError, match="should be called after apply_gradients"):
        optimizer.get_init_tokens_op()


def test_wrong_arguments_are_refused():
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 3, 1)
    w = tf.Variable(1.0)
    step = tf.train.get_or_create_global_step()
    with pytest.raises(ValueError, match="Must supply at least one variable"):
        optimizer.apply_gradients([], global_step=step)
    with pytest.raises(ValueError, match="Global step is required to check staleness"):
        optimizer.apply_gradients([(w, w)])
    with pytest.raises(ValueError, match="Unknown grad type"):
        optimizer.apply_gradients([(1.0, w)], global_step=step)
    optimizer.minimize(w, global_step=step)
    with pytest.raises(ValueError, match=r"Too few tokens to finish the first step: 1 \(given\) vs 2 \(needed\)"):
        optimizer.get_init_tokens_op(1)


def test_a_session_without_values_is_refused_by_the_hook():
    replicas = Replicas(1)
    with tf.Session() as session, pytest.raises(RuntimeError, match=r"not initialized: w, rows, unused, global"):
        replicas.hook.after_create_session(session, None)
