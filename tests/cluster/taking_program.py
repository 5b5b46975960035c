"""What a task runs whose workers wait in a queue of the parameter server.

Usage: taking_program.py CLUSTER JOB INDEX FOLDER, with CLUSTER in JSON. When FOLDER has a file `put`, the server puts
an element into the queue. A worker reports that it waits, and then what it took or how it failed.
"""

import json
import pathlib
import sys
import threading

import ferroflow as tf


def report(**values):
    print(json.dumps(values), flush=True)


def main(cluster, job, index, folder):
    server = tf.train.Server(json.loads(cluster), job_name=job, task_index=int(index))
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(10, tf.float32, shapes=[[]], shared_name="queue")
        put, take, size = queue.enqueue(1.0), queue.dequeue(), queue.size()
    pause = threading.Event()
    with tf.Session(server.target) as session:
        if job == "ps":
            while not (pathlib.Path(folder) / "put").exists():
                pause.wait(0.05)
            session.run(put)
            server.join()
        session.run(size)
        report(waits=True)
        try:
            report(taken=float(session.run(take)))
        except tf.errors.OpError as failure:
            report(error=type(failure).__name__, message=failure.message)
        pause.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
