"""Trains a Keras model with Horovod's callbacks; every rank has its part of the examples."""

import sys

import numpy as np
import tensorflow as tf
from reports import report

if sys.argv[1] == "tf":
    import horovod.tensorflow.keras as hvd
    from horovod.tensorflow.keras import callbacks
else:
    import horovod.keras as hvd
    from horovod.keras import callbacks

hvd.init()
rank, size = hvd.rank(), hvd.size()
random = np.random.RandomState(0)
images = random.standard_normal((64, 10)).astype(np.float32)
labels = images[:, :1] * 2 + 1
tf.set_random_seed(1 if rank == 0 else 100 + rank)
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh", input_shape=(10,)), tf.keras.layers.Dense(1)])
optimizer = hvd.DistributedOptimizer(tf.keras.optimizers.SGD(lr=0.05 * size, momentum=0.9))
model.compile(optimizer, "mse", metrics=["mae"])
rates = []


class Rates(tf.keras.callbacks.Callback):
    def on_batch_end(self, batch, logs=None):
        rates.append(float(tf.keras.backend.get_value(self.model.optimizer.lr)))


# Each rank has every `size`th example, so that the batches of all are those of one process.
history = model.fit(
    images[rank::size],
    labels[rank::size],
    batch_size=16 // size,
    epochs=4,
    shuffle=False,
    verbose=0,
    callbacks=[
        hvd.callbacks.BroadcastGlobalVariablesCallback(0),
        callbacks.MetricAverageCallback(),
        callbacks.LearningRateWarmupCallback(warmup_epochs=2),
        callbacks.LearningRateScheduleCallback(start_epoch=2, end_epoch=3, multiplier=1.0),
        callbacks.LearningRateScheduleCallback(start_epoch=3, multiplier=lambda epoch: 0.1),
        Rates(),
    ],
)
report(
    rank,
    rates=rates,
    history={name: [float(v) for v in values] for name, values in history.history.items()},
    weights=[w.tobytes().hex() for w in model.get_weights()],
    optimizer=type(model.optimizer).__name__,
    value=hvd.allreduce(np.float32(rank), average=False),
    rows=hvd.allgather(np.full([1, 2], rank, np.int64)),
    root=hvd.broadcast(np.array([rank, 7]), 1 % size),
)
