"""`MirroredStrategy` in an MPI job: an estimator whose replicas take the batches of one input in turn."""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from reports import report

folder = sys.argv[1]
tf.logging.set_verbosity(tf.logging.ERROR)
strategy = tf.contrib.distribute.MirroredStrategy()
rank, size = strategy.extended.replicas
random = np.random.RandomState(0)
images = random.standard_normal((130, 6)).astype(np.float32)
labels = random.randint(0, 4, 130).astype(np.int64)
losses = []


def input_fn():
    # All replicas together take 28 examples in a step; those after the last step are left out.
    return tf.data.Dataset.from_tensor_slices((images, labels)).batch(28 // size, drop_remainder=True)


def model_fn(features, labels, mode):
    # Replicas begin with different variables, until the strategy makes them equal.
    initializer = tf.glorot_uniform_initializer(seed=1 + rank * 100)
    logits = tf.layers.dense(features, 4, kernel_initializer=initializer, name="logits")
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


class Losses(tf.train.SessionRunHook):
    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        losses.append(float(run_values.results))


config = tf.estimator.RunConfig(model_dir=str(Path(folder) / str(rank)), train_distribute=strategy)
estimator = tf.estimator.Estimator(model_fn, config=config)
estimator.train(input_fn, hooks=[Losses()])
saved = sorted(path.name for path in (Path(folder) / str(rank)).glob("model.ckpt-*.index"))
weights = estimator.get_variable_value("logits/kernel").ravel().astype(float).tolist() if saved else []
report(rank, losses=losses, saved=saved, weights=weights, chief=config.is_chief, workers=config.num_worker_replicas)
