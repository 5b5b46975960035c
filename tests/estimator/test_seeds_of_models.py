"""The operations that an Estimator adds before the model, which decide the seeds of the model's operations."""

from __future__ import annotations

import pytest

import ferroflow as tf


def _ids(tmp_path, make):
    """Returns the graph's last id, and the kind of the global step, at the start of each call of the model function."""
    found = {}

    def model_fn(features, labels, mode, params):
        step = tf.train.get_global_step()
        found[mode] = tf.get_default_graph()._last_id, step.dtype.base_dtype is step.dtype
        loss = tf.reduce_sum(features)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(step, 1))

    estimator = make(model_fn, str(tmp_path))
    estimator.train(lambda params: tf.ones([3]), steps=1)
    estimator.evaluate(lambda params: tf.ones([3]), steps=1)
    return found


def _plain(model_fn, folder):
    return tf.estimator.Estimator(model_fn, folder, params={"a": 1})


def _tpu(model_fn, folder):
    config = tf.contrib.tpu.RunConfig(model_dir=folder)
    return tf.contrib.tpu.TPUEstimator(model_fn, config=config, train_batch_size=1, eval_batch_size=1, use_tpu=False)


# The ids are those of TensorFlow 1.15.5: the global step and, in training, its read come before the input.
@pytest.mark.parametrize(("make", "train", "evaluate", "resource"), [(_plain, 16, 5, False), (_tpu, 18, 6, True)])
def test_the_model_begins_at_the_id_of_tensorflow(tmp_path, make, train, evaluate, resource):
    assert _ids(tmp_path, make) == {"train": (train, resource), "eval": (evaluate, resource)}
