"""Cells against NumPy: steps, states of zeros, dropout, and what a cell makes and refuses."""

import hashlib

import numpy as np
import pytest

import ferroflow as tf

BATCH, SIZE, UNITS = 2, 3, 4


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def affine(weights, name, *inputs):
    return np.concatenate(inputs, axis=1) @ weights[f"{name}kernel"] + weights[f"{name}bias"]


def basic(weights, x, h):
    h = np.tanh(affine(weights, "", x, h))
    return h, h


def gru(weights, x, h):
    reset, update = np.split(sigmoid(affine(weights, "gates/", x, h)), 2, axis=1)
    h = update * h + (1 - update) * np.tanh(affine(weights, "candidate/", x, reset * h))
    return h, h


def lstm(weights, x, state, forget_bias=1.0, bound=np.inf, projected_bound=np.inf):
    c, h = state
    i, j, f, o = np.split(affine(weights, "", x, h), 4, axis=1)
    seen = [weights.get(f"w_{gate}_diag", 0.0) for gate in "fio"]
    c = sigmoid(f + forget_bias + seen[0] * c) * c + sigmoid(i + seen[1] * c) * np.tanh(j)
    c = np.clip(c, -bound, bound)
    h = sigmoid(o + seen[2] * c) * np.tanh(c)
    if "projection/kernel" in weights:
        h = np.clip(h @ weights["projection/kernel"], -projected_bound, projected_bound)
    return h, (c, h)


CELLS = {
    "basic": (lambda: tf.nn.rnn_cell.BasicRNNCell(UNITS), basic),
    "gru": (lambda: tf.nn.rnn_cell.GRUCell(UNITS), gru),
    "basic_lstm": (lambda: tf.nn.rnn_cell.BasicLSTMCell(UNITS), lstm),
    "lstm": (lambda: tf.nn.rnn_cell.LSTMCell(UNITS, forget_bias=0.3), lambda w, x, s: lstm(w, x, s, 0.3)),
    "peepholes": (lambda: tf.nn.rnn_cell.LSTMCell(UNITS, use_peepholes=True), lstm),
    "clipped_projection": (
        lambda: tf.nn.rnn_cell.LSTMCell(UNITS, cell_clip=0.3, num_proj=2, proj_clip=0.2, num_proj_shards=2),
        lambda w, x, s: lstm(w, x, s, 1.0, 0.3, 0.2),
    ),
}


def leaves(nest):
    return [leaf for child in nest for leaf in leaves(child)] if isinstance(nest, tuple) else [nest]


def loaded(session, variables, rng, depth):
    """Gives variables random values; returns them by their names below the scopes of the first `depth` names."""
    weights = {}
    for variable in variables:
        value = rng.normal(0, 1, variable.shape.as_list())
        variable.load(value, session)
        name = "/".join(variable.op.name.split("/")[depth:])
        if "/part_" in name:
            name = name.split("/part_")[0]
            value = np.concatenate([weights[name], value]) if name in weights else value
        weights[name] = value
    return weights


@pytest.mark.parametrize("name", CELLS)
def test_two_steps_are_numpys(name):
    make, reference = CELLS[name]
    rng = np.random.RandomState(0)
    inputs = rng.normal(size=(2, BATCH, SIZE))
    with tf.Graph().as_default(), tf.Session() as session:
        cell = make()
        first = [rng.normal(size=(BATCH, size)) for size in leaves(cell.state_size)]
        state = tf.contrib.rnn.LSTMStateTuple(*map(tf.constant, first)) if len(first) == 2 else tf.constant(first[0])
        outputs = []
        for x in inputs:
            output, state = cell(tf.constant(x), state)
            outputs.append(output)
        assert len(tf.global_variables()) == len(cell.trainable_variables) + (name == "clipped_projection")
        weights = loaded(session, tf.global_variables(), rng, depth=1)
        found = session.run([outputs, state])
    expected_state = tuple(first) if len(first) == 2 else first[0]
    for x, output in zip(inputs, found[0], strict=True):
        expected, expected_state = reference(weights, x, expected_state)
        np.testing.assert_allclose(output, expected, rtol=1e-12)
        assert expected.shape[1] == cell.output_size
    for value, expected in zip(leaves(found[1]), leaves(expected_state), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-12)


def test_a_concatenated_state_is_the_tuples_parts_in_a_row():
    rng = np.random.RandomState(1)
    x, c, h = (rng.normal(size=(BATCH, size)).astype(np.float32) for size in (SIZE, UNITS, UNITS))
    with tf.Graph().as_default(), tf.Session() as session:
        for kind in (tf.nn.rnn_cell.BasicLSTMCell, tf.nn.rnn_cell.LSTMCell):
            apart, joined = kind(UNITS), kind(UNITS, state_is_tuple=False)
            with tf.variable_scope(kind.__name__):
                output, state = apart(x_of(x), (tf.constant(c), tf.constant(h)))
            with tf.variable_scope(kind.__name__, reuse=True):
                other, row = joined(x_of(x), tf.constant(np.concatenate([c, h], axis=1)))
            session.run(tf.global_variables_initializer())
            output, state, other, row = session.run([output, state, other, row])
            np.testing.assert_array_equal(output, other)
            np.testing.assert_array_equal(np.concatenate(state, axis=1), row)


def x_of(value):
    return tf.constant(value)


def test_states_of_zeros_have_the_structure_of_the_size():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(3, num_proj=2), tf.nn.rnn_cell.GRUCell(5)])
        state = cell.zero_state(7, tf.float64)
        assert [x.shape.as_list() for x in leaves(state)] == [[7, 3], [7, 2], [7, 5]]
        assert state[0].c.name == "MultiRNNCellZeroState/LSTMCellZeroState/zeros:0"
        unknown = cell.zero_state(tf.placeholder_with_default(2, []), tf.float32)
        assert unknown[1].shape.as_list() == [None, 5]
        for value in leaves(session.run(unknown)):
            assert value.shape[0] == 2
            assert not value.any()


class Accumulating(tf.nn.rnn_cell.RNNCell):
    """A cell of a program, with variables of its own."""

    @property
    def state_size(self):
        return SIZE

    @property
    def output_size(self):
        return SIZE

    def call(self, inputs, state, scope=None):
        assert scope is None or scope is tf.get_variable_scope()
        factor = tf.get_variable("factor", [SIZE], initializer=tf.constant_initializer(2.0))
        count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
        state = state + factor * inputs
        return state + count, state


def test_a_cell_of_a_program_counts_the_variables_it_gets():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.MultiRNNCell([Accumulating(), Accumulating()])
        output, _ = tf.nn.static_rnn(cell, [tf.ones([1, SIZE])] * 3, dtype=tf.float32)
        names = [v.op.name for v in tf.global_variables()]
        assert names == [
            f"rnn/multi_rnn_cell/cell_{number}/accumulating/{name}" for number in (0, 1) for name in ("factor", "count")
        ]
        assert [v.op.name for v in cell.trainable_variables] == [names[0], names[2]]
        assert [v.op.name for v in cell.non_trainable_variables] == [names[1], names[3]]
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(output[-1]), [[24.0] * SIZE])


def test_a_cell_takes_a_scope():
    with tf.Graph().as_default():
        cell = Accumulating()
        cell(tf.ones([1, SIZE]), tf.zeros([1, SIZE]), scope="given")
        assert [v.op.name for v in cell.trainable_variables] == ["given/factor"]


def test_a_cell_called_elsewhere_keeps_its_variables():
    with tf.Graph().as_default():
        cell = tf.nn.rnn_cell.BasicLSTMCell(UNITS)
        with tf.variable_scope("first"):
            cell(tf.ones([1, SIZE]), cell.zero_state(1, tf.float32))
        with tf.variable_scope("second"):
            cell(tf.ones([1, SIZE]), cell.zero_state(1, tf.float32))
        assert [v.op.name for v in tf.global_variables()] == [
            "first/basic_lstm_cell/kernel",
            "first/basic_lstm_cell/bias",
        ]


def seed_of(seed, salt):
    return int(hashlib.md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def test_dropout_seeds_are_the_salted_ones():
    with tf.Graph().as_default() as graph:
        cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(UNITS), 0.5, 0.5, 0.5, seed=11)
        cell(tf.ones([1, SIZE]), cell.zero_state(1, tf.float32))
        seeds = [op.get_attr("seed2") for op in graph.get_operations() if op.type == "RandomUniform"]
    # The memory is counted and not dropped.
    drawn = [seed for seed in seeds if seed in {seed_of(11, s) for s in ("input_0", "state_1", "output_0")}]
    assert drawn == [seed_of(11, "input_0"), seed_of(11, "state_1"), seed_of(11, "output_0")]


def test_variational_dropout_drops_the_same_units_in_all_steps():
    with tf.Graph().as_default(), tf.Session() as session:
        cell = tf.nn.rnn_cell.DropoutWrapper(
            tf.nn.rnn_cell.GRUCell(50),
            output_keep_prob=0.5,
            variational_recurrent=True,
            input_size=SIZE,
            dtype=tf.float32,
            seed=3,
        )
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.random_normal([BATCH, 6, SIZE], seed=1), dtype=tf.float32)
        session.run(tf.global_variables_initializer())
        value = session.run(outputs)
    dropped = value == 0
    assert 0 < dropped[0, 0].sum() < 50
    assert (dropped == dropped[0, 0]).all()


def test_dropout_of_probability_one_is_the_cell_itself():
    with tf.Graph().as_default() as graph:
        cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(UNITS))
        cell(tf.ones([1, SIZE]), tf.zeros([1, UNITS]))
        assert tf.global_variables()[0].op.name == "gru_cell/gates/kernel"
        assert not any("dropout" in op.name for op in graph.get_operations())


@pytest.mark.parametrize(
    ("error", "message", "make"),
    [
        (ValueError, "at least one cell", lambda: tf.nn.rnn_cell.MultiRNNCell([])),
        (TypeError, "list or tuple", lambda: tf.nn.rnn_cell.MultiRNNCell(tf.nn.rnn_cell.GRUCell(2))),
        (
            ValueError,
            "tuples of states",
            lambda: tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(2)], state_is_tuple=False),
        ),
        (TypeError, "is not an RNNCell", lambda: tf.nn.rnn_cell.DropoutWrapper(3)),
        (
            ValueError,
            "input_keep_prob must be between 0 and 1",
            lambda: tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), input_keep_prob=1.5),
        ),
        (
            ValueError,
            "dtype must be provided",
            lambda: tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), variational_recurrent=True),
        ),
        (
            ValueError,
            "input_size must be provided",
            lambda: tf.nn.rnn_cell.DropoutWrapper(
                tf.nn.rnn_cell.GRUCell(2), 0.5, variational_recurrent=True, dtype=tf.float32
            ),
        ),
        (
            TypeError,
            "must be callable",
            lambda: tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(2), dropout_state_filter_visitor=1),
        ),
        (
            ValueError,
            "to be known",
            lambda: tf.nn.rnn_cell.GRUCell(2)(tf.placeholder(tf.float32, [2, None]), tf.zeros([2, 2])),
        ),
    ],
)
def test_bad_arguments_are_refused(error, message, make):
    with tf.Graph().as_default(), pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("cell", [None, 3, [], "GRUCell", tf.nn.relu])
def test_wrappers_refuse_what_is_no_cell(cell):
    for wrap in (tf.nn.rnn_cell.ResidualWrapper, tf.nn.rnn_cell.DropoutWrapper):
        with pytest.raises(TypeError, match="is not an RNNCell"):
            wrap(cell)
