"""The cells that TF 1.x computes in blocks: results and gradients of the cells they stand for, and their variables."""

import numpy as np
import pytest

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
        with pytest.warns(DeprecationWarning, match="num_units"):
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
