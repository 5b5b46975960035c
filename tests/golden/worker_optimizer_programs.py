"""Programs of optimizers whose workers train variables of their own, for TensorFlow and ferroflow.

A program of one worker returns all variables by name after some steps. A program of a cluster has two workers and a
parameter server in one process, and returns the variables of both after their steps in turn.
"""

import random
import socket
import threading

import numpy as np

START = np.array([[1, 2], [3, 4]], np.float32)
PERIOD = 2


def _getter_and_optimizer(tf, kind, worker, workers, device):
    opt = tf.contrib.opt
    getter = getattr(opt, f"{kind}CustomGetter")(device)
    # With `ModelAverage`, slots are global, and only the chief initializes those.
    is_plain = kind == "ModelAverage"
    inner = tf.train.GradientDescentOptimizer(0.01) if is_plain else tf.train.MomentumOptimizer(0.01, 0.9)

    def optimizer():
        if kind == "AGN":
            return opt.AGNOptimizer(inner, workers, getter, communication_period=PERIOD)
        if kind == "ElasticAverage":
            return opt.ElasticAverageOptimizer(inner, workers, getter, communication_period=PERIOD)
        return opt.ModelAverageOptimizer(inner, workers, worker == 0, getter, interval_steps=PERIOD)

    return getter, optimizer


def _built(tf, kind, worker=0, workers=1, device="/cpu:0", partitioner=None):
    """Returns the training operation, the hook, and the optimizer of a worker."""
    getter, optimizer = _getter_and_optimizer(tf, kind, worker, workers, device)
    with tf.variable_scope("", custom_getter=getter, partitioner=partitioner):
        step = tf.Variable(0, name="global_step", trainable=False)
        weights = tf.get_variable("w", [2, 2], initializer=tf.constant_initializer(START))
        biases = tf.get_variable("b", [2], initializer=tf.zeros_initializer(), partitioner=None)
        with tf.device(device):
            made = optimizer()
    inputs = tf.constant([[1.0, 1.0 + worker]])
    loss = tf.reduce_sum(tf.square(tf.matmul(inputs, weights) + biases))
    train = made.minimize(loss, global_step=step)
    arguments = () if kind == "ModelAverage" else (worker == 0, worker)
    return train, made.make_session_run_hook(*arguments), made


def _values(tf, session):
    variables = [*tf.global_variables(), *tf.local_variables()]
    names = [variable.op.name for variable in variables]
    return dict(zip(names, (value.tolist() for value in session.run(variables))))  # noqa: B905  # Python 3.7


def alone(tf, kind):
    """Returns the variables of one worker by name, and the names in checkpoints of the shared variables."""
    with tf.Graph().as_default(), tf.Session() as session:
        train, hook, _ = _built(tf, kind)
        hook.begin()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        hook.after_create_session(session, None)
        found = []
        for _ in range(2 * PERIOD + 1):
            session.run(train)
            found.append(_values(tf, session))
        return found


def _free_port():
    """Returns a port below those that the system gives to clients, which may take one between this call and its use."""
    while True:
        port = random.SystemRandom().randrange(15_000, 30_000)
        with socket.socket() as found:
            if found.connect_ex(("localhost", port)):
                return port


def cluster(tf, kind):
    """Returns the variables of two workers by name, after steps in turn, or at once where they wait for each other."""
    tasks = {"ps": [f"localhost:{_free_port()}"], "worker": [f"localhost:{_free_port()}" for _ in range(2)]}
    spec = tf.train.ClusterSpec(tasks)
    servers = [tf.train.Server(spec, job_name=job, task_index=i) for job in tasks for i in range(len(tasks[job]))]
    sessions, graphs, trains = [], [], []
    for worker in range(2):
        device = f"/job:worker/task:{worker}/cpu:0"
        with tf.Graph().as_default() as graph:
            place = tf.train.replica_device_setter(worker_device=device, ps_device="/job:ps/task:0/cpu:0", ps_tasks=1)
            with tf.device(place):
                train, hook, _ = _built(tf, kind, worker, 2, device)
            hook.begin()
            starts = [tf.local_variables_initializer(), *([tf.global_variables_initializer()] if worker == 0 else [])]
            session = tf.Session(servers[1 + worker].target)
            # Shared variables get their values first.
            for start in reversed(starts) if kind != "ModelAverage" else starts:
                session.run(start)
            hook.after_create_session(session, None)
        sessions.append(session)
        graphs.append(graph)
        trains.append(train)

    for _ in range(2 * PERIOD + 1):
        if kind == "ModelAverage":
            threads = [threading.Thread(target=s.run, args=(t,)) for s, t in zip(sessions, trains)]  # noqa: B905
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        else:
            for session, train in zip(sessions, trains):  # noqa: B905  # Python 3.7
                session.run(train)
    found = []
    for graph, session in zip(graphs, sessions):  # noqa: B905  # Python 3.7
        with graph.as_default():
            found.append(_values(tf, session))
        session.close()
    return found


KINDS = ("AGN", "ElasticAverage", "ModelAverage")
