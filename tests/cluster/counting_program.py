"""What a task of the fault tests runs: workers that add one to every weight in each step, and say how far they are.

Usage: counting_program.py CLUSTER JOB INDEX FOLDER, with CLUSTER in JSON. Workers train until FOLDER has a file `stop`,
together if it has a file `sync`.
"""

import json
import pathlib
import sys
import time

import ferroflow as tf

WEIGHTS = 5000
SAVE_STEPS = 20
# Seconds between two reports at least.
REPORT = 0.02


def work(cluster, server, index, folder):
    place = tf.train.replica_device_setter(worker_device=f"/job:worker/task:{index}", cluster=cluster)
    with tf.device(place):
        weights = tf.get_variable("weights", [WEIGHTS], initializer=tf.zeros_initializer())
        global_step = tf.train.get_or_create_global_step()
        # The gradient of each weight is -1.
        optimizer, hooks = tf.train.GradientDescentOptimizer(1.0), []
        if (folder / "sync").exists():
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, cluster.num_tasks("worker"))
            hooks.append(optimizer.make_session_run_hook(index == 0))
        train_op = optimizer.minimize(-tf.reduce_sum(weights), global_step=global_step)
    with tf.train.MonitoredTrainingSession(
        server.target,
        is_chief=index == 0,
        hooks=hooks,
        checkpoint_dir=str(folder),
        save_checkpoint_steps=SAVE_STEPS,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        log_step_count_steps=None,
        config=tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{index}"]),
    ) as session:
        last = 0.0
        stop = folder / "stop"
        while not session.should_stop() and not stop.exists():
            began = time.monotonic()
            # Other workers train between two reads: the weights belong to a step between the two that are reported.
            before = int(session.run(global_step))
            _, values = session.run([train_op, weights])
            if time.monotonic() - last > REPORT:
                step = int(session.run(global_step))
                last = time.monotonic()
                low, high = float(values.min()), float(values.max())
                print(json.dumps({"began": began, "before": before, "step": step, "low": low, "high": high}))
                sys.stdout.flush()


def main(cluster, job, index, folder):
    cluster = tf.train.ClusterSpec(json.loads(cluster))
    server = tf.train.Server(cluster, job_name=job, task_index=int(index))
    if job == "ps":
        server.join()
    else:
        work(cluster, server, int(index), pathlib.Path(folder))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    main(*sys.argv[1:])
