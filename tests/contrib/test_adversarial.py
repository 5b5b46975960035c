"""Adversarial networks have TensorFlow 1.15's losses and steps."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.adversarial_programs import programs, results

import ferroflow as tf
from ferroflow.contrib import gan as tfgan

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "adversarial.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("name", GOLDEN)
def test_results_are_tensorflows(name):
    found = results(tf, programs(tf)[name])
    assert len(found) == len(GOLDEN[name])
    for ours, theirs in zip(found, GOLDEN[name], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


def dense(size):
    return lambda x, *_: tf.layers.dense(x, size)


def model(width=2, inputs=None):
    return tfgan.gan_model(dense(width), dense(1), tf.ones([4, 2]), tf.ones([4, 3]) if inputs is None else inputs)


def test_the_penalty_is_that_of_the_gradients_lengths():
    made = model()
    penalty = tfgan.losses.wasserstein_gradient_penalty(made, target=2.0)
    one_sided = tfgan.losses.wasserstein_gradient_penalty(made, one_sided=True)
    (kernel,) = [v for v in made.discriminator_variables if "kernel" in v.name]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([penalty, one_sided, tf.norm(kernel)])
    length = values[2]
    np.testing.assert_allclose(values[:2], [(length / 2 - 1) ** 2, max(0, length - 1) ** 2], rtol=1e-4, atol=1e-7)
    weighted = tfgan.gan_loss(made, gradient_penalty_weight=10.0)
    plain = tfgan.gan_loss(made)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run([weighted.discriminator_loss - plain.discriminator_loss, tf.norm(kernel)])
    np.testing.assert_allclose(found[0], 10 * (found[1] - 1) ** 2, rtol=1e-3, atol=1e-5)


def test_networks_are_trained_one_after_the_other(tmp_path):
    made = model()
    ops = tfgan.gan_train_ops(
        made, tfgan.gan_loss(made), tf.train.GradientDescentOptimizer(0.1), tf.train.GradientDescentOptimizer(0.1)
    )
    steps = tfgan.gan_train(ops, str(tmp_path), hooks=[tf.train.StopAtStepHook(num_steps=3)])
    assert steps == 3
    names = [name for name, _ in tf.train.list_variables(str(tmp_path))]
    assert {"Generator/dense/kernel", "Discriminator/dense/kernel", "global_step"} <= set(names)


def test_updates_of_neither_network_are_refused():
    made = model()
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="other"))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="unused update ops"):
        tfgan.gan_train_ops(made, tfgan.gan_loss(made), optimizer, optimizer)
    tfgan.gan_train_ops(made, tfgan.gan_loss(made), optimizer, optimizer, check_for_unused_update_ops=False)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="must be the same shape as real data"):
        tfgan.gan_model(dense(5), lambda x, *_: tf.reduce_sum(x, 1), tf.ones([4, 2]), tf.ones([4, 3]))


def test_the_penaltys_weight_is_checked():
    with pytest.raises(ValueError, match="must be greater than 0"):
        tfgan.gan_loss(model(), gradient_penalty_weight=-1.0)
