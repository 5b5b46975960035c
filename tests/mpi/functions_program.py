"""Every function of the API, against NumPy."""

import horovod
import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf
from horovod.tensorflow.compression import Compression
from horovod.tensorflow.mpi_ops import rank as rank_of_mpi_ops
from reports import failure, report

before = failure(hvd.rank)
hvd.init()
hvd.init()
rank, size = hvd.rank(), hvd.size()
numbers = [rank_of_mpi_ops(), hvd.local_rank(), hvd.local_size(), hvd.cross_rank(), hvd.cross_size()]
sess = tf.Session()


def values(of, shape=(3, 50), dtype=np.float32):
    return (np.random.RandomState(of).standard_normal(shape) * 100).astype(dtype)


def in_rank_order(arrays):
    total = arrays[0].copy()
    for array in arrays[1:]:
        total = total + array
    return total


wrong = []


def check(name, value, expected):
    if not (np.array_equal(value, expected) and np.asarray(value).dtype == np.asarray(expected).dtype):
        wrong.append(f"{name}: {value!r} is not {expected!r}")


# Sums and averages of each dtype, bit for bit.
for dtype in ("float16", "float32", "float64", "int32", "int64", "uint8", "int8"):
    arrays = [
        values(r, dtype=dtype) if dtype[0] == "f" else np.arange(150).reshape(3, 50).astype(dtype) + r
        for r in range(size)
    ]
    arrays = [a.astype(dtype) for a in arrays]
    x = tf.constant(arrays[rank], name=f"x_{dtype}")
    check(f"sum {dtype}", sess.run(hvd.allreduce(x, average=False)), in_rank_order(arrays))
    if dtype[0] == "f":
        check(f"average {dtype}", sess.run(hvd.allreduce(x)), in_rank_order(arrays) / np.asarray(size, dtype))
mine = values(rank)
everything = [values(r) for r in range(size)]
check("op", sess.run(hvd.allreduce(mine, op=hvd.Sum, name="op")), in_rank_order(everything))
scaled = hvd.allreduce(mine, op=hvd.Sum, prescale_factor=0.5, postscale_factor=3.0, name="scaled")
check("scales", sess.run(scaled), in_rank_order([e * np.float32(0.5) for e in everything]) * np.float32(3))
half = in_rank_order([e.astype(np.float16) for e in everything]).astype(np.float32)
check("fp16", sess.run(hvd.allreduce(mine, average=False, compression=Compression.fp16, name="fp16")), half)
check(
    "scalar",
    sess.run(hvd.allreduce(np.float32(rank + 1), average=False, name="scalar")),
    np.float32(size * (size + 1) / 2),
)
check("empty", sess.run(hvd.allreduce(np.zeros([0, 3], np.float32), name="empty")), np.zeros([0, 3], np.float32))

# Many tensors of one step, submitted in another order by each rank, share buffers.
many = [
    hvd.allreduce(tf.constant(values(100 * i + rank, (i * 7 + 1,))), average=False, name=f"many_{i}") for i in range(40)
]
got = sess.run(dict(enumerate(many[rank:] + many[:rank])))
for i in range(40):
    check(f"many {i}", got[(i - rank) % 40], in_rank_order([values(100 * i + r, (i * 7 + 1,)) for r in range(size)]))
large = [values(r, (700_001,)) for r in range(size)]
check("large", sess.run(hvd.allreduce(large[rank], average=False, name="large")), in_rank_order(large))

# Rows of all ranks; none of them has as many.
for dtype in ("float32", "int64", "bool", "float16"):
    rows = [(values(r, (r, 4)) * 3).astype(dtype) for r in range(size)]
    check(f"allgather {dtype}", sess.run(hvd.allgather(rows[rank], name=f"rows_{dtype}")), np.concatenate(rows))
for root in range(size):
    check("broadcast", sess.run(hvd.broadcast(mine, root, name=f"root_{root}")), everything[root])
    check("flags", sess.run(hvd.broadcast(mine > 0, root, name=f"flags_{root}")), everything[root] > 0)
check("numbers", sess.run([hvd.rank_op(), hvd.size_op()]), np.array([rank, size], np.int32))

slices = tf.IndexedSlices(
    tf.constant(values(rank, (rank + 1, 2))), tf.constant(np.arange(rank + 1) + rank), tf.constant([9, 2])
)
summed = sess.run(hvd.allreduce(slices, average=True))
check("slices", summed.values, np.concatenate([values(r, (r + 1, 2)) for r in range(size)]) / np.float32(size))
check("indices", summed.indices, np.concatenate([np.arange(r + 1) + r for r in range(size)]))

# Gradients: a rank's loss depends on the tensors of all.
x = tf.constant(mine)
weight = tf.constant(values(50 + rank))
weights = [values(50 + r) for r in range(size)]
check("d sum", sess.run(tf.gradients(hvd.allreduce(x, average=False, name="ds"), x, weight)[0]), in_rank_order(weights))
check(
    "d average",
    sess.run(tf.gradients(hvd.allreduce(x, name="da"), x, weight)[0]),
    in_rank_order(weights) / np.float32(size),
)
gathered = hvd.allgather(tf.constant(values(rank, (rank + 1, 2))), name="dg")
rows = sum(r + 1 for r in range(size))
begin = sum(r + 1 for r in range(rank))
grads = [values(70 + r, (rows, 2)) for r in range(size)]
d = tf.gradients(gathered, gathered.op.inputs[0], tf.constant(grads[rank]))[0]
check("d allgather", sess.run(d), in_rank_order(grads)[begin : begin + rank + 1])
d = sess.run(tf.gradients(hvd.broadcast(x, 1, name="db"), x, weight)[0])
check("d broadcast", d, in_rank_order(weights) if rank == 1 else np.zeros_like(mine))

# Variables get the values of the root.
with tf.variable_scope("model"):
    variables = [tf.get_variable(f"v{i}", initializer=tf.constant(values(rank + i))) for i in range(3)]
    flag = tf.get_variable("flag", initializer=rank == 0)
    resource = tf.get_variable("resource", initializer=tf.constant(values(rank + 9)), use_resource=True)
sess.run(tf.global_variables_initializer())
sess.run(hvd.broadcast_global_variables(1))
for i, variable in enumerate(variables):
    check("broadcast variable", sess.run(variable), values(1 + i))
check("flag", sess.run(flag), np.bool_(False))
check("resource", sess.run(resource), values(10))

# Python objects, each process with one of its own type and size.
mine_object = {"rank": rank, "rows": list(range(rank * 100)), "text": "é" * rank}
objects = [{"rank": r, "rows": list(range(r * 100)), "text": "é" * r} for r in range(size)]
for root in range(size):
    if hvd.broadcast_object(mine_object if rank == root else None, root) != objects[root]:
        wrong.append(f"broadcast_object from {root}")
if hvd.broadcast_object(rank, root_rank=1, name="named") != 1 or hvd.allgather_object(mine_object) != objects:
    wrong.append("objects")
if "root rank 9" not in failure(lambda: hvd.broadcast_object(1, 9)):
    wrong.append("a root that is no rank")

# A loop runs one operation several times.
total = tf.while_loop(
    lambda i, _: i < 5,
    lambda i, t: (i + 1, t + hvd.allreduce(tf.cast(i + rank, tf.float32), average=False, name="in_loop")),
    [0, 0.0],
)[1]
check("loop", sess.run(total), np.float32(sum(size * i + sum(range(size)) for i in range(5))))

report(
    rank,
    size=size,
    numbers=numbers,
    wrong=wrong,
    before=before,
    version=horovod.__version__,
    threads=hvd.mpi_threads_supported(),
    enabled=[hvd.mpi_enabled(), hvd.mpi_built(), hvd.gloo_enabled(), hvd.nccl_built(), hvd.is_homogeneous()],
)
hvd.shutdown()
assert "not been initialized" in failure(hvd.size)
