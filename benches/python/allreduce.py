"""Times sums over processes: MPI_Allreduce, a step that sums one tensor, and a step that sums 100 tensors.

Run with `mpirun -n 2 python benches/python/allreduce.py`; rank 0 prints the least of the repeats in milliseconds.
"""

import sys
import time

import numpy as np
from mpi4py import MPI

import ferroflow as tf
import ferroflow.horovod.tensorflow as hvd

_REPEATS = 15


def _least(act):
    world, times = MPI.COMM_WORLD, []
    for _ in range(_REPEATS):
        world.Barrier()
        began = time.perf_counter()
        act()
        times.append(world.allreduce(time.perf_counter() - began, MPI.MAX) * 1e3)
    return min(times)


def _step(sess, sizes, name):
    """Returns a step that computes tensors of these sizes and sums them; the results stay in the engine."""
    with tf.variable_scope(name):
        variables = [tf.get_variable(f"v{i}", [n], initializer=tf.ones_initializer()) for i, n in enumerate(sizes)]
    sess.run(tf.global_variables_initializer())
    run = sess.make_callable(tf.group(*[hvd.allreduce(v * 1.5, op=hvd.Sum) for v in variables]))
    run()
    return run


def main():
    hvd.init()
    with tf.Session() as sess:
        for megabytes in map(int, sys.argv[1:] or ("1", "10", "100")):
            count = megabytes * 250_000
            data = np.ones(count, np.float32)
            raw = _least(lambda data=data: MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, data))
            one = _least(_step(sess, [count], f"one_{megabytes}"))
            many = _least(_step(sess, [count // 100] * 100, f"many_{megabytes}"))
            if hvd.rank() == 0:
                times = f"MPI_Allreduce {raw:8.2f} ms  one tensor {one:8.2f}  100 tensors {many:8.2f}"
                print(f"{megabytes:4d} MB  {times}", flush=True)


if __name__ == "__main__":
    main()
