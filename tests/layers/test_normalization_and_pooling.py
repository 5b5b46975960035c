"""Batch normalization and pooling layers: TensorFlow's numbers and names, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.normalization_layer_programs import CASES, POOLINGS, describe, describe_pooling

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "normalization_layers.json").read_text(encoding="utf-8"))


def assert_same(found, expected):
    for key in set(expected) - {"values", "sizes"}:
        assert found[key] == expected[key]
    for key in ("values", "sizes"):
        for value, wanted, size in zip(found[key], expected[key], expected["sizes"], strict=True):
            assert abs(value - wanted) <= 2e-5 * size + 1e-6


@pytest.mark.parametrize("case", CASES)
def test_batch_normalization_is_tensorflows_step_by_step(case):
    assert_same(describe(tf, case), GOLDEN[case])


@pytest.mark.parametrize("case", POOLINGS)
def test_a_pooling_layer_is_tensorflows(case):
    assert_same(describe_pooling(tf, case), GOLDEN[case])


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == {*CASES, *POOLINGS}


def test_averages_are_used_and_not_moved_outside_of_training():
    x = np.random.default_rng(0).normal(3, 2, (8, 4, 4, 2)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.layers.batch_normalization(x, moving_variance_initializer=tf.constant_initializer(4.0))
        assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), x / np.sqrt(4.001), rtol=1e-5)


def test_batches_with_nan_do_not_spoil_the_averages_outside_of_training():
    with tf.Graph().as_default(), tf.Session() as session:
        training = tf.placeholder(tf.bool, [])
        x = tf.placeholder(tf.float32, [2, 2, 2, 1])
        tf.layers.batch_normalization(x, training=training)
        session.run(tf.global_variables_initializer())
        before = session.run(tf.global_variables())
        session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), {training: False, x: np.full([2, 2, 2, 1], np.nan)})
        for found, expected in zip(session.run(tf.global_variables()), before, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_halves_keep_their_parameters_as_floats():
    x = np.random.default_rng(0).normal(3, 2, (8, 4, 4, 2)).astype(np.float16)
    for training in (True, "fed"):
        with tf.Graph().as_default(), tf.Session() as session:
            mode = tf.placeholder_with_default(True, []) if training == "fed" else training
            y = tf.layers.batch_normalization(x, training=mode)
            assert {v.dtype.base_dtype for v in tf.global_variables()} == {tf.float32}
            session.run(tf.global_variables_initializer())
            found = session.run(y)
            assert found.dtype == np.float16
            expected = (x - x.mean((0, 1, 2), np.float32)) / np.sqrt(x.astype(np.float32).var((0, 1, 2)) + 1e-3)
            np.testing.assert_allclose(found, expected, atol=5e-3)


@pytest.mark.parametrize("mode", ["known", "fed"])
def test_renormalization_corrects_towards_the_averages_within_bounds(mode):
    rng = np.random.default_rng(1)
    clipping = {"rmax": 1.2, "rmin": 0.7, "dmax": 0.3}
    mean, stddev = np.zeros(3), np.ones(3)
    moving_mean, moving_stddev = np.zeros(3), np.ones(3)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [6, 3])
        training = tf.placeholder(tf.bool, []) if mode == "fed" else True
        y = tf.layers.batch_normalization(
            x, training=training, renorm=True, renorm_clipping=clipping, renorm_momentum=0.8
        )
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            batch = rng.normal(2, 3, (6, 3))
            feeds = {x: batch, training: True} if mode == "fed" else {x: batch}
            found, *_ = session.run([y, *updates], feeds)
            m, s = batch.mean(0), np.sqrt(batch.var(0) + 1e-3)
            r = np.clip(s / stddev, clipping["rmin"], clipping["rmax"])
            d = np.clip((m - mean) / stddev, -clipping["dmax"], clipping["dmax"])
            np.testing.assert_allclose(found, (batch - m) / s * r + d, rtol=1e-6, atol=1e-9)
            mean, stddev = 0.8 * mean + 0.2 * m, 0.8 * stddev + 0.2 * s
            moving_mean, moving_stddev = 0.99 * moving_mean + 0.01 * m, 0.99 * moving_stddev + 0.01 * s
        if mode == "fed":
            session.run(updates, {x: batch, training: False})
        names = [v.op.name.split("/")[-1] for v in tf.global_variables()]
        averages = dict(zip(names, session.run(tf.global_variables()), strict=True))
    # The names of TensorFlow 1.15, which checkpoints have.
    expected = {"renorm_mean": mean, "renorm_stddev": stddev, "moving_mean": moving_mean, "moving_stddev": moving_stddev}
    expected["moving_variance"] = moving_stddev**2 - 1e-3
    assert set(averages) == {*expected, "gamma", "beta"}
    for name, value in expected.items():
        np.testing.assert_allclose(averages[name], value, rtol=1e-6, err_msg=name)


def test_an_adjustment_is_applied_in_training_before_gamma_and_beta():
    x = np.random.default_rng(0).normal(size=(5, 4))
    normalized = (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3)
    with tf.Graph().as_default(), tf.Session() as session:
        training = tf.placeholder(tf.bool, [])
        y = tf.layers.batch_normalization(
            x,
            training=training,
            gamma_initializer=tf.constant_initializer(2.0),
            adjustment=lambda shape: (
                tf.fill([1, shape[1]], tf.constant(3.0, tf.float64)),
                tf.ones([1, 4], tf.float64),
            ),
        )
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y, {training: True}), 2 * (3 * normalized + 1), rtol=1e-9)
        np.testing.assert_allclose(session.run(y, {training: False}), 2 * x / np.sqrt(1.001), rtol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "shape", "error", "match"),
    [
        ({"axis": 4}, [2, 3], ValueError, "Invalid axis: 4"),
        ({"axis": [1, -1]}, [2, 3], ValueError, "Duplicate axis"),
        ({"axis": "last"}, [2, 3], TypeError, "axis must be int or list"),
        ({}, [2, None], ValueError, "undefined `axis` dimension"),
        ({}, None, ValueError, "undefined rank"),
        ({"virtual_batch_size": -1}, [2, 3], ValueError, "positive integer"),
        ({"virtual_batch_size": 2, "axis": 0}, [2, 3], ValueError, "cannot include 0"),
        ({"virtual_batch_size": 2, "adjustment": len}, [2, 3], ValueError, "adjustment cannot be specified"),
        ({"renorm": True, "renorm_clipping": {"most": 1}}, [2, 3], ValueError, "contains keys not in"),
    ],
)
def test_arguments_of_batch_normalization_that_do_not_fit_are_refused(arguments, shape, error, match):
    with tf.Graph().as_default(), pytest.raises(error, match=match):
        tf.layers.batch_normalization(tf.placeholder(tf.float32, shape), **arguments)


@pytest.mark.parametrize("name", ["MaxPooling1D", "AveragePooling2D", "MaxPooling3D"])
def test_a_pooling_layer_tells_its_shape_and_refuses_arguments(name):
    rank = int(name[-2])
    shape = [2, *[7, 6, 5][:rank], 3]
    with tf.Graph().as_default():
        layer = getattr(tf.layers, name)(3, 2)
        assert layer.compute_output_shape(shape) == layer(tf.ones(shape)).shape
        with pytest.raises(ValueError, match="strides"):
            getattr(tf.layers, name)(3, None)
        with pytest.raises(ValueError, match="pool_size"):
            getattr(tf.layers, name)((1, 2, 3, 4), 2)
        with pytest.raises(ValueError, match="padding"):
            getattr(tf.layers, name)(3, 2, padding="full")
        with pytest.raises(ValueError, match="expected ndim"):
            getattr(tf.layers, name)(3, 2)(tf.ones([2]))


def test_a_docstring_tells_every_argument():
    for made in (tf.layers.BatchNormalization, tf.layers.batch_normalization, tf.layers.MaxPooling2D):
        code = (made.__init__ if isinstance(made, type) else made).__code__
        for argument in code.co_varnames[: code.co_argcount]:
            assert argument == "self" or f" {argument}: " in made.__doc__
