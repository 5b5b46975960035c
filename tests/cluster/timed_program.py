"""A worker of a monitored session whose steps have a limit of time, and add one to a counter of the parameter server.

Usage: timed_program.py CLUSTER JOB INDEX FOLDER, with CLUSTER in JSON. The worker reports each step until FOLDER has a
file `stop`; where it has a file `starve`, a step waits in an empty queue.
"""

import json
import pathlib
import sys
import time

import ferroflow as tf

MILLISECONDS = 700


def main(cluster, job, index, folder):
    server = tf.train.Server(json.loads(cluster), job_name=job, task_index=int(index))
    if job == "ps":
        server.join()
    folder = pathlib.Path(folder)
    with tf.device("/job:ps/task:0"):
        step = tf.train.get_or_create_global_step()
        add = step.assign_add(1)
        take = tf.FIFOQueue(1, tf.float32, shared_name="empty").dequeue()
    config = tf.ConfigProto(operation_timeout_in_ms=MILLISECONDS)
    with tf.train.MonitoredTrainingSession(
        server.target, checkpoint_dir=str(folder / "saved"), save_checkpoint_secs=0.2, config=config
    ) as session:
        while not (folder / "stop").exists():
            began = time.monotonic()
            reached = int(session.run(add))
            print(json.dumps({"began": began, "step": reached}), flush=True)
            if (folder / "starve").exists():
                session.run(take)


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    main(*sys.argv[1:])
