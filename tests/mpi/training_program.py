"""Trains a small model; every rank has its part of each batch."""

import sys

import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf
from reports import report

kind = sys.argv[1]
hvd.init()
rank, size = hvd.rank(), hvd.size()
random = np.random.RandomState(0)
images = random.standard_normal((8, 32, 20)).astype(np.float32)
labels = random.randint(0, 5, (8, 32))
part = slice(rank * 32 // size, (rank + 1) * 32 // size)

x = tf.placeholder(tf.float32, [None, 20])
y = tf.placeholder(tf.int64, [None])
# Ranks begin with different variables, until those of rank 0 are broadcast.
tf.set_random_seed(1 if rank == 0 else 100 + rank)
hidden = tf.layers.dense(x, 30, tf.nn.tanh, name="hidden")
if kind.startswith("sparse"):
    table = tf.get_variable("table", [50, 30])
    rows = tf.mod(y * 7, 50)
    # One process leaves the gradient sparse, as Horovod does, and momentum treats absent rows differently.
    # Both are built, since the numbers of the nodes seed the weights.
    lookup, product = tf.nn.embedding_lookup(table, rows), tf.matmul(tf.one_hot(rows, 50), table)
    hidden += product if kind == "sparse_as_dense" and size == 1 else lookup
logits = tf.layers.dense(hidden, 5, name="logits")
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
options = {
    "dense": {},
    "sparse": {},
    "sparse_as_dense": {"sparse_as_dense": True},
    "fp16": {"compression": hvd.Compression.fp16},
    "predivided": {"gradient_predivide_factor": 2.0},
    "passes": {"backward_passes_per_step": 2, "average_aggregated_gradients": True},
}[kind]
optimizer = hvd.DistributedOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), **options)
step = tf.train.get_or_create_global_step()
train = optimizer.minimize(loss, global_step=step)
losses = []
hooks = [hvd.BroadcastGlobalVariablesHook(0)]
with tf.train.MonitoredTrainingSession(hooks=hooks) as sess:
    for i in range(8):
        value, _ = sess.run([loss, train], {x: images[i][part], y: labels[i][part]})
        losses.append(float(value))
    steps = sess.run(step)
    trained = [sess.run(v).tobytes().hex() for v in tf.trainable_variables()]
    values = [sess.run(v).ravel().astype(float).tolist() for v in tf.trainable_variables()]
report(
    rank,
    losses=losses,
    trained=trained,
    values=values,
    steps=int(steps),
    names=[v.name for v in tf.trainable_variables()],
)
