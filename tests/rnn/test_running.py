"""What runs cells over time: equal results of all ways, lengths, gradients by differences, and what is refused."""

import numpy as np
import pytest
from autodiff.differences import check

import ferroflow as tf

BATCH, TIME, SIZE = 3, 4, 2
LENGTHS = [4, 0, 2]

CELLS = {
    "basic": lambda **kwargs: tf.nn.rnn_cell.BasicRNNCell(3, **kwargs),
    "gru": lambda **kwargs: tf.nn.rnn_cell.GRUCell(3, **kwargs),
    "basic_lstm": lambda **kwargs: tf.nn.rnn_cell.BasicLSTMCell(3, **kwargs),
    "lstm": lambda **kwargs: tf.nn.rnn_cell.LSTMCell(3, use_peepholes=True, num_proj=2, **kwargs),
}


def leaves(nest):
    return [leaf for child in nest for leaf in leaves(child)] if isinstance(nest, list | tuple) else [nest]


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("run", ["dynamic", "static"])
def test_gradients_are_those_of_differences(name, run):
    rng = np.random.RandomState(4)
    with tf.Graph().as_default():
        cell = CELLS[name]()
        cell(tf.zeros([1, SIZE], tf.float64), cell.zero_state(1, tf.float64))
        shapes = [v.shape.as_list() for v in tf.global_variables()]
    weights = [rng.normal(0, 0.7, shape) for shape in shapes]

    def network(x, *given):
        remaining = list(given)
        # The tensors that are varied stand for the variables.
        with tf.variable_scope("net", custom_getter=lambda *_args, **_kwargs: remaining.pop(0)):
            cell = CELLS[name](dtype=tf.float64)
            cell.build(tf.TensorShape([None, SIZE]))
        if run == "dynamic":
            outputs, state = tf.nn.dynamic_rnn(cell, x, sequence_length=LENGTHS, dtype=tf.float64)
        else:
            outputs, state = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), sequence_length=LENGTHS, dtype=tf.float64)
        return [*leaves(outputs), *leaves(state)]

    check(network, [rng.normal(size=(BATCH, TIME, SIZE)), *weights])


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("lengths", [None, LENGTHS])
def test_static_and_dynamic_networks_agree(name, lengths):
    x = np.random.RandomState(2).normal(size=(BATCH, TIME, SIZE)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, state = tf.nn.dynamic_rnn(CELLS[name](), tf.constant(x), lengths, dtype=tf.float32)
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            rows, last = tf.nn.static_rnn(
                CELLS[name](), tf.unstack(x, axis=1), sequence_length=lengths, dtype=tf.float32
            )
        session.run(tf.global_variables_initializer())
        outputs, state, rows, last = session.run([outputs, state, rows, last])
    np.testing.assert_allclose(outputs.swapaxes(0, 1), np.stack(rows), rtol=1e-5, atol=1e-7)
    for value, other in zip(leaves(state), leaves(last), strict=True):
        np.testing.assert_allclose(value, other, rtol=1e-5, atol=1e-7)
    if lengths is not None:
        for row, length in zip(outputs, lengths, strict=True):
            assert row[:length].any(axis=1).all()
            assert not row[length:].any()
        assert not any(part[1].any() for part in leaves(state))


def run(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def test_time_may_come_first():
    x = np.random.RandomState(2).normal(size=(BATCH, TIME, SIZE)).astype(np.float32)
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.GRUCell(3)
        batch_first, _ = tf.nn.dynamic_rnn(cell, x, LENGTHS, dtype=tf.float32)
        turned = tf.constant(x.swapaxes(0, 1))
        time_first, _ = tf.nn.dynamic_rnn(cell, turned, LENGTHS, dtype=tf.float32, time_major=True)
        batch_first, time_first = run(batch_first, time_first)
    np.testing.assert_array_equal(batch_first, time_first.swapaxes(0, 1))


def test_a_bidirectional_network_is_two_networks():
    x = np.random.RandomState(2).normal(size=(BATCH, TIME, SIZE)).astype(np.float32)
    with tf.Graph().as_default():
        forwards, backwards = tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(3)
        lengths = tf.constant(LENGTHS)
        both, states = tf.nn.bidirectional_dynamic_rnn(forwards, backwards, x, lengths, dtype=tf.float32)
        first, state = tf.nn.dynamic_rnn(forwards, x, lengths, dtype=tf.float32)
        turned = tf.reverse_sequence(x, lengths, seq_axis=1)
        second, other = tf.nn.dynamic_rnn(backwards, turned, lengths, dtype=tf.float32)
        second = tf.reverse_sequence(second, lengths, seq_axis=1)
        both, states, first, second, state, other = run(both, states, first, second, state, other)
    for found, expected in zip([*both, *states], [first, second, state, other], strict=True):
        np.testing.assert_array_equal(found, expected)


class Twice(tf.nn.rnn_cell.RNNCell):
    """A cell of nests: a pair of inputs, of which one has two dimensions, and outputs and states like them."""

    @property
    def state_size(self):
        return [SIZE, tf.TensorShape([2, 3])]

    @property
    def output_size(self):
        return (SIZE, tf.TensorShape([2, 3]))

    def __call__(self, inputs, state, scope=None):
        sums = [state[0] + inputs["a"], state[1] + inputs["b"]]
        return (2 * sums[0], 2 * sums[1]), sums


@pytest.mark.parametrize("static", [True, False])
def test_inputs_outputs_and_states_may_be_nests(static):
    rng = np.random.RandomState(0)
    a, b = rng.normal(size=(BATCH, TIME, SIZE)), rng.normal(size=(BATCH, TIME, 2, 3))
    with tf.Graph().as_default(), tf.Session() as session:
        if static:
            inputs = [{"a": tf.constant(a[:, t]), "b": tf.constant(b[:, t])} for t in range(TIME)]
            outputs, state = tf.nn.static_rnn(Twice(), inputs, dtype=tf.float64, sequence_length=LENGTHS)
            outputs = [tf.stack(part, axis=1) for part in zip(*outputs, strict=True)]
        else:
            inputs = {"a": tf.constant(a), "b": tf.constant(b)}
            outputs, state = tf.nn.dynamic_rnn(Twice(), inputs, dtype=tf.float64, sequence_length=LENGTHS)
            assert isinstance(outputs, tuple)
            assert outputs[1].shape.as_list() == [BATCH, TIME, 2, 3]
        assert isinstance(state, list)
        outputs, state = session.run([outputs, state])
    for value, output, last in zip((a, b), outputs, state, strict=True):
        for row, length in enumerate(LENGTHS):
            sums = np.cumsum(value[row], axis=0)
            np.testing.assert_allclose(output[row, :length], 2 * sums[:length])
            assert not output[row, length:].any()
            np.testing.assert_allclose(last[row], sums[length - 1] if length else 0 * last[row])


class Saver:
    """States by their names, in variables."""

    def __init__(self, names):
        self.kept = {name: tf.get_variable(name, [BATCH, 3], trainable=False) for name in names}

    def state(self, name):
        return self.kept[name].read_value()

    def save_state(self, name, value):
        return self.kept[name].assign(value)


@pytest.mark.parametrize("names", ["s", ("c", "h")])
def test_a_saved_state_goes_on_in_the_next_run(names):
    x = np.random.RandomState(2).normal(size=(BATCH, 2 * TIME, SIZE)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.GRUCell(3) if names == "s" else tf.nn.rnn_cell.BasicLSTMCell(3)
        saver = Saver(names)
        fed = tf.placeholder(tf.float32, [BATCH, TIME, SIZE])
        outputs, _ = tf.nn.static_state_saving_rnn(cell, tf.unstack(fed, axis=1), saver, names)
        whole, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        session.run(tf.global_variables_initializer())
        for kept in saver.kept.values():
            kept.load(np.zeros([BATCH, 3]), session)
        # The state is kept whenever the last output is there.
        found = [session.run(outputs[-1], {fed: x[:, :TIME]}), session.run(outputs[-1], {fed: x[:, TIME:]})]
        expected = session.run(whole)
    np.testing.assert_allclose(found[0], expected[:, TIME - 1], rtol=1e-5)
    np.testing.assert_allclose(found[1], expected[:, -1], rtol=1e-5)


class Doubling(tf.nn.rnn_cell.RNNCell):
    """Its output and its state are twice its input."""

    @property
    def state_size(self):
        return SIZE

    @property
    def output_size(self):
        return SIZE

    def __call__(self, inputs, state, scope=None):
        return 2 * inputs, 2 * inputs


def test_a_raw_network_emits_what_its_function_says():
    def between(time, output, state, loop_state):
        finished = time >= LENGTHS
        if output is None:
            return finished, tf.ones([BATCH, SIZE]), tf.zeros([BATCH, SIZE]), tf.zeros([], tf.int32), None
        return finished, output, state, tf.fill([BATCH], time), None

    with tf.Graph().as_default(), tf.Session() as session:
        emitted, state, loop_state = tf.nn.raw_rnn(Doubling(), between)
        assert loop_state is None
        emitted, state = session.run([emitted.stack(), state])
    expected = [[t + 1 if t < length else 0 for length in LENGTHS] for t in range(TIME)]
    np.testing.assert_array_equal(emitted, expected)
    np.testing.assert_array_equal(state[:, 0], [2.0**length if length else 0 for length in LENGTHS])


def test_as_many_lengths_as_sequences_are_asked_for():
    with tf.Graph().as_default(), tf.Session() as session:
        lengths = tf.placeholder(tf.int32, [None])
        outputs, _ = tf.nn.dynamic_rnn(Doubling(), tf.ones([BATCH, TIME, SIZE]), lengths, dtype=tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape for Tensor rnn/sequence_length:0 is"):
            session.run(outputs, {lengths: [1, 2]})


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ((BATCH, TIME + 1, SIZE), "Time steps is not the same for all the elements"),
        ((BATCH + 1, TIME, SIZE), "Batch_size is not the same for all the elements"),
    ],
)
@pytest.mark.parametrize("time_major", [False, True])
def test_the_inputs_of_a_nest_have_the_same_steps_and_sequences(other, message, time_major):
    inputs = [tf.ones([BATCH, TIME, SIZE]), tf.ones(other)]
    if time_major:
        inputs = [tf.transpose(x, [1, 0, 2]) for x in inputs]
    with pytest.raises(ValueError, match=message):
        tf.nn.dynamic_rnn(Doubling(), tuple(inputs), dtype=tf.float32, time_major=time_major)


def _dynamic(cell=None, x=None, **kwargs):
    x = tf.ones([BATCH, TIME, SIZE]) if x is None else x
    return tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2) if cell is None else cell, x, **kwargs)


def _static(cell=None, inputs=None, **kwargs):
    inputs = [tf.ones([BATCH, SIZE])] if inputs is None else inputs
    return tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2) if cell is None else cell, inputs, **kwargs)


def _state_saving(names):
    return tf.nn.static_state_saving_rnn(tf.nn.rnn_cell.LSTMCell(2), [tf.ones([2, 2])], None, names)


def _unknown(*shape):
    return tf.placeholder(tf.float32, shape)


@pytest.mark.parametrize(
    ("error", "message", "make"),
    [
        (TypeError, "is not an RNNCell", lambda: _dynamic(cell=3)),
        (ValueError, "you must give a dtype", _dynamic),
        (ValueError, "must be a vector", lambda: _dynamic(sequence_length=[[1]], dtype=tf.float32)),
        (ValueError, "rank", lambda: _dynamic(x=tf.ones([2, 2]), dtype=tf.float32)),
        (ValueError, "shape inference", lambda: _dynamic(x=_unknown(2, 2, None), dtype=tf.float32)),
        (TypeError, "is not an RNNCell", lambda: _static(cell=3)),
        (TypeError, "inputs must be a sequence", lambda: _static(inputs=tf.ones([2, 2]))),
        (ValueError, "inputs must not be empty", lambda: _static(inputs=[])),
        (ValueError, "dtype must be specified", _static),
        (ValueError, "shape inference", lambda: _static(inputs=[_unknown(2, None)], dtype=tf.float32)),
        (TypeError, "loop_fn must be a callable", lambda: tf.nn.raw_rnn(tf.nn.rnn_cell.GRUCell(2), 3)),
        (ValueError, "same type as cell.state_size", lambda: _state_saving("name")),
        (ValueError, "#elems", lambda: _state_saving(("a", "b", "c"))),
    ],
)
def test_bad_arguments_are_refused(error, message, make):
    with tf.Graph().as_default(), pytest.raises(error, match=message):
        make()
