"""Losses and training steps of adversarial networks, whose results TensorFlow 1.15 gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _data(seed: int) -> Any:
    return np.random.RandomState(seed).normal(size=(6, 3)).astype("f")


def _network(tf: Any, size: int) -> Callable[..., Any]:
    def network(x: Any, *conditions: Any) -> Any:
        w = np.random.RandomState(size).normal(size=(3, size)).astype("f") * 0.5
        regularizer = tf.contrib.layers.l2_regularizer(0.1)
        weights = tf.get_variable("w", initializer=tf.constant(w), regularizer=regularizer)
        return tf.tanh(tf.matmul(x, weights)) + tf.get_variable("b", [size], initializer=tf.zeros_initializer())

    return network


def _losses(tf: Any, name: str, options: dict[str, Any]) -> list[Any]:
    wargs = tf.contrib.gan.losses.wargs
    real, generated = tf.constant(_data(0)), tf.constant(_data(1))
    weights = tf.constant(np.abs(_data(2)))
    found = []
    for weighted in (False, True):
        of_generator = {"weights": weights} if weighted else {}
        of_discriminator = {"real_weights": weights, "generated_weights": 0.5} if weighted else {}
        found.append(getattr(wargs, f"{name}_generator_loss")(generated, **of_generator, **options))
        found.append(getattr(wargs, f"{name}_discriminator_loss")(real, generated, **of_discriminator, **options))
    found += tf.losses.get_losses()
    with tf.Session() as session:
        return session.run(found)


def _training(tf: Any, name: str, options: dict[str, Any]) -> list[Any]:
    tfgan = tf.contrib.gan
    model = tfgan.gan_model(_network(tf, 3), _network(tf, 1), tf.constant(_data(3)), tf.constant(_data(4)))
    loss = tfgan.gan_loss(
        model,
        generator_loss_fn=getattr(tfgan.losses, f"{name}_generator_loss"),
        discriminator_loss_fn=getattr(tfgan.losses, f"{name}_discriminator_loss"),
        **options,
    )
    optimizers = tf.train.GradientDescentOptimizer(0.1), tf.train.MomentumOptimizer(0.05, 0.9)
    train_ops = tfgan.gan_train_ops(model, loss, *optimizers)
    step = tfgan.get_sequential_train_steps(tfgan.GANTrainSteps(1, 2))
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            found.append(step(session, train_ops, tf.train.get_global_step(), {})[0])
        values = session.run([list(loss), tf.train.get_global_step(), tf.trainable_variables()])
    found += [*values[0], values[1], *values[2]]
    return found


def programs(tf: Any) -> dict[str, Callable[[], list[Any]]]:
    """The programs by name; each gives numbers and arrays."""
    found: dict[str, Callable[[], list[Any]]] = {}
    for name in ("wasserstein", "minimax", "modified", "least_squares"):
        found[f"losses {name}"] = lambda name=name: _losses(tf, name, {})
        found[f"training {name}"] = lambda name=name: _training(tf, name, {})
    sums = {"reduction": tf.losses.Reduction.SUM}
    found["losses summed"] = lambda: _losses(tf, "least_squares", sums)
    return found


def results(tf: Any, program: Callable[[], list[Any]]) -> list[Any]:
    """The results of a program in a graph of its own, as JSON holds them."""
    with tf.Graph().as_default():
        return [np.asarray(value).tolist() for value in program()]
