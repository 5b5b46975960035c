"""Schedules of learning rates have TensorFlow 1.15's values and configurations, and optimizers follow them."""

import numpy as np
import pytest

import ferroflow as tf

schedules = tf.keras.optimizers.schedules
experimental = tf.keras.experimental
STEPS = (0, 3, 10, 25)

MADE = {
    "ExponentialDecay": lambda: schedules.ExponentialDecay(0.5, 10, 0.5, staircase=True),
    "InverseTimeDecay": lambda: schedules.InverseTimeDecay(0.5, 10, 0.5),
    "PiecewiseConstantDecay": lambda: schedules.PiecewiseConstantDecay([3, 10.0], [1.0, 0.5, 0.25]),
    "PolynomialDecay": lambda: schedules.PolynomialDecay(0.5, 10, 0.1, power=2.0),
    "CosineDecay": lambda: experimental.CosineDecay(0.5, 20, alpha=0.1),
    "CosineDecayRestarts": lambda: experimental.CosineDecayRestarts(0.5, 10, m_mul=0.5),
    "LinearCosineDecay": lambda: experimental.LinearCosineDecay(0.5, 20),
}
VALUES = {
    "ExponentialDecay": [0.5, 0.5, 0.25, 0.125],
    "InverseTimeDecay": [0.5, 0.4347826, 0.3333333, 0.2222222],
    "PiecewiseConstantDecay": [1, 1, 0.5, 0.25],
    "PolynomialDecay": [0.5, 0.296, 0.1, 0.1],
    "CosineDecay": [0.5, 0.4754764, 0.275, 0.05],
    "CosineDecayRestarts": [0.5, 0.3969463, 0.25, 0.03661165],
    "LinearCosineDecay": [0.5005, 0.4023389, 0.1255, 0.0005],
}


def values(schedule):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run([schedule(tf.constant(step, tf.int64)) for step in STEPS])


@pytest.mark.parametrize("name", MADE)
def test_values_of_tensorflow(name):
    np.testing.assert_allclose(values(MADE[name]()), VALUES[name], rtol=1e-5)


@pytest.mark.parametrize("name", MADE)
def test_a_schedule_made_of_its_configuration_is_equal(name):
    first = MADE[name]()
    told = schedules.serialize(first)
    assert told["class_name"] == name
    again = schedules.deserialize(told)
    assert type(again) is type(first)
    assert again.get_config() == first.get_config()
    np.testing.assert_array_equal(values(again), values(first))


def test_errors_of_tensorflow():
    with pytest.raises(ValueError, match="1 less than the length of values"):
        schedules.PiecewiseConstantDecay([1, 2], [1.0, 2.0])
    with pytest.raises(ValueError, match="Unknown decay"):
        schedules.deserialize({"class_name": "Other", "config": {}})
    with pytest.raises(ValueError, match="Improper config format"):
        schedules.deserialize({"class_name": "CosineDecay"})
    with pytest.raises(ValueError, match="Nadam optimizer does not support"):
        tf.keras.optimizers.Nadam(MADE["CosineDecay"]())


def test_noise_gets_smaller_with_the_steps():
    schedule = experimental.NoisyLinearCosineDecay(1.0, 10**6, initial_variance=1.0, variance_decay=2.0)
    assert schedules.deserialize(schedules.serialize(schedule)).get_config() == schedule.get_config()
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(1)
        early, late = schedule(0), schedule(1000)
        spread = np.std([sess.run([early, late]) for _ in range(50)], axis=0)
    assert spread[0] > 0.5
    assert 0 < spread[1] < 0.01


def trained(optimizer):
    """Weights after each of four steps down a slope of 1."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_dim=1, use_bias=False, kernel_initializer="zeros")])
    model.compile(optimizer, lambda y_true, y_pred: y_pred)
    found = []
    for _ in range(4):
        model.train_on_batch(np.ones((1, 1)), np.ones((1, 1)))
        found.append(float(model.get_weights()[0][0, 0]))
    return found


@pytest.mark.parametrize("by_name", [False, True])
def test_an_optimizer_follows_a_schedule(by_name):
    with tf.Graph().as_default():
        schedule = schedules.PiecewiseConstantDecay([0, 2], [1.0, 0.5, 0.25])
        sgd = tf.keras.optimizers.SGD
        optimizer = sgd(learning_rate=schedule) if by_name else sgd(schedule)
        assert trained(optimizer) == [-1.0, -1.5, -2.0, -2.25]
        assert optimizer.learning_rate is schedule
        again = sgd.from_config(optimizer.get_config())
        assert again.learning_rate.get_config() == schedule.get_config()
        tf.keras.backend.clear_session()


def test_the_rate_has_two_names():
    with tf.Graph().as_default():
        optimizer = tf.keras.optimizers.Adam(learning_rate=0.25)
        assert optimizer.learning_rate is optimizer.lr
        assert optimizer.get_config()["learning_rate"] == 0.25
        assert tf.keras.optimizers.Nadam(lr=0.5).get_config()["learning_rate"] == 0.5
        tf.keras.backend.clear_session()
