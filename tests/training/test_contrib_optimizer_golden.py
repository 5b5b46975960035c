"""Optimizers of `tf.contrib.opt` do in twenty steps what they do in TensorFlow 1.15."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.contrib_optimizer_programs import CASES, describe

import ferroflow as tf

EXPECTED = json.loads((Path(__file__).parents[1] / "golden" / "contrib_optimizers.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_optimizers_do_what_they_do_in_tensorflow(case):
    found, expected = describe(tf, case), EXPECTED[case]
    assert found["variables"] == expected["variables"]
    assert list(found["slots"]) == list(expected["slots"])
    np.testing.assert_allclose(found["path"], expected["path"], rtol=2e-4, atol=2e-5)
    for slot, (name, value) in expected["slots"].items():
        assert found["slots"][slot][0] == name
        np.testing.assert_allclose(found["slots"][slot][1], value, rtol=2e-4, atol=2e-5)


def test_adagrad_leaves_its_accumulators_alone_where_asked():
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable([1.0, 2.0])
        optimizer = tf.contrib.opt.RegAdagradOptimizer(0.5)
        with optimizer.avoid_updating_slots():
            still = optimizer.minimize(tf.reduce_sum(tf.square(w)))
        moving = optimizer.minimize(tf.reduce_sum(tf.square(w)))
        session.run(tf.global_variables_initializer())
        slot = optimizer.get_slot(w, "accumulator")
        session.run(still)
        np.testing.assert_array_equal(session.run(slot), np.float32([0.1, 0.1]))
        assert session.run(w)[0] < 1.0
        session.run(moving)
        assert (session.run(slot) > 0.1).all()


def test_stale_gradients_are_dropped_and_counted():
    with tf.Graph().as_default(), tf.Session() as session:
        w, step = tf.Variable(1.0), tf.train.create_global_step()
        optimizer = tf.contrib.opt.DropStaleGradientOptimizer(tf.train.GradientDescentOptimizer(0.1), staleness=1)
        pairs = optimizer.compute_gradients(w * 2.0, [w])
        # Other workers make steps between the gradient and its update.
        others = tf.placeholder(tf.int64, [])
        with tf.control_dependencies([pairs[0][0]]):
            moved = tf.assign_add(step, others)
        with tf.control_dependencies([moved]):
            delayed = [(tf.identity(pairs[0][0]), w)]
        train = optimizer.apply_gradients(delayed, global_step=step)
        session.run(tf.global_variables_initializer())
        assert session.run(train, {others: 1}) == 0.0
        np.testing.assert_allclose(session.run([w, step]), [0.8, 2])
        assert session.run(train, {others: 2}) == 1.0
        np.testing.assert_allclose(session.run([w, step]), [0.8, 4])


def test_the_norm_of_several_tasks_leaves_zeros_out():
    with tf.Graph().as_default(), tf.Session() as session:
        a, b = tf.Variable([3.0, 4.0]), tf.Variable([1.0])
        fed = tf.placeholder(tf.float32, [2])
        clipped, norm = tf.contrib.opt.clip_gradients_by_global_norm([(fed, a), (None, b)], clip_norm=1.0)
        assert [variable for _, variable in clipped] == [a, b]
        assert clipped[1][0] is None
        found, size = session.run([clipped[0][0], norm], {fed: [3.0, 4.0]})
        np.testing.assert_allclose(found, [0.6, 0.8], rtol=1e-6)
        assert size == 5.0
        assert session.run(norm, {fed: [0.0, 0.0]}) == 0.0


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (lambda opt: opt.LARSOptimizer(0.1, momentum=-1.0), ValueError, "momentum should be positive"),
        (lambda opt: opt.LARSOptimizer(0.1, weight_decay=-1.0), ValueError, "weight_decay should be positive"),
        (lambda opt: opt.MultitaskOptimizerWrapper(3), TypeError, "must be an instance of tf.train.Optimizer"),
        (lambda opt: opt.RegAdagradOptimizer(0.1, -1.0), ValueError, "must be positive"),
    ],
)
def test_arguments_are_checked(make, error, reason):
    with pytest.raises(error, match=reason):
        make(tf.contrib.opt)


@pytest.mark.parametrize("use_resource", [True, False])
def test_ggts_own_variables_are_those_of_the_scope(use_resource):
    with tf.Graph().as_default():
        trained = tf.get_variable("trained", [2, 2], use_resource=use_resource)
        tf.contrib.opt.GGTOptimizer(0.1, window=2).minimize(tf.reduce_sum(tf.square(trained)))
        own = [v for v in tf.global_variables() if v.op.name != "trained"]
    assert sorted(v.op.name for v in own) == ["flat_grad", "global_step", "grad_buffer", "moment1"]
    assert {v.op.type for v in own} == {"VariableV2"}
