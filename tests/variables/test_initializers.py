"""Laws of initializers: TensorFlow's numbers, scales, configurations."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from deprecations import logs_deprecation
from golden.variable_programs import INITIALIZERS, initial_value
from variables.graphs import graph  # noqa: F401 (a fixture)

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "initial_values.json").read_text(encoding="utf-8"))


def value(initializer, shape, seed=None, **arguments):
    """What an initializer makes, in a fresh graph with a graph seed."""
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        made = initializer(shape, **arguments)
        with tf.Session() as sess:
            return sess.run(made)


@pytest.mark.parametrize("case", INITIALIZERS)
def test_numbers_are_tensorflows(case):
    found = initial_value(tf, tf.initializers, case)
    if "orthogonal" in case:
        # TensorFlow rounds each step of the decomposition to float32; elements are of size one.
        np.testing.assert_allclose(found, GOLDEN[case], rtol=0, atol=1e-6)
    else:
        assert found == GOLDEN[case]


@pytest.mark.parametrize("shape", [[5, 3], [3, 5], [2, 3, 4], [4, 2, 3]])
def test_the_fewer_of_rows_and_columns_are_orthogonal(shape):
    q = value(tf.initializers.orthogonal(gain=2.0, seed=1, dtype=tf.float64), shape)
    q = q.reshape(-1, shape[-1])
    product = q.T @ q if q.shape[0] >= q.shape[1] else q @ q.T
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-14)


def test_identity_is_scaled_and_not_square():
    assert value(tf.initializers.identity(gain=3.0), [2, 3]).tolist() == [[3, 0, 0], [0, 3, 0]]
    assert value(tf.initializers.identity(dtype=tf.float64), [2, 2]).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="2D matrices"):
        tf.initializers.identity()([2])


def test_slices_of_the_identity_are_the_identity():
    w = tf.get_variable("w", [4, 6], initializer=tf.initializers.identity(), partitioner=tf.fixed_size_partitioner(3))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert (sess.run(w.as_tensor()) == np.eye(4, 6)).all()


@pytest.mark.parametrize(
    ("mode", "shape", "fan"),
    [
        ("fan_in", [30, 50], 30),
        ("fan_out", [30, 50], 50),
        ("fan_avg", [30, 50], 40),
        ("fan_in", [3, 5, 7, 11], 105),
        ("fan_out", [3, 5, 7, 11], 165),
        ("fan_in", [2000], 2000),
    ],
)
@pytest.mark.parametrize("distribution", ["truncated_normal", "normal", "untruncated_normal", "uniform"])
def test_variances_are_the_scale_by_the_fan(mode, shape, fan, distribution):
    made = value(tf.initializers.variance_scaling(scale=3.0, mode=mode, distribution=distribution, seed=7), shape)
    spread = 4 * math.sqrt(2 / made.size)
    assert abs(made.var() / (3.0 / fan) - 1) < spread
    if distribution == "uniform":
        assert abs(made).max() <= math.sqrt(9.0 / fan) * (1 + 1e-6)


def test_unit_scaling_is_bounded_by_the_inputs():
    with logs_deprecation("variance_scaling"):
        initializer = tf.initializers.uniform_unit_scaling(factor=2.0, seed=1)
    made = value(initializer, [12, 100])
    assert 0.9 < abs(made).max() / (2.0 * math.sqrt(3 / 12)) <= 1
    assert value(initializer, [0, 3]).shape == (0, 3)


def test_equal_seeds_give_equal_numbers_and_others_do_not():
    for initializer in (
        tf.initializers.random_uniform,
        tf.initializers.random_normal,
        tf.initializers.truncated_normal,
    ):
        a, b, c = (value(initializer(seed=s), [50], seed=0) for s in (3, 3, 4))
        assert (a == b).all()
        assert (a != c).any()


def test_constants_are_filled_up_and_checked():
    assert value(tf.initializers.constant([1, 2]), [2, 2]).tolist() == [[1, 2], [2, 2]]
    assert value(tf.initializers.constant(7, dtype=tf.int32), [2]).tolist() == [7, 7]
    with pytest.raises(ValueError, match="Too many elements"):
        tf.initializers.constant([1, 2, 3])([2])
    with pytest.raises(TypeError):
        tf.initializers.constant([1, 2], verify_shape=True)([2, 2])
    with pytest.raises(TypeError, match="Invalid type for initial value"):
        tf.initializers.constant(object())


@pytest.mark.parametrize(
    "initializer",
    [
        tf.initializers.zeros(tf.int32),
        tf.initializers.ones(),
        tf.initializers.constant(3.0),
        tf.initializers.random_uniform(-1.0, 1.0, seed=3),
        tf.initializers.random_normal(1.0, 2.0, 3, tf.float64),
        tf.initializers.truncated_normal(seed=1),
        tf.initializers.variance_scaling(2.0, "fan_out", "uniform", 5),
        tf.initializers.glorot_uniform(seed=1),
        tf.initializers.glorot_normal(seed=1),
        tf.initializers.orthogonal(2.0, 1),
        tf.initializers.identity(2.0),
    ],
    ids=lambda i: type(i).__name__,
)
def test_a_configuration_makes_an_equal_initializer(initializer):
    config = json.loads(json.dumps(initializer.get_config()))
    again = type(initializer).from_config(config)
    assert again.get_config() == initializer.get_config()
    assert again.dtype == initializer.dtype
    assert (value(initializer, [3, 3]) == value(again, [3, 3])).all()


@pytest.mark.parametrize(
    "make",
    [
        tf.initializers.random_normal,
        tf.initializers.truncated_normal,
        tf.initializers.variance_scaling,
        tf.initializers.orthogonal,
        tf.initializers.identity,
        tf.initializers.glorot_uniform,
    ],
)
def test_float_initializers_refuse_integers(make):
    with pytest.raises(ValueError, match="Expected floating point type"):
        make(dtype=tf.int32)


def test_variance_scaling_refuses_unknown_words():
    for arguments in ({"scale": 0}, {"mode": "fan"}, {"distribution": "cauchy"}):
        with pytest.raises(ValueError, match=f"`{next(iter(arguments))}`"):
            tf.initializers.variance_scaling(**arguments)


def test_a_call_without_dtype_takes_the_initializers():
    assert value(tf.initializers.ones(tf.float64), [1]).dtype == np.float64
    assert value(tf.initializers.random_uniform(0, 10, dtype=tf.int64, seed=1), [4]).dtype == np.int64
    assert value(tf.initializers.zeros(), [1], dtype=tf.bool).tolist() == [False]
