"""A program whose main thread forks while other threads run steps: `python forking_program.py MODE FORKS`.

MODE is "fresh" (children make a graph and session of their own) or "parent" (they use the session that a thread trains
in), or "both", one after the other. Prints one line: how many children had their result, how many were refused, and how
many ended in each other way.
"""

import collections
import os
import signal
import sys
import threading
import warnings

import numpy as np

import ferroflow as tf

# What a child may take, on a machine that is busy with other tests.
SECONDS = 60
DONE, REFUSED = 0, 3


def value_of_a_fresh_graph():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [64, 64])
        w = tf.Variable(tf.ones([64, 64]))
        step = w.assign_add(tf.matmul(x, w))
        element = tf.data.Dataset.range(4).map(lambda n: n * 2).batch(4).make_one_shot_iterator().get_next()
        session.run(tf.global_variables_initializer())
        session.run(step, {x: np.ones([64, 64], np.float32)})
        return float(session.run(w)[0, 0]), session.run(element).tolist()


def child(mode, session, fetch, feed):
    if mode != "parent" and value_of_a_fresh_graph() != (65.0, [0, 2, 4, 6]):
        return 1
    if mode == "fresh":
        return DONE
    try:
        value = session.run(fetch, feed)
        return DONE if np.isfinite(value) else 1
    except tf.errors.FailedPreconditionError as failure:
        return REFUSED if "forked" in failure.message else 2


def main(mode, forks):
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    x = tf.placeholder(tf.float32, [256, 64])
    w = tf.Variable(tf.ones([64, 512]) * 0.01)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    image = tf.reduce_sum(tf.spectral.rfft(x))
    element = (
        tf.data.Dataset.range(1000)
        .map(lambda n: tf.numpy_function(lambda n: n + 1, [n], tf.int64))
        .shuffle(10)
        .batch(2)
        .repeat()
        .make_one_shot_iterator()
        .get_next()
    )
    feed = {x: np.ones([256, 64], np.float32)}
    session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=2))
    session.run(tf.global_variables_initializer())
    stop = threading.Event()

    def repeat(work):
        while not stop.is_set():
            work()

    works = [
        lambda: session.run(train, feed),
        lambda: session.run([element, image], feed),
        value_of_a_fresh_graph,
    ]
    threads = [threading.Thread(target=repeat, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    ends = collections.Counter()
    for _ in range(forks):
        pid = os.fork()
        if pid == 0:
            status = 4
            try:
                # A child that hangs is ended, and seen.
                signal.alarm(SECONDS)
                status = child(mode, session, loss, feed)
            finally:
                os._exit(status)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        ends[code] += 1
    stop.set()
    for thread in threads:
        thread.join()
    done, refused = ends.pop(DONE, 0), ends.pop(REFUSED, 0)
    print(f"{done} done, {refused} refused, others {dict(ends)}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
