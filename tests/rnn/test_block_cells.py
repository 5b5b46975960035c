"""Cells whose step is one operation: results and gradients of the cells they stand for, variables, and operations."""

import numpy as np
import pytest
from deprecations import logs_deprecation

import ferroflow as tf

rnn = tf.contrib.rnn
BATCH, TIME, SIZE, UNITS = 3, 4, 2, 5
LENGTHS = [4, 0, 2]
X = np.random.RandomState(0).normal(size=(BATCH, TIME, SIZE)).astype(np.float32)


def shapes():
    return {v.op.name: v.shape.as_list() for v in tf.trainable_variables()}


def outcome(session, outputs, state):
    """Outputs, state and the gradients of the variables."""
    loss = tf.reduce_sum(tf.square(outputs)) + sum(tf.reduce_sum(part) for part in state)
    return session.run([outputs, list(state), tf.gradients(loss, tf.trainable_variables())])


def leaves(nest):
    return [leaf for child in nest for leaf in leaves(child)] if isinstance(nest, list | tuple) else [nest]


def assert_same(found, expected):
    for value, other in zip(leaves(found), leaves(expected), strict=True):
        np.testing.assert_allclose(value, other, rtol=1e-5, atol=1e-6)


def test_gradients_pass_clipped_states_as_if_they_were_not():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[3.0], [-0.1]])
        cells = [rnn.LSTMBlockCell(1, cell_clip=clip, name="cell", reuse=tf.AUTO_REUSE) for clip in (0.05, None)]
        states = [cell(x, cell.zero_state(2, tf.float32))[1].c for cell in cells]
        gradients = [tf.gradients(c, x)[0] for c in states]
        session.run(tf.variables_initializer(tf.global_variables()))
        session.run([tf.assign(v, tf.ones_like(v)) for v in tf.global_variables()])
        (clipped, free), (found, expected) = session.run([states, gradients])
        assert np.abs(clipped).max() == np.float32(0.05) < np.abs(free).max()
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("peephole", [False, True])
@pytest.mark.parametrize("clip", [None, 0.3])
def test_block_lstms_are_lstms_with_the_same_variables(peephole, clip):
    options = {"use_peephole": peephole, "cell_clip": clip, "forget_bias": 0.7}
    initializer = tf.random_uniform_initializer(-1, 1, seed=3)
    with tf.Graph().as_default(), tf.Session() as session, tf.variable_scope("net", initializer=initializer):
        cell = rnn.LSTMCell(UNITS, use_peepholes=peephole, cell_clip=clip, forget_bias=0.7)
        plain = tf.nn.dynamic_rnn(cell, tf.constant(X), LENGTHS, dtype=tf.float32)
        names = shapes()
        with tf.variable_scope(tf.get_variable_scope(), reuse=True):
            block = tf.nn.dynamic_rnn(rnn.LSTMBlockCell(UNITS, **options), X, LENGTHS, dtype=tf.float32)
        fused = rnn.LSTMBlockFusedCell(UNITS, reuse=True, name="rnn/lstm_cell", **options)
        outputs, state = fused(tf.constant(X.swapaxes(0, 1)), dtype=tf.float32, sequence_length=tf.constant(LENGTHS))
        assert isinstance(state, rnn.LSTMStateTuple)
        assert outputs.shape.as_list() == [TIME, BATCH, UNITS]
        assert shapes() == names
        session.run(tf.global_variables_initializer())
        blocks = [outcome(session, *block), outcome(session, tf.transpose(outputs, [1, 0, 2]), state)]
        assert_same(*blocks)
        if clip is None:
            assert_same(blocks[0], outcome(session, *plain))
        else:
            # The gradients of a block pass what was clipped.
            assert_same(session.run(list(block)), session.run(list(plain)))


@pytest.mark.parametrize("given", ["list", "state", "tensor"])
def test_fused_lstms_take_lists_and_first_states(given):
    with tf.Graph().as_default(), tf.Session() as session:
        fused, inputs = rnn.LSTMBlockFusedCell(UNITS), tf.transpose(X, [1, 0, 2])
        ones = tf.ones([BATCH, UNITS])
        first = (ones, 2 * ones) if given == "state" else None
        outputs, state = fused(
            tf.unstack(inputs) if given == "list" else inputs,
            initial_state=first,
            dtype=None if first else tf.float32,
        )
        assert isinstance(outputs, list) == (given == "list")
        assert shapes() == {"lstm_fused_cell/kernel": [SIZE + UNITS, 4 * UNITS], "lstm_fused_cell/bias": [4 * UNITS]}
        cell = rnn.LSTMBlockCell(UNITS, reuse=True, name="lstm_fused_cell")
        with tf.variable_scope(""):
            step = rnn.LSTMStateTuple(*first) if first else cell.zero_state(BATCH, tf.float32)
            expected = []
            for x in tf.unstack(inputs):
                output, step = cell(x, step, scope="lstm_fused_cell")
                expected.append(output)
        session.run(tf.global_variables_initializer())
        found, last, expected, step = session.run([outputs, state, expected, step])
    np.testing.assert_allclose(np.stack(found), np.stack(expected), rtol=1e-5)
    np.testing.assert_allclose(last, step, rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (rnn.GRUBlockCell, ["w_ru", "b_ru", "w_c", "b_c"]),
        (rnn.GRUBlockCellV2, ["gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias"]),
    ],
)
def test_block_grus_are_grus(make, names):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(7)
        plain = tf.nn.dynamic_rnn(rnn.GRUCell(UNITS), X, LENGTHS, dtype=tf.float32, scope="plain")
        of_plain = tf.trainable_variables()
        block = tf.nn.dynamic_rnn(make(UNITS), X, LENGTHS, dtype=tf.float32, scope="block")
        of_block = tf.trainable_variables()[len(of_plain) :]
        assert [v.op.name for v in of_block] == [f"block/gru_cell/{name}" for name in names]
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(of_block[1]), 1)
        session.run([v.assign(other) for v, other in zip(of_block, of_plain, strict=True)])
        for found, expected in zip(session.run(block), session.run(plain), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_old_arguments_and_wrong_ones():
    with tf.Graph().as_default():
        with logs_deprecation("num_units"):
            assert rnn.GRUBlockCell(cell_size=3).output_size == 3
        with pytest.raises(ValueError, match="Exactly one of num_units or cell_size must be provided"):
            rnn.GRUBlockCell()
        with pytest.raises(ValueError, match="Shape of h_prev"):
            rnn.GRUBlockCell(3)(tf.ones([2, 2]), tf.ones([2, 4]))
        with pytest.raises(ValueError, match="Expecting state to be a tuple with length 2"):
            rnn.LSTMBlockCell(3)(tf.ones([2, 2]), (tf.ones([2, 3]),))
        with pytest.raises(ValueError, match="Either initial_state or dtype needs to be specified"):
            rnn.LSTMBlockFusedCell(3)(tf.ones([4, 2, 2]))
        with pytest.raises(ValueError, match="Expecting inputs_shape"):
            rnn.LSTMBlockCell(3)(tf.placeholder(tf.float32, [2, None]), (tf.ones([2, 3]), tf.ones([2, 3])))


def programs():
    x, state = tf.placeholder(tf.float32, [None, SIZE], "x"), tf.placeholder(tf.float32, [None, UNITS], "state")
    series = tf.placeholder(tf.float32, [TIME, None, SIZE], "series")
    return {
        "LSTMBlockCell": rnn.LSTMBlockCell(UNITS, use_peephole=True)(x, (state, state))[0],
        "BlockLSTM": rnn.LSTMBlockFusedCell(UNITS, use_peephole=True)(series, (state, state))[0],
        "GRUBlockCell": rnn.GRUBlockCell(UNITS)(x, state)[0],
    }


@pytest.mark.parametrize("op_type", ["LSTMBlockCell", "BlockLSTM", "GRUBlockCell"])
def test_a_step_is_one_operation_whose_graph_can_be_imported(op_type):
    feeds = {"x:0": X[:, 0], "state:0": X[:, :, 0].repeat(2, 1)[:, :UNITS], "series:0": X.swapaxes(0, 1)}
    with tf.Graph().as_default() as graph, tf.Session() as session, tf.variable_scope("net"):
        y = programs()[op_type]
        gradient = tf.gradients(y, [*tf.trainable_variables(), graph.get_tensor_by_name("net/state:0")])
        gradient = [g for g in gradient if g is not None]
        types = [op.type for op in graph.get_operations()]
        assert types.count(op_type) == types.count(op_type + "Grad") == 1
        with pytest.raises(LookupError, match=f"No gradient defined for operation '.*{op_type}Grad"):
            tf.gradients(gradient[-1], tf.trainable_variables())
        fed = {"net/" + name: value for name, value in feeds.items()}
        session.run(tf.global_variables_initializer())
        expected = session.run([y, *gradient], fed)
        frozen = tf.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), [t.op.name for t in (y, *gradient)]
        )
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(frozen, name="")
        known = {f"{node.name}:0" for node in frozen.node}
        fed = {name: value for name, value in fed.items() if name in known}
        found = session.run([t.name for t in (y, *gradient)], fed)
    for value, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(value, other)


@pytest.mark.parametrize("op_type", ["LSTMBlockCell", "BlockLSTM", "GRUBlockCell"])
def test_gradients_are_slopes(op_type):
    epsilon = 1e-2
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1)
        y = tf.reduce_sum(tf.sin(programs()[op_type]))
        fed = {"x:0": X[:, 0], "state:0": 0.3 * X[:, :, 0].repeat(2, 1)[:, :UNITS], "series:0": X.swapaxes(0, 1)}
        fed = {graph.get_tensor_by_name(name): value for name, value in fed.items()}
        sources = [*fed, *(v.value() for v in tf.trainable_variables())]
        gradients = {s: g for s, g in zip(sources, tf.gradients(y, sources), strict=True) if g is not None}
        assert len(gradients) >= 4
        session.run(tf.global_variables_initializer())
        values = {**session.run({v.value(): v.value() for v in tf.trainable_variables()}), **fed}
        for source, gradient in gradients.items():
            direction = np.random.RandomState(1).normal(size=values[source].shape).astype(np.float32)
            ends = [session.run(y, {**values, source: values[source] + e * direction}) for e in (epsilon, -epsilon)]
            along = np.sum(session.run(gradient, values) * direction)
            np.testing.assert_allclose(along, (ends[0] - ends[1]) / (2 * epsilon), rtol=2e-2, atol=2e-3)


def test_steps_after_the_longest_sequence_are_zeros_and_wrong_lengths_are_refused():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        count = tf.placeholder(tf.int64, [])
        cell = rnn.LSTMBlockFusedCell(UNITS)
        outputs, _ = cell(tf.constant(X.swapaxes(0, 1)), dtype=tf.float32)
        block = next(op for op in graph.get_operations() if op.type == "BlockLSTM")
        states = tf.raw_ops.BlockLSTM(
            **{arg: (count if i == 0 else t) for i, (arg, t) in enumerate(zip(ARGUMENTS, block.inputs, strict=True))}
        )
        gradient = tf.gradients(states[6], [block.inputs[1]])[0]
        session.run(tf.global_variables_initializer())
        h, of_x, whole = session.run([states[6], gradient, outputs], {count: 2})
        np.testing.assert_array_equal(h[2:], 0)
        np.testing.assert_array_equal(of_x[2:], 0)
        assert of_x[:2].any()
        for wrong in (-1, TIME + 1, 2**40):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"seq_len_max must be in \[0, 4\]"):
                session.run(states[6], {count: wrong})
        assert whole.shape == (TIME, BATCH, UNITS)


ARGUMENTS = ("seq_len_max", "x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")


@pytest.mark.parametrize("place", range(1, 9))
def test_inputs_of_wrong_shapes_are_refused(place):
    names = ARGUMENTS[1:]
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(tf.float32) for _ in names]
        cell = tf.raw_ops.LSTMBlockCell(**dict(zip(names, fed, strict=True)))
        sizes = [(BATCH, SIZE), (BATCH, UNITS), (BATCH, UNITS), (SIZE + UNITS, 4 * UNITS)]
        values = [np.ones(size, np.float32) for size in (*sizes, *[(UNITS,)] * 3, (4 * UNITS,))]
        session.run(cell, dict(zip(fed, values, strict=True)))
        values[place - 1] = np.ones((2, *values[place - 1].shape), np.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must "):
            session.run(cell, dict(zip(fed, values, strict=True)))


def test_gradients_of_the_cells_are_operations_of_their_own():
    with tf.Graph().as_default() as graph:
        x = tf.constant(X)
        lstm, gru = rnn.LSTMBlockCell(UNITS, name="lstm"), rnn.GRUBlockCellV2(UNITS, name="gru")
        fused = rnn.LSTMBlockFusedCell(UNITS, name="fused")
        outputs = [
            lstm(x[0], lstm.zero_state(TIME, tf.float32))[0],
            gru(x[0], gru.zero_state(TIME, tf.float32))[0],
            fused(x, dtype=tf.float32)[0],
        ]
        tf.gradients(outputs, tf.trainable_variables())
        types = {op.type for op in graph.get_operations()}
    assert {"LSTMBlockCellGrad", "GRUBlockCellGrad", "BlockLSTMGrad"} <= types
