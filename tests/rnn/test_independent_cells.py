"""IndRNNCell, IndyGRUCell and IndyLSTMCell follow their formulas."""

import numpy as np
import pytest

import ferroflow as tf

UNITS = 3


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def ind_rnn(x, state, w):
    h = np.tanh(x @ w["kernel_w"] + state[0] * w["kernel_u"] + w["bias"])
    return h, [h]


def indy_gru(x, state, w):
    (h,) = state
    gates = sigmoid(x @ w["gates/kernel_w"] + np.tile(h, [1, 2]) * w["gates/kernel_u"] + w["gates/bias"])
    reset, update = np.split(gates, 2, 1)
    row = reset * h * w["candidate/kernel_u"]
    candidate = np.tanh(x @ w["candidate/kernel"] + row + w["candidate/bias"])
    h = update * h + (1 - update) * candidate
    return h, [h]


def indy_lstm(x, state, w):
    c, h = state
    i, j, f, o = np.split(x @ w["kernel_w"] + np.tile(h, [1, 4]) * w["kernel_u"] + w["bias"], 4, 1)
    c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
    h = np.tanh(c) * sigmoid(o)
    return h, [c, h]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


CELLS = {"IndRNNCell": ind_rnn, "IndyGRUCell": indy_gru, "IndyLSTMCell": indy_lstm}


@pytest.mark.parametrize("name", CELLS)
def test_three_steps_follow_the_formula(name):
    rng = np.random.RandomState(0)
    x = rng.randn(3, 2, 4)
    cell = getattr(tf.contrib.rnn, name)(UNITS)
    inputs = [tf.constant(step) for step in x]
    outputs, final = tf.nn.static_rnn(cell, inputs, dtype=tf.float64)
    variables = tf.trainable_variables()
    values = {v: rng.randn(*v.shape.as_list()) for v in variables}
    weights = {v.op.name.split("_cell/", 1)[1]: value for v, value in values.items()}
    with tf.Session() as session:
        for variable, value in values.items():
            variable.load(value, session)
        outputs, final = session.run([outputs, tf.contrib.framework.nest.flatten(final)])
    state = [np.zeros([2, UNITS])] * len(final)
    for step, output in zip(x, outputs, strict=True):
        expected, state = CELLS[name](step, state, weights)
        np.testing.assert_allclose(output, expected, rtol=1e-12)
    np.testing.assert_allclose(final, state, rtol=1e-12)


@pytest.mark.parametrize("name", CELLS)
def test_rows_of_the_state_start_in_the_unit_interval(name):
    cell = getattr(tf.contrib.rnn, name)(500)
    cell(tf.zeros([1, 4]), cell.zero_state(1, tf.float32))
    rows = [v for v in tf.global_variables() if v.op.name.endswith("kernel_u")]
    biases = {v.op.name: v for v in tf.global_variables() if v.op.name.endswith("bias")}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for row in session.run(rows):
            assert -1 <= row.min() < -0.9
            assert 0.9 < row.max() < 1
        for name_of_bias, bias in session.run(biases).items():
            assert (bias == (1 if "gates" in name_of_bias else 0)).all()


@pytest.mark.parametrize("name", ["IndyGRUCell", "IndyLSTMCell"])
def test_given_initializers_are_used_but_for_rows(name):
    make = getattr(tf.contrib.rnn, name)
    two, three = tf.constant_initializer(2.0), tf.constant_initializer(3.0)
    cell = make(2, kernel_initializer=two, bias_initializer=three)
    cell(tf.zeros([1, 4]), cell.zero_state(1, tf.float32))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for variable in tf.global_variables():
            if variable.op.name.endswith("kernel_u"):
                continue
            assert (session.run(variable) == (3 if "bias" in variable.op.name else 2)).all(), variable.op.name
