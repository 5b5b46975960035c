"""Gates of gradients in branches and loops: they bound when a gradient is used, and change no value."""

import numpy as np
import pytest
from control_flow.nested_programs import SIZE, InGraph, programs, run as run_program
from hypothesis import given, settings, strategies as st

import ferroflow as tf

GATES = [tf.train.Optimizer.GATE_NONE, tf.train.Optimizer.GATE_OP, tf.train.Optimizer.GATE_GRAPH]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@settings(max_examples=30)
@given(program=programs, seed=st.integers(0, 1000))
def test_gradients_of_nested_programs_do_not_change_behind_gates(program, seed):
    random = np.random.RandomState(seed)
    with tf.Graph().as_default(), tf.Session() as session:
        a, x = (tf.constant(random.uniform(-1.0, 1.0, SIZE)) for _ in range(2))
        y = run_program(program, InGraph(), a, x, 0)
        plain = tf.gradients(y, [a, x], unconnected_gradients="zero")
        gated = tf.gradients(y, [a, x], unconnected_gradients="zero", gate_gradients=True)
        plain, gated = session.run([plain, gated])
    np.testing.assert_array_equal(gated, plain)


# By name: programs of a, b and a flag in whose contexts a gradient of one rule comes from around.
PROGRAMS = {
    "a sum in a branch": lambda a, b, flag: tf.cond(flag, lambda: a + b, lambda: a),
    "a sum in a branch of a loop": lambda a, b, flag: tf.while_loop(
        lambda i, c: i < 3, lambda i, c: (i + 1, tf.cond(flag, lambda: c + b, lambda: c)), [0, a]
    )[1],
    "several in a branch of a loop": lambda a, b, flag: tf.while_loop(
        lambda i, c, d: i < 3,
        lambda i, c, d: (i + 1, tf.cond(flag, lambda: tf.add_n([c, d, a]), lambda: d), c),
        [0, a, b],
    )[1],
    "a loop in a branch": lambda a, b, flag: tf.cond(
        flag, lambda: tf.while_loop(lambda i, c: i < 3, lambda i, c: (i + 1, c + a + b), [0, a])[1], lambda: b
    ),
    "a branch in a branch": lambda a, b, flag: tf.cond(
        flag, lambda: tf.cond(tf.reduce_sum(a) > 0.0, lambda: a + b, lambda: a - b), lambda: b
    ),
    "an unused branch": lambda a, b, flag: tf.cond(flag, lambda: a + b, lambda: tf.zeros([3])),
    "rows": lambda a, b, flag: tf.cond(flag, lambda: tf.gather(a, [0, 2]) + tf.gather(b, [1, 1]), lambda: a[1:]),
}


@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices")
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_from_around_a_context_pass_its_gates(name):
    a, b, flag = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3]), tf.placeholder(tf.bool, [])
    y = PROGRAMS[name](a, b, flag)
    plain = [tf.convert_to_tensor(g) for g in tf.gradients(y, [a, b])]
    gated = [tf.convert_to_tensor(g) for g in tf.gradients(y, [a, b], gate_gradients=True)]
    with tf.Session() as session:
        for value in (True, False):
            feeds = {a: [1.0, 2.0, 3.0], b: [2.0, -3.0, 4.0], flag: value}
            expected, found = session.run([plain, gated], feeds)
            for g, h in zip(expected, found, strict=True):
                np.testing.assert_array_equal(h, g)


class BatchNormLSTMCell(tf.nn.rnn_cell.RNNCell):
    """An LSTM whose sums are normalized by statistics of the batch or by kept ones of each step, as a flag says."""

    def __init__(self, size, is_training, steps):
        super().__init__()
        self._size, self._is_training, self._steps = size, is_training, steps

    @property
    def state_size(self):
        return self._size, self._size, 1

    @property
    def output_size(self):
        return self._size

    def _normalized(self, x, name, step):
        size = x.shape.as_list()[-1]
        with tf.variable_scope(name):
            gamma = tf.get_variable("gamma", [size], initializer=tf.constant_initializer(0.1))
            shape = [self._steps, size]
            means = tf.get_variable("means", shape, initializer=tf.zeros_initializer(), trainable=False)
            variances = tf.get_variable("variances", shape, initializer=tf.ones_initializer(), trainable=False)
        row = tf.cast(tf.minimum(step[0, 0], self._steps - 1), tf.int32)
        mean, variance = tf.cond(
            self._is_training,
            lambda: tf.nn.moments(x, [0]),
            lambda: (tf.gather(means, row), tf.gather(variances, row)),
        )
        return tf.nn.batch_normalization(x, mean, variance, None, gamma, 1e-3)

    def call(self, inputs, state):
        c, h, step = state
        kernel = tf.get_variable("kernel", [inputs.shape.as_list()[-1], 4 * self._size])
        recurrent = tf.get_variable("recurrent", [self._size, 4 * self._size])
        bias = tf.get_variable("bias", [4 * self._size], initializer=tf.zeros_initializer())
        sums = self._normalized(tf.matmul(inputs, kernel), "of_inputs", step)
        sums = tf.cond(
            self._is_training,
            lambda: sums + self._normalized(tf.matmul(h, recurrent), "of_state", step) + bias,
            lambda: sums + tf.matmul(h, recurrent) + bias,
        )
        i, j, f, o = tf.split(sums, 4, 1)
        c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.sigmoid(o) * tf.tanh(self._normalized(c, "of_cell", step))
        return h, (c, h, step + 1.0)


def test_a_batch_normalized_lstm_trains_behind_every_gate(graph):
    tf.set_random_seed(1)
    is_training = tf.placeholder(tf.bool, [])
    x = tf.constant(np.sin(np.arange(30.0)).reshape(3, 5, 2), tf.float32)
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-1.0, 1.0, seed=3)):
        outputs, _ = tf.nn.dynamic_rnn(BatchNormLSTMCell(4, is_training, 6), x, dtype=tf.float32)
    loss = tf.reduce_sum(outputs**2)
    optimizer = tf.train.GradientDescentOptimizer(0.05)
    gradients = [[g for g, _ in optimizer.compute_gradients(loss, gate_gradients=gate)] for gate in GATES]
    train = optimizer.minimize(loss, gate_gradients=tf.train.Optimizer.GATE_GRAPH)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for training in (True, False):
            by_gate = session.run(gradients, {is_training: training})
            for found in by_gate[1:]:
                for g, h in zip(by_gate[0], found, strict=True):
                    np.testing.assert_array_equal(h, g)
        before = session.run(loss, {is_training: True})
        for _ in range(10):
            session.run(train, {is_training: True})
        assert session.run(loss, {is_training: True}) < before
