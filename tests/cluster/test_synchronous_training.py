"""Synchronous training by several tasks of one process gives what one task gives with all the data."""

import threading
import traceback

import numpy as np
import pytest

import ferroflow as tf

STEPS = 20
INPUTS = np.random.RandomState(7).randn(12, 3).astype(np.float32)
TARGETS = (INPUTS @ [[1.0], [-2.0], [0.5]] + 0.3).astype(np.float32)


def model():
    inputs, targets = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
    hidden = tf.layers.dense(inputs, 8, tf.tanh, kernel_initializer=tf.random_normal_initializer(seed=3))
    outputs = tf.layers.dense(hidden, 1, kernel_initializer=tf.random_normal_initializer(seed=4))
    return inputs, targets, tf.reduce_mean(tf.square(outputs - targets))


def alone(optimizer):
    """The losses of one session with the whole batch."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, targets, loss = model()
        train_op = optimizer().minimize(loss)
        session.run(tf.global_variables_initializer())
        return [session.run([loss, train_op], {inputs: INPUTS, targets: TARGETS})[0] for _ in range(STEPS)]


class Worker(threading.Thread):
    """A task's program: trains with its part of the batch, and keeps the losses by the number of the update."""

    def __init__(self, index, servers, num_ps, optimizer, together):
        super().__init__(daemon=True)
        self.index, self.servers, self.num_ps = index, servers, num_ps
        self.optimizer, self.together = optimizer, together
        self.losses, self.failure = {}, None

    def run(self):
        try:
            self.train()
        except BaseException:
            self.failure = traceback.format_exc()

    def train(self):
        rows = slice(self.index, None, len(self.servers))
        place = tf.train.replica_device_setter(self.num_ps, worker_device=f"/job:worker/task:{self.index}")
        with tf.Graph().as_default(), tf.device(place):
            inputs, targets, loss = model()
            global_step = tf.train.get_or_create_global_step()
            optimizer = tf.train.SyncReplicasOptimizer(self.optimizer(), len(self.servers))
            train_op = optimizer.minimize(loss, global_step=global_step)
            hooks = [
                optimizer.make_session_run_hook(self.index == 0, num_tokens=0),
                tf.train.StopAtStepHook(last_step=STEPS),
            ]
            with tf.train.MonitoredTrainingSession(
                self.servers[self.index].target, is_chief=self.index == 0, hooks=hooks, log_step_count_steps=None
            ) as session:
                step = 0
                while not session.should_stop():
                    # Tokens are anybody's: a worker that is a step ahead could take another's.
                    self.together.wait()
                    feeds = {inputs: INPUTS[rows], targets: TARGETS[rows]}
                    self.losses[step], step = session.run([loss, train_op], feeds)


@pytest.mark.parametrize(("num_workers", "num_ps"), [(2, 1), (3, 2)])
@pytest.mark.parametrize("optimizer", ["GradientDescentOptimizer", "AdamOptimizer"])
def test_losses_are_those_of_one_task_with_the_whole_batch(num_workers, num_ps, optimizer):
    servers, _ = tf.test.create_local_cluster(num_workers, num_ps)
    together = threading.Barrier(num_workers, timeout=60)
    workers = [
        Worker(i, servers, num_ps, lambda: getattr(tf.train, optimizer)(0.05), together) for i in range(num_workers)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert not worker.is_alive()
        assert worker.failure is None, worker.failure
    seen = np.mean([[worker.losses[step] for step in range(STEPS)] for worker in workers], axis=0)
    np.testing.assert_allclose(seen, alone(lambda: getattr(tf.train, optimizer)(0.05)), rtol=1e-5)


def test_backups_of_three_workers_are_dropped_and_catch_up():
    servers, _ = tf.test.create_local_cluster(3, 1)
    sessions, train_ops, variables = [], [], []
    for i, server in enumerate(servers):
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:0"):
                global_step = tf.train.get_or_create_global_step()
                w = tf.Variable(1.0, name="w")
            with tf.device(f"/job:worker/task:{i}"):
                optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 2, 3)
                grad = tf.constant(0.1 * 4**i)
                train_op = optimizer.apply_gradients([(grad, w)], global_step=global_step)
            session = tf.train.MonitoredTrainingSession(
                server.target, is_chief=i == 0, hooks=[optimizer.make_session_run_hook(i == 0, num_tokens=0)]
            )
        sessions.append(session)
        train_ops.append(train_op)
        variables.append((w, global_step))

    def together(*indices):
        threads = [threading.Thread(target=sessions[i].run, args=(train_ops[i],), daemon=True) for i in indices]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()

    together(0, 2)
    np.testing.assert_allclose(sessions[1].run(variables[1]), [1.0 - (0.1 + 1.6) / 2, 1], rtol=1e-6)
    # The second worker's gradient is of step 0; the third token of that update is its own.
    together(1)
    np.testing.assert_allclose(sessions[1].run(variables[1]), [1.0 - (0.1 + 1.6) / 2, 1], rtol=1e-6)
    together(1, 0)
    np.testing.assert_allclose(sessions[2].run(variables[2]), [1.0 - (0.1 + 1.6) / 2 - (0.1 + 0.4) / 2, 2], rtol=1e-6)
    for session in sessions:
        session.close()


@pytest.mark.parametrize("counts", [(1 << 70, 0), (0, 1 << 16), (1 << 15, 1 << 15)])
def test_a_local_cluster_of_more_tasks_than_ports_is_refused(counts):
    with pytest.raises(ValueError, match="65535 ports"):
        tf.test.create_local_cluster(*counts)
