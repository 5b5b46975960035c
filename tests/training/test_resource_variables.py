"""Optimizers train variables behind handles as they train others."""

from __future__ import annotations

import numpy as np
import pytest

import ferroflow as tf

OPTIMIZERS = {
    # Exact in float32, to which one of both rounds the rate.
    "GradientDescentOptimizer": {"learning_rate": 0.125},
    "MomentumOptimizer": {"learning_rate": 0.1, "momentum": 0.9},
    "AdamOptimizer": {"learning_rate": 0.1},
    "RMSPropOptimizer": {"learning_rate": 0.1, "momentum": 0.5, "centered": True},
    "AdagradOptimizer": {"learning_rate": 0.1},
    "AdadeltaOptimizer": {"learning_rate": 0.5},
    "FtrlOptimizer": {"learning_rate": 0.1, "l1_regularization_strength": 0.01},
    "AdagradDAOptimizer": {"learning_rate": 0.1},
    "ProximalGradientDescentOptimizer": {"learning_rate": 0.1, "l1_regularization_strength": 0.01},
    "ProximalAdagradOptimizer": {"learning_rate": 0.1, "l1_regularization_strength": 0.01},
    "LazyAdamOptimizer": {"learning_rate": 0.1},
    "NadamOptimizer": {"learning_rate": 0.1},
    "AdaMaxOptimizer": {"learning_rate": 0.1},
    "AddSignOptimizer": {"learning_rate": 0.1},
    "PowerSignOptimizer": {"learning_rate": 0.1},
    "AdamWOptimizer": {"learning_rate": 0.1, "weight_decay": 0.125},
    "MomentumWOptimizer": {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.125},
}


def _trained(name, sparse, use_resource):
    random = np.random.RandomState(4)
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", initializer=random.normal(size=(4, 2)), use_resource=use_resource)
        rows = tf.placeholder(tf.int32, [None])
        values = tf.placeholder(tf.float64, [None, 2])
        dense = tf.unsorted_segment_sum(values, rows, 4)
        options = dict(OPTIMIZERS[name])
        step = tf.train.get_or_create_global_step()
        if name == "AdagradDAOptimizer":
            options["global_step"] = step
        made = (getattr(tf.train, name, None) or getattr(tf.contrib.opt, name))(**options)
        train = made.apply_gradients([(tf.IndexedSlices(values, rows) if sparse else dense, w)], step)
        session.run(tf.global_variables_initializer())
        start = session.run(w)
        for picked in ([1], [0, 1, 1], [3], [3, 0]):
            session.run(train, {rows: picked, values: random.normal(size=(len(picked), 2))})
        end = session.run(w)
    assert not np.array_equal(start, end)
    return end


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_variables_behind_handles_end_where_others_do(name, sparse):
    np.testing.assert_allclose(_trained(name, sparse, True), _trained(name, sparse, False), rtol=1e-9)


def test_gradients_of_rows_have_the_static_shape_of_rows():
    with tf.Graph().as_default():
        table = tf.get_variable("table", initializer=np.ones([5, 3], np.float32), use_resource=True)
        ids = tf.placeholder(tf.int32, [None])
        (gradient,) = tf.gradients(tf.nn.embedding_lookup(table, ids), [table._variable])
    assert gradient.values.shape.as_list() == [None, 3]


def test_sparse_gradient_descent_behind_a_handle_does_not_round_its_rate():
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", initializer=np.zeros(3), use_resource=True)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.gather(w, [1, 1, 2])))
        session.run(w.initializer)
        session.run(train)
        # As TensorFlow 1.15.5; a rate of float32 gives -0.20000000298.
        assert session.run(w).tolist() == [0.0, -0.2, -0.1]
