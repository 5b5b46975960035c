"""`tf.contrib`'s nccl, sparsemax, resampler, integrate, cudnn_rnn and stateless, against laws and other formulas."""

import numpy as np
import pytest
import scipy.integrate
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow.contrib import cudnn_rnn, integrate, nccl

contrib = tf.contrib


def run(tensors, feeds=None):
    with tf.Session(graph=tf.get_default_graph()) as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(tensors, feeds)


@pytest.fixture(autouse=True)
def _new_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(("name", "function"), [("sum", np.sum), ("prod", np.prod), ("min", np.min), ("max", np.max)])
def test_collectives(name, function):
    arrays = np.random.RandomState(0).randn(3, 2, 2).astype(np.float32)
    found = run(getattr(nccl, f"all_{name}")([tf.constant(array) for array in arrays]))
    assert len(found) == 3
    for one in found:
        np.testing.assert_allclose(one, function(arrays, axis=0), rtol=1e-6)


def test_the_gradient_of_a_sum_on_all_devices():
    inputs = [tf.constant(2.0), tf.constant(3.0)]
    outputs = nccl.all_sum(inputs)
    gradients = tf.gradients(outputs[0] * 2 + outputs[1], inputs)
    assert run([nccl.reduce_sum(inputs), nccl.broadcast(inputs[0]), *gradients]) == [5, 2, 3, 3]
    with pytest.raises(ValueError, match=">0 tensors"):
        nccl.all_sum([])
    with pytest.raises(ValueError, match="compatible"):
        nccl.all_min([tf.zeros([2]), tf.zeros([3])])


def _projected(row):
    """The nearest point of the simplex, by bisection of the threshold."""
    low, high = row.min() - 1.0, row.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(row - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(row - high, 0)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.floats(-5, 5), min_size=4, max_size=4), min_size=1, max_size=5))
def test_sparsemax_is_the_projection(rows):
    rows = np.array(rows)
    with tf.Graph().as_default(), tf.Session() as sess:
        found = sess.run(contrib.sparsemax.sparsemax(tf.constant(rows)))
    np.testing.assert_allclose(found, [_projected(row) for row in rows], atol=1e-9)


def test_the_gradient_of_the_sparsemax_loss():
    logits = tf.constant(np.random.RandomState(0).randn(6, 5))
    labels = tf.one_hot([0, 1, 2, 3, 4, 0], 5, dtype=tf.float64)
    point = contrib.sparsemax.sparsemax(logits)
    loss = contrib.sparsemax.sparsemax_loss(logits, point, labels)
    values, gradient, expected = run([loss, tf.gradients(loss, logits)[0], point - labels])
    np.testing.assert_allclose(gradient, expected, atol=1e-12)
    assert (values >= 0).all()
    minus = tf.constant([[0.0, -np.inf], [np.nan, 1.0]])
    found = run(contrib.sparsemax.sparsemax(minus))
    assert found[0].tolist() == [1.0, 0.0]
    assert np.isnan(found[1]).all()


def _sampled(image, x, y):
    height, width, _ = image.shape
    total = 0.0
    for column in (np.floor(x), np.floor(x) + 1):
        for row in (np.floor(y), np.floor(y) + 1):
            if 0 <= column < width and 0 <= row < height:
                total = total + (1 - abs(x - column)) * (1 - abs(y - row)) * image[int(row), int(column)]
    return total


def test_resampler():
    random = np.random.RandomState(0)
    data, warp = random.rand(2, 4, 5, 3), random.rand(2, 3, 7, 2) * 8 - 2
    images, points = tf.constant(data), tf.constant(warp)
    found = contrib.resampler.resampler(images, points)
    assert found.shape.as_list() == [2, 3, 7, 3]
    expected = [[[_sampled(data[i], *warp[i, j, k]) for k in range(7)] for j in range(3)] for i in range(2)]
    expected = np.array([[[np.zeros(3) + one for one in row] for row in part] for part in expected])
    np.testing.assert_allclose(run(found), expected, atol=1e-12)
    with tf.Session():
        assert tf.test.compute_gradient_error(images, [2, 4, 5, 3], found, [2, 3, 7, 3], x_init_value=data) < 1e-8
        inside = warp + 1e-3
        assert tf.test.compute_gradient_error(points, [2, 3, 7, 2], found, [2, 3, 7, 3], x_init_value=inside) < 1e-6
    with pytest.raises(tf.errors.UnimplementedError, match="warping coordinates must be 2D"):
        run(contrib.resampler.resampler(images, tf.zeros([2, 3], tf.float64)))


def test_odeint_against_scipy():
    times = np.linspace(0, 5, 9)
    matrix = np.array([[-0.1, 2.0], [-2.0, -0.1]])

    def slope(y, t):
        return tf.squeeze(tf.matmul(tf.constant(matrix), y[:, None]), 1) + tf.sin(t)

    found, info = run(
        integrate.odeint(slope, tf.constant([1.0, 0.5], tf.float64), times, rtol=1e-9, atol=1e-10, full_output=True)
    )
    expected = scipy.integrate.solve_ivp(
        lambda t, y: matrix @ y + np.sin(t), (0, 5), [1.0, 0.5], t_eval=times, rtol=1e-11, atol=1e-12
    )
    np.testing.assert_allclose(found, expected.y.T, atol=1e-6)
    assert info["num_steps"] > 9
    assert info["num_func_evals"] == 6 * info["num_steps"] + 1


def test_a_step_with_a_small_enough_error_may_be_followed_by_a_smaller_one():
    start, times = tf.constant([1.0, 2.0], tf.float64), [0.0, 0.5, 1.0]
    _, info = run(integrate.odeint(lambda y, t: -y, start, times, full_output=True))
    # TensorFlow 1.15.5's numbers.
    np.testing.assert_allclose(info["integrate_points"], [1, 0.23738, 0.48845, 0.73926, 0.99007, 1.24088], atol=1e-5)
    fast = integrate.odeint(lambda y, t: -y, start, times, options={"dfactor": 0.1}, method="dopri5")
    np.testing.assert_allclose(run(fast)[:, 0], np.exp([-0.0, -0.5, -1.0]), rtol=1e-5)


@pytest.mark.parametrize(("method", "order"), [("midpoint", 2), ("rk4", 4)])
def test_the_order_of_methods_of_fixed_steps(method, order):
    """The law of an order: with half the step, the error is divided by two to its power."""
    errors = []
    for step in (0.1, 0.05):
        found = run(
            integrate.odeint_fixed(lambda y, t: y * tf.cos(t), tf.constant(1.0, tf.float64), [0.0, 2.0], step, method)
        )
        errors.append(abs(found[-1] - np.exp(np.sin(2.0))))
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.25)


def test_what_odeint_refuses():
    for arguments in ({"method": "euler"}, {"options": {"safety": 1}}, {"method": "dopri5", "options": {"x": 1}}):
        with pytest.raises(ValueError, match=r"method|option"):
            integrate.odeint(lambda y, t: y, 1.0, [0.0, 1.0], **arguments)
    with pytest.raises(TypeError, match="floating"):
        integrate.odeint(lambda y, t: y, 1, [0.0, 1.0])
    for solve in (integrate.odeint, integrate.odeint_fixed):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be monotonic increasing"):
            run(solve(lambda y, t: -y, 1.0, [0.0, 0.5, 0.2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="max_num_steps"):
        run(integrate.odeint(lambda y, t: -y, 1.0, [0.0, 9.0], method="dopri5", options={"max_num_steps": 3}))


CELLS = {"CudnnLSTM": "lstm", "CudnnGRU": "gru", "CudnnRNNTanh": "rnn", "CudnnRNNRelu": "rnn"}


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
def test_cudnn_layers(kind, direction):
    layer = getattr(cudnn_rnn, kind)(2, 4, direction=direction, dropout=0.5, seed=1)
    inputs = tf.constant(np.random.RandomState(0).randn(5, 3, 6).astype(np.float32))
    outputs, states = layer(inputs, training=False)
    again, _ = layer(tf.transpose(inputs, [1, 0, 2]), time_major=False, training=tf.constant(False))
    dropped, _ = layer(inputs, training=True)
    ways = 1 if direction == "unidirectional" else 2
    assert len(states) == (2 if kind == "CudnnLSTM" else 1)
    name = "rnn/multi_rnn_cell/cell_1" if ways == 1 else "stack_bidirectional_rnn/cell_1/bidirectional_rnn/bw"
    assert any(f"{name}/cudnn_compatible_{CELLS[kind]}_cell/" in v.name for v in layer.trainable_variables)
    assert layer.trainable_variables == tf.trainable_variables()
    found, last, other, random = run([outputs, states[0], again, dropped])
    assert found.shape == (5, 3, 4 * ways)
    assert last.shape == (2 * ways, 3, 4)
    np.testing.assert_allclose(last[-ways], found[-1, :, :4], rtol=1e-6)
    np.testing.assert_allclose(other, found.transpose(1, 0, 2), rtol=1e-5, atol=1e-6)
    assert np.abs(random - found).max() > 1e-3


def test_cudnn_lstm_is_a_stack_of_lstm_cells_in_numpy():
    layer = cudnn_rnn.CudnnLSTM(1, 3)
    data = np.random.RandomState(0).randn(4, 2, 5).astype(np.float32)
    lengths = [4, 2]
    outputs, (h, c) = layer(tf.constant(data), sequence_lengths=lengths)
    kernel, bias = layer.trainable_variables
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        found, last, cells, w, b = sess.run([outputs, h, c, kernel, bias])

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    state, memory = np.zeros((2, 3)), np.zeros((2, 3))
    for t in range(4):
        i, g, f, o = np.split(np.concatenate([data[t], state], 1) @ w + b, 4, 1)
        new_memory = sigmoid(f) * memory + sigmoid(i) * np.tanh(g)
        new_state = sigmoid(o) * np.tanh(new_memory)
        is_on = (t < np.array(lengths))[:, None]
        np.testing.assert_allclose(found[t], np.where(is_on, new_state, 0), rtol=1e-5, atol=1e-6)
        state, memory = np.where(is_on, new_state, state), np.where(is_on, new_memory, memory)
    np.testing.assert_allclose(last[0], state, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(cells[0], memory, rtol=1e-5, atol=1e-6)


def test_what_cudnn_layers_refuse():
    with pytest.raises(ValueError, match="direction"):
        cudnn_rnn.CudnnLSTM(1, 2, direction="up")
    with pytest.raises(NotImplementedError, match="linear_input"):
        cudnn_rnn.CudnnGRU(1, 2, input_mode="skip_input")
    with pytest.raises(ValueError, match="initial_state"):
        cudnn_rnn.CudnnLSTM(1, 2)(tf.zeros([2, 1, 3]), initial_state=[tf.zeros([1, 1, 2])])


def test_names_that_stand_for_others():
    seed = tf.constant([1, 2], tf.int64)
    found = run([contrib.stateless.stateless_random_normal([3], seed), tf.random.stateless_normal([3], seed)])
    np.testing.assert_array_equal(*found)
    assert contrib.keras.layers is tf.keras.layers


def test_ops_of_a_graph_are_listed():
    tf.add(tf.constant(1.0), tf.Variable(2.0))
    message = tf.get_default_graph().as_graph_def()
    used = tf.contrib.util.ops_used_by_graph_def(message)
    assert {"Add", "Const", "VariableV2"} <= set(used)
    assert [op.name for op in tf.contrib.util.stripped_op_list_for_graph(message).op] == sorted(used)
