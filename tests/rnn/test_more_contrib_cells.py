"""Gated, convolutional and attending cells of tf.contrib.rnn against NumPy, and cells run over all steps at once."""

import numpy as np
import pytest
from scipy import ndimage

import ferroflow as tf

BATCH, SIZE, UNITS = 2, 3, 3
X = np.random.RandomState(7).normal(size=(4, BATCH, SIZE)).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def run(session, *fetches):
    """The values, with random ones for the variables; and these by their names without the first scope."""
    rng = np.random.RandomState(1)
    weights = {}
    for variable in tf.global_variables():
        value = rng.normal(0, 0.6, variable.shape.as_list()).astype(np.float32)
        variable.load(value, session)
        weights[variable.op.name.split("/", 1)[1]] = value
    return weights, session.run(fetches)


def test_an_update_gate_is_numpys():
    h = X[1]
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.UGRNNCell(UNITS, forget_bias=0.5)
        weights, (output, state) = run(session, *cell(tf.constant(X[0]), tf.constant(h)))
    total = np.concatenate([X[0], h], axis=1) @ weights["kernel"] + weights["bias"]
    gate = sigmoid(total[:, :UNITS] + 0.5)
    np.testing.assert_allclose(output, gate * h + (1 - gate) * np.tanh(total[:, UNITS:]), rtol=1e-5)
    np.testing.assert_array_equal(output, state)


@pytest.mark.parametrize("projects", [True, False])
def test_an_intersection_cell_is_numpys(projects):
    units = 5 if projects else UNITS
    h = np.random.RandomState(2).normal(size=(BATCH, units)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.IntersectionRNNCell(units, num_in_proj=units if projects else None)
        weights, (output, state) = run(session, *cell(tf.constant(X[0]), tf.constant(h)))
    x = X[0]
    if projects:
        x = x @ weights["in_projection/kernel"] + weights["in_projection/bias"]
    total = np.concatenate([x, h], axis=1) @ weights["kernel"] + weights["bias"]
    state_gate, new_state, output_gate, new_output = np.split(total, 4, axis=1)
    state_gate, output_gate = sigmoid(state_gate + 1), sigmoid(output_gate + 1)
    np.testing.assert_allclose(state, state_gate * h + (1 - state_gate) * np.tanh(new_state), rtol=1e-4, atol=1e-6)
    expected = output_gate * x + (1 - output_gate) * np.maximum(new_output, 0)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)


def test_an_intersection_cell_refuses_inputs_of_another_size():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Must have input size == output size"):
        tf.contrib.rnn.IntersectionRNNCell(UNITS + 1)(tf.constant(X[0]), tf.zeros([BATCH, UNITS + 1]))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_a_convolutional_cell_is_numpys(dimensions):
    rng = np.random.RandomState(dimensions)
    space, window, channels = [5, 4, 3][:dimensions], [3, 3, 1][:dimensions], 2
    x = rng.normal(size=[BATCH, *space, SIZE]).astype(np.float32)
    c, h = rng.normal(size=[2, BATCH, *space, channels]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        make = getattr(tf.contrib.rnn, f"Conv{dimensions}DLSTMCell")
        cell = make(input_shape=[*space, SIZE], output_channels=channels, kernel_shape=window)
        assert cell.output_size.as_list() == [*space, channels]
        state = tf.contrib.rnn.LSTMStateTuple(tf.constant(c), tf.constant(h))
        output, (new_c, new_h) = cell(tf.constant(x), state)
        assert tf.global_variables()[0].op.name == f"conv_{dimensions}d_lstm_cell/kernel"
        weights, (output, new_c, new_h) = run(session, output, new_c, new_h)
    joined = np.concatenate([x, h], axis=-1)
    total = np.zeros([BATCH, *space, 4 * channels]) + weights["biases"]
    for row in range(BATCH):
        for source in range(joined.shape[-1]):
            for target in range(4 * channels):
                kernel = weights["kernel"][..., source, target]
                total[row, ..., target] += ndimage.correlate(joined[row, ..., source], kernel, mode="constant")
    i, j, f, o = np.split(total, 4, axis=-1)
    expected = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
    np.testing.assert_allclose(new_c, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(output, np.tanh(expected) * sigmoid(o), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(output, new_h)


def test_a_convolutional_cell_runs_over_time():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.Conv2DLSTMCell(input_shape=[4, 4, 1], output_channels=2, kernel_shape=[3, 3])
        outputs, state = tf.nn.dynamic_rnn(cell, tf.random_normal([BATCH, 3, 4, 4, 1], seed=1), dtype=tf.float32)
        gradients = tf.gradients(tf.reduce_sum(outputs), tf.global_variables())
        _, (outputs, h, *gradients) = run(session, outputs, state.h, *gradients)
    np.testing.assert_array_equal(outputs[:, -1], h)
    assert all(np.abs(gradient).max() > 0 for gradient in gradients)


def test_a_skip_connection_joins_the_inputs():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.Conv1DLSTMCell(
            input_shape=[4, 2], output_channels=3, kernel_shape=[3], skip_connection=True
        )
        x = tf.random_normal([BATCH, 4, 2], seed=1)
        output, _ = cell(x, cell.zero_state(BATCH, tf.float32))
        _, (output, x) = run(session, output, x)
    assert output.shape == (BATCH, 4, 5)
    np.testing.assert_array_equal(output[..., 3:], x)


def test_a_convolutional_cell_refuses_a_shape_of_another_rank():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Invalid input_shape"):
        tf.contrib.rnn.Conv2DLSTMCell(input_shape=[4, 2], output_channels=3, kernel_shape=[3, 3])


@pytest.mark.parametrize("is_tuple", [True, False])
def test_attention_to_the_last_outputs_is_numpys(is_tuple):
    length, size = 2, 4
    rng = np.random.RandomState(0)
    inner, attended, kept = (rng.normal(size=(BATCH, n)).astype(np.float32) for n in (UNITS, size, size * length))
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.AttentionCellWrapper(
            tf.contrib.rnn.BasicRNNCell(UNITS), length, attn_size=size, attn_vec_size=5, state_is_tuple=is_tuple
        )
        assert cell.state_size == ((UNITS, size, size * length) if is_tuple else UNITS + size + size * length)
        state = tuple(map(tf.constant, (inner, attended, kept)))
        output, new_state = cell(tf.constant(X[0]), state if is_tuple else tf.concat(state, 1))
        new_state = tf.concat(new_state, 1) if is_tuple else new_state
        w, (output, new_state) = run(session, output, new_state)

    def projected(name, *inputs):
        return np.concatenate(inputs, axis=1) @ w[f"{name}kernel"] + w[f"{name}bias"]

    h = np.tanh(projected("basic_rnn_cell/", projected("", X[0], attended), inner))
    last = kept.reshape(BATCH, length, size)
    features = last @ w["attention/attn_w"][0, 0] + projected("attention/", h)[:, None]
    scores = np.exp((w["attention/attn_v"] * np.tanh(features)).sum(axis=2))
    weighed = (scores / scores.sum(axis=1, keepdims=True))[:, :, None] * last
    new_attended = weighed.sum(axis=1)
    expected = projected("attn_output_projection/", h, new_attended)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)
    parts = [h, new_attended, last[:, 1], expected]
    np.testing.assert_allclose(new_state, np.concatenate(parts, axis=1), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("error", "message", "make"),
    [
        (ValueError, "greater than zero", lambda gru, _: tf.contrib.rnn.AttentionCellWrapper(gru, 0)),
        (TypeError, "is not an RNNCell", lambda *_: tf.contrib.rnn.AttentionCellWrapper(None, 2)),
        (
            ValueError,
            "Cell returns tuple of states",
            lambda _, lstm: tf.contrib.rnn.AttentionCellWrapper(lstm, 2, state_is_tuple=False),
        ),
    ],
)
def test_bad_arguments_of_attention_are_refused(error, message, make):
    with tf.Graph().as_default(), pytest.raises(error, match=message):
        make(tf.contrib.rnn.GRUCell(2), tf.contrib.rnn.LSTMCell(2))


@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("is_list", [True, False])
@pytest.mark.parametrize("lengths", [None, [2, 4]])
def test_a_cell_that_is_adapted_runs_over_all_steps(dynamic, is_list, lengths):
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.GRUCell(UNITS)
        fused = tf.contrib.rnn.FusedRNNCellAdaptor(cell, use_dynamic_rnn=dynamic)
        inputs = tf.unstack(X) if is_list else tf.constant(X)
        outputs, state = fused(inputs, dtype=tf.float32, sequence_length=lengths)
        assert isinstance(outputs, list) == is_list
        wanted, last = tf.nn.dynamic_rnn(cell, X, lengths, dtype=tf.float32, time_major=True)
        backwards, _ = tf.contrib.rnn.TimeReversedFusedRNN(fused)(tf.constant(X), None, tf.float32, lengths)
        turned = X[::-1] if lengths is None else tf.reverse_sequence(X, lengths, 0, 1)
        second, _ = tf.nn.dynamic_rnn(cell, turned, lengths, dtype=tf.float32, time_major=True)
        second = tf.reverse(second, [0]) if lengths is None else tf.reverse_sequence(second, lengths, 0, 1)
        _, found = run(session, outputs, state, wanted, last, backwards, second)
    outputs, state, wanted, last, backwards, second = found
    np.testing.assert_allclose(np.stack(outputs), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(state, last, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(backwards, second, rtol=1e-5, atol=1e-6)


def test_a_list_is_reversed_step_by_step():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.contrib.rnn.GRUCell(UNITS)
        fused = tf.contrib.rnn.TimeReversedFusedRNN(tf.contrib.rnn.FusedRNNCellAdaptor(cell))
        outputs, _ = fused(tf.unstack(X), dtype=tf.float32)
        wanted, _ = tf.nn.dynamic_rnn(cell, X[::-1], dtype=tf.float32, time_major=True)
        _, (outputs, wanted) = run(session, outputs, wanted)
    np.testing.assert_allclose(np.stack(outputs), wanted[::-1], rtol=1e-5, atol=1e-6)


def test_a_block_wrapper_sets_the_outputs_past_a_sequence_to_zero_whatever_its_cell_returns():
    class Sevens(tf.contrib.rnn.LSTMBlockWrapper):
        @property
        def num_units(self):
            return 2

        def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
            states = inputs * 0 + 7.0
            return states, states

    outputs, state = Sevens()(tf.ones([3, 2, 2]), dtype=tf.float32, sequence_length=[1, 3])
    with tf.Session() as sess:
        values, last = sess.run([outputs, state])
    # As TensorFlow 1.15.5.
    assert values[:, 0].tolist() == [[7.0, 7.0], [0.0, 0.0], [0.0, 0.0]]
    assert (values[:, 1] == 7.0).all()
    assert (last.c == 7.0).all()


def test_a_cell_inside_attention_has_tensorflows_scope():
    inputs = [tf.zeros([2, 4])] * 2
    cell = tf.contrib.rnn.AttentionCellWrapper(tf.contrib.rnn.LayerNormBasicLSTMCell(3, layer_norm=False), 2)
    _, state = tf.nn.static_rnn(cell, inputs, dtype=tf.float32)
    # TF 1.15: the projection of the inputs enters the scope before the cell does.
    scope = "rnn/rnn/attention_cell_wrapper/attention_cell_wrapper_1/layer_norm_basic_lstm_cell/"
    assert state[0].h.op.name.startswith(scope)
