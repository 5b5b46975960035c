"""Programs with faults: their ranks must end with errors."""

import os
import signal
import sys
import threading
import time

import horovod.tensorflow as hvd
import tensorflow as tf
from reports import failure, report

kind = sys.argv[1]
if kind == "options" and os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK")) == "1":
    os.environ["FERROFLOW_MPI_PIECE_BYTES"] = "1000"
    os.environ["FERROFLOW_MPI_SUM"] = "mpi"
hvd.init()
rank = hvd.rank()
sess = tf.Session()


def run(x, name, operation=hvd.allreduce, **options):
    node = operation(x, name=name, **options)
    return failure(lambda: sess.run(node))


if kind == "mismatch":
    errors = [
        run(tf.zeros([2 + rank]), "shape"),
        run(tf.zeros([2], tf.float32 if rank else tf.float64), "dtype"),
        run(tf.zeros([2]), "operation", *([hvd.allgather] if rank else [])),
        run(tf.zeros([2]), "root", hvd.broadcast, root_rank=rank),
        run(tf.zeros([2, 2 + rank]), "rows", hvd.allgather),
        run(tf.zeros([2]), "no_root", hvd.broadcast, root_rank=7),
        run(tf.zeros([2]), "after"),
    ]
    report(rank, errors=errors)
elif kind == "names":
    began = time.monotonic()
    errors = [run(tf.zeros([2]), f"only_{rank}"), run(tf.zeros([2]), "after")]
    report(rank, errors=errors, seconds=time.monotonic() - began)
elif kind == "ends":
    if rank != 1:
        report(rank, errors=[run(tf.zeros([2]), "a"), run(tf.zeros([2]), "b")])
elif kind == "raises":
    if rank == 1:
        raise RuntimeError("rank 1 has a fault of its own")
    try:
        sess.run(hvd.allreduce(tf.zeros([2])))
    except tf.errors.UnknownError as error:
        report(rank, errors=[str(error)])
        raise
elif kind == "killed":
    sess.run(hvd.allreduce(tf.zeros([2])))
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    sess.run(hvd.allreduce(tf.zeros([2])))
elif kind == "forked":
    child = os.fork()
    if child == 0:
        text = failure(lambda: tf.Session().run(hvd.allreduce(tf.zeros([2]))))
        os._exit(0 if "forked after hvd.init()" in text else 1)
    status = os.waitpid(child, 0)[1]
    sess.run(hvd.allreduce(tf.zeros([2])))
    report(rank, status=status)
elif kind == "killed_within":
    large = hvd.allreduce(tf.ones([4_000_000]))
    if rank == 1:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGKILL)).start()
    while True:
        sess.run(large.op)
elif kind == "interrupted":
    step = hvd.allreduce(tf.ones([1000])).op
    sess.run(step)
    # One write: two ranks' parts of a line would mix.
    os.write(1, b"training\n")
    while True:
        sess.run(step)
elif kind == "shutdown":
    # Rank 0 waits for a tensor that no other rank submits, and leaves meanwhile.
    errors = []
    node = hvd.allreduce(tf.zeros([2]), name="outstanding")
    sess.run(hvd.allreduce(tf.zeros([2]), name="ready"))
    if rank == 0:
        waiting = threading.Thread(target=lambda: errors.append(failure(lambda: sess.run(node))))
        waiting.start()
        while waiting.is_alive():
            # The node may not have been submitted yet.
            hvd.shutdown()
            waiting.join(0.1)
    else:
        errors.append(run(tf.zeros([2]), "other"))
    hvd.shutdown()
    report(rank, errors=errors)
elif kind == "options":
    total = sess.run(hvd.allreduce(tf.ones([5000]) * (rank + 1), average=False))
    report(rank, total=sorted(set(total.tolist())))
