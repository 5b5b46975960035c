"""Loss scales follow the finiteness of gradients, alone and under a strategy, and are saved in checkpoints."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

LossScaleOptimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer
experimental = tf.train.experimental
mixed = tf.contrib.mixed_precision
STEPS = st.lists(st.booleans(), min_size=1, max_size=25)


@settings(max_examples=15, deadline=None)
@given(STEPS, st.integers(1, 4), st.sampled_from([1.5, 2.0, 8.0]), st.sampled_from([1.0, 16.0]))
def test_a_dynamic_scale_counts_finite_steps(finite_steps, period, multiplier, first):
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, [])
        scale = experimental.DynamicLossScale(first, period, multiplier)
        update, may_apply = scale.update([fed, None, tf.ones([2])])
        session.run(tf.global_variables_initializer())
        expected, good = first, 0
        for is_finite in finite_steps:
            assert session.run([update, may_apply], {fed: 1.0 if is_finite else math.nan})[1] == is_finite
            good = good + 1 if is_finite else 0
            if not is_finite:
                expected = max(expected / multiplier, 1.0)
            elif good >= period:
                expected, good = expected * multiplier, 0
            assert session.run(scale()) == pytest.approx(expected, rel=1e-5)


@settings(max_examples=15, deadline=None)
@given(STEPS, st.integers(1, 3), st.integers(1, 3))
def test_a_manager_counts_good_and_bad_steps(finite_steps, grows_after, shrinks_after):
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.bool, [])
        manager = mixed.ExponentialUpdateLossScaleManager(4, grows_after, shrinks_after, 3.0, 0.5)
        update = manager.update_loss_scale(fed)
        session.run(tf.global_variables_initializer())
        expected, good, bad = 4.0, 0, 0
        for is_finite in finite_steps:
            session.run(update, {fed: is_finite})
            good, bad = (good + 1, bad) if is_finite else (0, bad + 1)
            if good >= grows_after:
                expected, good, bad = expected * 3.0, 0, 0
            elif bad >= shrinks_after and not is_finite:
                expected, good, bad = max(1.0, expected * 0.5), 0, 0
            assert session.run(manager.get_loss_scale()) == pytest.approx(expected, rel=1e-5)


def test_a_scale_stays_finite():
    with tf.Graph().as_default(), tf.Session() as session:
        scale = experimental.DynamicLossScale(2.0**120, 1, 2.0**10)
        update, _ = scale.update([tf.constant(1.0)])
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(update)
        assert session.run(scale()) == np.float32(2.0**120)


def test_float16_gradients_that_would_be_zero_are_kept():
    found = []
    for factor in (1, 2.0**12):
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.get_variable("w", initializer=1.0)
            half = tf.cast(w, tf.float16) * tf.constant(2.0**-14, tf.float16)
            loss = tf.cast(half * tf.constant(2.0**-8, tf.float16), tf.float32) * 2.0**-5
            optimizer = tf.train.GradientDescentOptimizer(1.0)
            pairs = mixed.LossScaleOptimizer(optimizer, mixed.FixedLossScaleManager(factor)).compute_gradients(loss)
            session.run(tf.global_variables_initializer())
            found.append(session.run(pairs[0][0]))
    assert found == [0.0, 2.0**-27]


def test_a_scale_follows_the_gradients_of_a_replica():
    with tf.Graph().as_default(), tf.distribute.MirroredStrategy().scope():
        w = tf.get_variable("w", initializer=1.0)
        fed = tf.placeholder_with_default(1.0, [])
        optimizer = experimental.MixedPrecisionLossScaleOptimizer(
            tf.train.GradientDescentOptimizer(0.1), experimental.DynamicLossScale(4.0, 2, 2.0)
        )
        strategy = tf.distribute.get_strategy()
        train = strategy.experimental_run_v2(lambda: optimizer.minimize(w * w * fed))
        with pytest.raises(ValueError, match="must be called in a replica context"):
            optimizer.apply_gradients([(tf.constant(1.0), w)])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            scales = []
            for value in (1.0, 1.0, math.inf):
                session.run(train, {fed: value})
                scales.append(session.run(optimizer._loss_scale()))
            assert scales == [4.0, 8.0, 4.0]
            assert session.run(w) == pytest.approx(0.64)


def test_a_scale_is_restored_from_a_checkpoint(tmp_path):
    def made(first):
        optimizer = experimental.MixedPrecisionLossScaleOptimizer(
            tf.train.GradientDescentOptimizer(0.1), experimental.DynamicLossScale(first)
        )
        return optimizer, tf.train.Checkpoint(optimizer=optimizer)

    with tf.Graph().as_default(), tf.Session() as session:
        _, checkpoint = made(64.0)
        session.run(tf.global_variables_initializer())
        session.run(checkpoint.save_counter.initializer)
        path = checkpoint.save(str(tmp_path / "model"), session=session)
    with tf.Graph().as_default(), tf.Session() as session:
        optimizer, checkpoint = made(2.0)
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        assert session.run(optimizer._loss_scale()) == 64.0


@pytest.mark.parametrize("adam", [tf.train.AdamOptimizer, tf.keras.optimizers.Adam])
def test_keras_trains_with_a_scaled_optimizer(adam):
    with tf.Graph().as_default(), tf.Session():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
        model.compile(experimental.enable_mixed_precision_graph_rewrite(adam(0.1)), loss="mse")
        x = np.random.RandomState(0).randn(64, 3)
        losses = model.fit(x, x.sum(1), epochs=20, verbose=0).history["loss"]
        assert losses[-1] < losses[0] / 20


def test_the_scaled_optimizer_of_keras_has_the_wrapped_ones_rate_and_variables():
    inner = tf.keras.optimizers.Adam(0.1)
    outer = LossScaleOptimizer(inner, 2.0)
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(1.0, use_resource=True)
        train = outer.minimize(lambda: w * w, [w])
        session.run(tf.global_variables_initializer())
        outer.lr = 0.25
        assert session.run(inner.learning_rate) == session.run(outer.learning_rate) == 0.25
        session.run(train)
        assert session.run(outer.iterations) == 1
        assert outer.weights is inner.weights
        assert outer.variables() == inner.variables()


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (lambda: experimental.FixedLossScale(0.5), ValueError, "must be at least 1"),
        (lambda: experimental.FixedLossScale("1"), ValueError, "must be a Python int or float"),
        (lambda: mixed.FixedLossScaleManager(0.5), ValueError, "loss scale must be at least 1"),
        (lambda: experimental.MixedPrecisionLossScaleOptimizer(3, 1), ValueError, "must be an instance of Optimizer"),
        (
            lambda: experimental.MixedPrecisionLossScaleOptimizer(tf.train.AdamOptimizer(), "static"),
            ValueError,
            "Could not interpret loss scale identifier: static",
        ),
        (lambda: experimental.enable_mixed_precision_graph_rewrite("adam"), ValueError, "must be an instance of a tf"),
        (
            lambda: experimental.enable_mixed_precision_graph_rewrite(
                experimental.enable_mixed_precision_graph_rewrite(tf.train.AdamOptimizer())
            ),
            ValueError,
            "must not already be an instance",
        ),
        (
            lambda: experimental.enable_mixed_precision_graph_rewrite(
                experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD())
            ),
            ValueError,
            "must not already be an instance of a LossScaleOptimizer",
        ),
        (
            lambda: experimental.enable_mixed_precision_graph_rewrite(tf.keras.optimizers.SGD(clipnorm=1.0)),
            ValueError,
            "does not support wrapping optimizers with a clipnorm",
        ),
        (lambda: LossScaleOptimizer(tf.train.AdamOptimizer(), 1), ValueError, "must be an instance of OptimizerV2"),
        (lambda: LossScaleOptimizer(tf.keras.optimizers.SGD(), 1).get_config(), NotImplementedError, "get_config"),
    ],
)
def test_arguments_of_loss_scales_are_checked(make, error, reason):
    with tf.Graph().as_default(), pytest.raises(error, match=reason):
        make()
