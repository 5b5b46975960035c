"""Times sums over processes: MPI_Allreduce, and what the sum of one tensor or of 100 tensors adds to a step.

Run with `mpirun -n 2 python benches/python/allreduce.py`. Rank 0 prints the least of the repeats in milliseconds, and
after each step with sums the same step without them: both compute tensors and keep them in variables.
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


def _step(sess, sizes, name, ends):
    """Returns a step that computes tensors of these sizes and applies `ends`; the results stay in the engine."""
    with tf.variable_scope(name):
        variables = [tf.get_variable(f"v{i}", [n], initializer=tf.ones_initializer()) for i, n in enumerate(sizes)]
        results = [tf.get_variable(f"r{i}", [n], initializer=tf.ones_initializer()) for i, n in enumerate(sizes)]
    sess.run(tf.global_variables_initializer())
    run = sess.make_callable(tf.group(*[r.assign(ends(v * 1.5)) for v, r in zip(variables, results, strict=True)]))
    run()
    return run


def main():
    hvd.init()
    with tf.Session() as sess:
        for megabytes in map(int, sys.argv[1:] or ("1", "10", "100")):
            count = megabytes * 250_000
            data = np.ones(count, np.float32)
            raw = _least(lambda data=data: MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, data))
            times = f"MPI_Allreduce {raw:8.2f} ms"
            for tensors in (1, 100):
                sizes = [count // tensors] * tensors
                for name, ends in (("sums", lambda x: hvd.allreduce(x, op=hvd.Sum)), ("only", tf.identity)):
                    least = _least(_step(sess, sizes, f"{name}_{tensors}_{megabytes}", ends))
                    times += f"  {tensors} {name} {least:8.2f}"
            if hvd.rank() == 0:
                print(f"{megabytes:4d} MB  {times}", flush=True)


if __name__ == "__main__":
    main()
