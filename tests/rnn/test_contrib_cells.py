"""The cells of tf.contrib.rnn against NumPy, their variables' names, and stacked bidirectional networks."""

import numpy as np
import pytest

import ferroflow as tf

BATCH, SIZE, UNITS = 2, 3, 4


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def normalized(x, gamma, beta):
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-12) * gamma + beta


def layer_norm_lstm(weights, x, state):
    def norm(value, name):
        return normalized(value, weights[f"{name}/gamma"], weights[f"{name}/beta"])

    c, h = state
    i, j, f, o = np.split(np.concatenate([x, h], axis=1) @ weights["kernel"], 4, axis=1)
    i, j, f, o = norm(i, "input"), norm(j, "transform"), norm(f, "forget"), norm(o, "output")
    c = norm(c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j), "state")
    h = np.tanh(c) * sigmoid(o)
    return h, (c, h)


def nas(weights, x, state):
    c, h = state
    a = np.split(x @ weights["kernel"], 8, axis=1)
    b = np.split(h @ weights["recurrent_kernel"] + weights["bias"], 8, axis=1)
    sums = [p + q for p, q in zip(a, b, strict=True)]
    first = np.tanh(sigmoid(sums[0]) * np.maximum(sums[1], 0))
    second = np.tanh(sigmoid(sums[2]) + np.maximum(a[3] * b[3], 0))
    third = np.tanh(np.tanh(sums[4]) * sigmoid(sums[5]))
    fourth = sigmoid(np.tanh(sums[6]) + sigmoid(sums[7]))
    c = np.tanh(first + c) * second
    h = np.tanh(c * np.tanh(third + fourth)) @ weights["projection_weights"]
    return h, (c, h)


def basic(weights, x, h, scope=""):
    h = np.tanh(np.concatenate([x, h], axis=1) @ weights[f"{scope}kernel"] + weights[f"{scope}bias"])
    return h, h


def output_projection(weights, x, h):
    _, h = basic(weights, x, h, "basic_rnn_cell/")
    return np.maximum(h @ weights["kernel"] + weights["bias"], 0), h


def input_projection(weights, x, h):
    return basic(weights, np.tanh(x @ weights["kernel"] + weights["bias"]), h, "basic_rnn_cell/")


CELLS = {
    "layer_norm_basic_lstm_cell": (lambda: tf.contrib.rnn.LayerNormBasicLSTMCell(UNITS), layer_norm_lstm),
    "nas_cell": (lambda: tf.contrib.rnn.NASCell(UNITS, num_proj=2, use_biases=True), nas),
    "output_projection_wrapper": (
        lambda: tf.contrib.rnn.OutputProjectionWrapper(tf.contrib.rnn.BasicRNNCell(UNITS), 5, tf.nn.relu),
        output_projection,
    ),
    "input_projection_wrapper": (
        lambda: tf.contrib.rnn.InputProjectionWrapper(tf.contrib.rnn.BasicRNNCell(UNITS), 6, tf.tanh),
        input_projection,
    ),
}


def leaves(nest):
    return [leaf for child in nest for leaf in leaves(child)] if isinstance(nest, tuple) else [nest]


def loaded(session, rng):
    """Gives all variables random values; returns them by their names below the first two scopes."""
    weights = {}
    for variable in tf.global_variables():
        value = rng.normal(0, 1, variable.shape.as_list())
        variable.load(value, session)
        weights["/".join(variable.op.name.split("/")[2:])] = value
    return weights


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("dynamic", [True, False])
def test_two_steps_are_numpys(name, dynamic):
    make, reference = CELLS[name]
    rng = np.random.RandomState(0)
    inputs = rng.normal(size=(BATCH, 2, SIZE))
    with tf.Graph().as_default(), tf.Session() as session:
        cell = make()
        if dynamic:
            outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(inputs), dtype=tf.float64)
        else:
            outputs, state = tf.nn.static_rnn(cell, tf.unstack(inputs, axis=1), dtype=tf.float64)
            outputs = tf.stack(outputs, axis=1)
        assert len(cell.trainable_variables) == len(tf.global_variables())
        weights = loaded(session, rng)
        outputs, state = session.run([outputs, state])
        sizes = cell.state_size
    expected_state = (
        tuple(np.zeros([BATCH, n]) for n in sizes) if isinstance(sizes, tuple) else np.zeros([BATCH, sizes])
    )
    for t in range(2):
        expected, expected_state = reference(weights, inputs[:, t], expected_state)
        np.testing.assert_allclose(outputs[:, t], expected, rtol=1e-9)
    for value, expected in zip(leaves(state), leaves(expected_state), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-9)


def variables_of(make):
    with tf.Graph().as_default():
        make()
        return {v.op.name: v.shape.as_list() for v in tf.global_variables()}


def test_the_variables_of_wrappers_have_tensorflows_names():
    def network(cell, ids=False):
        def make():
            x = tf.zeros([BATCH, 2], tf.int32) if ids else tf.zeros([BATCH, 2, SIZE])
            return tf.nn.static_rnn(cell(), tf.unstack(x, axis=1), dtype=tf.float32)

        return make

    def inner():
        return tf.contrib.rnn.BasicRNNCell(SIZE)

    cells = tf.contrib.rnn
    assert variables_of(network(lambda: cells.EmbeddingWrapper(inner(), 7, 2), ids=True)) == {
        "rnn/embedding_wrapper/embedding": [7, 2],
        "rnn/embedding_wrapper/basic_rnn_cell/kernel": [2 + SIZE, SIZE],
        "rnn/embedding_wrapper/basic_rnn_cell/bias": [SIZE],
    }
    assert variables_of(network(lambda: cells.OutputProjectionWrapper(inner(), 2))) == {
        "rnn/output_projection_wrapper/basic_rnn_cell/kernel": [2 * SIZE, SIZE],
        "rnn/output_projection_wrapper/basic_rnn_cell/bias": [SIZE],
        "rnn/output_projection_wrapper/kernel": [SIZE, 2],
        "rnn/output_projection_wrapper/bias": [2],
    }
    assert variables_of(network(lambda: cells.HighwayWrapper(inner(), couple_carry_transform_gates=False))) == {
        "rnn/basic_rnn_cell/kernel": [2 * SIZE, SIZE],
        "rnn/basic_rnn_cell/bias": [SIZE],
        "rnn/carry_w": [SIZE, SIZE],
        "rnn/carry_b": [SIZE],
        "rnn/transform_w": [SIZE, SIZE],
        "rnn/transform_b": [SIZE],
    }
    normalizations = {
        f"rnn/layer_norm_basic_lstm_cell/{gate}/{name}": [UNITS]
        for gate in ("input", "transform", "forget", "output", "state")
        for name in ("gamma", "beta")
    }
    assert variables_of(network(lambda: cells.LayerNormBasicLSTMCell(UNITS))) == {
        "rnn/layer_norm_basic_lstm_cell/kernel": [SIZE + UNITS, 4 * UNITS],
        **normalizations,
    }


def test_embedded_ids_are_rows_of_the_matrix():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.EmbeddingWrapper(tf.contrib.rnn.BasicRNNCell(SIZE), 7, 2)
        output, _ = cell(tf.constant([[4], [1]]), tf.zeros([2, SIZE]))
        session.run(tf.global_variables_initializer())
        embedding, kernel, bias, output = session.run([*tf.global_variables(), output])
        assert np.abs(embedding).max() <= np.sqrt(3)
    np.testing.assert_allclose(output, np.tanh(embedding[[4, 1]] @ kernel[:2] + bias), rtol=1e-5)


@pytest.mark.parametrize("coupled", [True, False])
def test_a_highway_mixes_inputs_and_outputs(coupled):
    rng = np.random.RandomState(3)
    x, h = rng.normal(size=(2, BATCH, SIZE)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.BasicRNNCell(SIZE)
        output, state = tf.contrib.rnn.HighwayWrapper(cell, coupled, 0.5)(tf.constant(x), tf.constant(h))
        session.run(tf.global_variables_initializer())
        weights = {v.op.name: session.run(v) for v in tf.global_variables()}
        output, state = session.run([output, state])
    carry = sigmoid(x @ weights["carry_w"] + 0.5)
    transform = 1 - carry if coupled else sigmoid(x @ weights["transform_w"] - 0.5)
    np.testing.assert_allclose(output, x * carry + state * transform, rtol=1e-5, atol=1e-6)


def test_dropout_of_the_new_memory_keeps_the_expectation():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.LayerNormBasicLSTMCell(
            200, layer_norm=False, dropout_keep_prob=0.25, dropout_prob_seed=1, forget_bias=0.0
        )
        _, state = cell(tf.ones([1, SIZE]), cell.zero_state(1, tf.float32))
        session.run(tf.global_variables_initializer())
        c = session.run(state.c)
    assert 0.6 < (c == 0).mean() < 0.9


@pytest.mark.parametrize("dynamic", [True, False])
def test_stacked_bidirectional_networks_are_networks_one_above_the_other(dynamic):
    x = np.random.RandomState(0).normal(size=(BATCH, 3, SIZE)).astype(np.float32)
    lengths = [3, 2]
    with tf.Graph().as_default(), tf.Session() as session:
        cells_fw, cells_bw = ([tf.contrib.rnn.GRUCell(units) for units in (3, 5)] for _ in range(2))
        if dynamic:
            outputs, fw, bw = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
                cells_fw, cells_bw, tf.constant(x), dtype=tf.float32, sequence_length=lengths
            )
        else:
            rows, fw, bw = tf.contrib.rnn.stack_bidirectional_rnn(
                cells_fw, cells_bw, tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=lengths
            )
            outputs = tf.stack(rows, axis=1)
        scope = "stack_bidirectional_rnn/cell_1/" + ("bidirectional_rnn/bw" if dynamic else "bw")
        assert tf.global_variables()[-1].op.name == f"{scope}/gru_cell/candidate/bias"
        value = tf.constant(x)
        states = []
        for pair in zip(cells_fw, cells_bw, strict=True):
            both, last = tf.nn.bidirectional_dynamic_rnn(*pair, value, lengths, dtype=tf.float32)
            value = tf.concat(both, 2)
            states.append(last)
        session.run(tf.global_variables_initializer())
        outputs, fw, bw, value, states = session.run([outputs, fw, bw, value, states])
    np.testing.assert_allclose(outputs, value, rtol=1e-4, atol=1e-6)
    for number in range(2):
        np.testing.assert_allclose(fw[number], states[number][0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(bw[number], states[number][1], rtol=1e-4, atol=1e-6)


def gru():
    return tf.contrib.rnn.GRUCell(2)


@pytest.mark.parametrize(
    ("error", "message", "make"),
    [
        (ValueError, "must be > 0", lambda: tf.contrib.rnn.OutputProjectionWrapper(gru(), 0)),
        (ValueError, "must be > 0", lambda: tf.contrib.rnn.EmbeddingWrapper(gru(), 0, 2)),
        (TypeError, "is not an RNNCell", lambda: tf.contrib.rnn.InputProjectionWrapper(None, 2)),
        (ValueError, "at least one fw cell", lambda: tf.contrib.rnn.stack_bidirectional_rnn([], [gru()], [])),
        (ValueError, "must be a list", lambda: tf.contrib.rnn.stack_bidirectional_rnn([gru()], gru(), [])),
        (ValueError, "same depth", lambda: tf.contrib.rnn.stack_bidirectional_rnn([gru()], [gru(), gru()], [])),
        (
            ValueError,
            "initial_states_bw must be a list",
            lambda: tf.contrib.rnn.stack_bidirectional_rnn([gru()], [gru()], [], initial_states_bw=[1, 2]),
        ),
    ],
)
def test_bad_arguments_are_refused(error, message, make):
    with tf.Graph().as_default(), pytest.raises(error, match=message):
        make()
