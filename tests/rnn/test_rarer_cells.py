"""Cells of papers that few programs use, against NumPy with their variables, and the names of these."""

import numpy as np
import pytest

import ferroflow as tf

rnn = tf.contrib.rnn
BATCH, SIZE, UNITS = 3, 4, 6
RNG = np.random.RandomState(0)
X, C = RNG.normal(size=(BATCH, SIZE)), RNG.normal(size=(BATCH, UNITS))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def normalized(x, gain, shift):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-12) * gain + shift


def stepped(cell, inputs, state, dtype=tf.float64):
    """The output, the next state and the variables after a step; all variables are drawn from one uniform."""
    with tf.Session() as session:
        initializer = tf.random_uniform_initializer(-1, 1, seed=5)
        with tf.variable_scope("net", initializer=initializer, dtype=dtype):
            output, after = cell(inputs, state)
            with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                again, _ = cell(inputs, state)
        session.run(tf.global_variables_initializer())
        variables = {v.op.name.split("/", 2)[-1]: v for v in tf.global_variables()}
        output, again, after, variables = session.run([output, again, after, variables])
    np.testing.assert_array_equal(output, again)
    return output, after, variables


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("proj", [None, 5])
@pytest.mark.parametrize("is_tuple", [False, True])
def test_what_is_not_forgotten_is_not_replaced(peepholes, norm, proj, is_tuple):
    h = RNG.normal(size=(BATCH, proj or UNITS)).astype(np.float32)
    x, c = X.astype(np.float32), C.astype(np.float32)
    with tf.Graph().as_default():
        cell = rnn.CoupledInputForgetGateLSTMCell(
            UNITS,
            use_peepholes=peepholes,
            num_proj=proj,
            proj_clip=0.4 if proj else None,
            num_unit_shards=3,
            num_proj_shards=2,
            state_is_tuple=is_tuple,
            layer_norm=norm,
            norm_gain=0.8,
            norm_shift=0.1,
        )
        state = rnn.LSTMStateTuple(tf.constant(c), tf.constant(h)) if is_tuple else tf.constant(np.hstack([c, h]))
        output, after, of = stepped(cell, tf.constant(x), state, tf.float32)
        joined = [t.op.name for t in tf.get_collection(tf.GraphKeys.CONCATENATED_VARIABLES)]
    names = {"W_0", "W_1", "W_2", "B"} | ({"W_P_0", "W_P_1"} if proj else set())
    names |= {"W_F_diag", "W_O_diag"} if peepholes else set()
    scopes = ("transform", "forget", "output", "state") if norm else ()
    assert set(of) == names | {f"{scope}/{part}" for scope in scopes for part in ("gamma", "beta")}
    assert joined[0].endswith("net/coupled_input_forget_gate_lstm_cell/W/concat")

    def norm_of(value):
        return normalized(value, 0.8, 0.1) if norm else value

    total = np.hstack([x, h]) @ np.concatenate([of["W_0"], of["W_1"], of["W_2"]]) + (0 if norm else of["B"])
    j, f, o = (norm_of(part) for part in np.split(total, 3, axis=1))
    kept = sigmoid(f + 1.0 + (of["W_F_diag"] * c if peepholes else 0))
    new_c = norm_of(kept * c + (1 - kept) * np.tanh(j))
    expected = sigmoid(o + (of["W_O_diag"] * new_c if peepholes else 0)) * np.tanh(new_c)
    if proj:
        expected = np.clip(expected @ np.concatenate([of["W_P_0"], of["W_P_1"]]), -0.4, 0.4)
    np.testing.assert_allclose(output, expected, rtol=2e-5, atol=1e-6)
    found = np.hstack(after) if is_tuple else after
    np.testing.assert_allclose(found, np.hstack([new_c, expected]), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("peepholes", [False, True])
def test_phased_units_change_while_they_are_open(peepholes):
    times, h = np.array([[0.5], [7.0], [431.25]]), RNG.normal(size=(BATCH, UNITS)).astype(np.float32)
    x, c = X.astype(np.float32), C.astype(np.float32)
    with tf.Graph().as_default():
        cell = rnn.PhasedLSTMCell(UNITS, peepholes, leak=0.05, ratio_on=0.4, period_init_min=2.0, period_init_max=50.0)
        state = rnn.LSTMStateTuple(tf.constant(c), tf.constant(h))
        output, after, of = stepped(cell, (tf.constant(times), tf.constant(x)), state, tf.float32)
        assert len(tf.trainable_variables()) == 9
    assert ((of["period"] >= 2) & (of["period"] <= 50)).all()
    assert ((of["phase"] >= 0) & (of["phase"] <= of["period"])).all()
    np.testing.assert_allclose(of["ratio_on"], 0.4)

    def projected(scope, *inputs):
        return np.hstack(inputs) @ of[f"{scope}/kernel"] + of[f"{scope}/bias"]

    i, f = np.split(sigmoid(projected("mask_gates", x, h, *([c] if peepholes else []))), 2, axis=1)
    new_c = c * f + i * np.tanh(projected("new_input", x, h))
    new_h = np.tanh(new_c) * sigmoid(projected("output_gate", x, h, *([new_c] if peepholes else [])))
    ratio = np.mod(times - of["phase"], of["period"]) / of["period"]
    k = np.where(ratio < 0.2, ratio / 0.2, np.where(ratio < 0.4, 2 - ratio / 0.2, 0.05 * ratio))
    np.testing.assert_allclose(after.c, k * new_c + (1 - k) * c, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(after.h, k * new_h + (1 - k) * h, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(output, after.h)


def test_the_open_part_of_a_period_may_be_fixed():
    with tf.Graph().as_default():
        cell = rnn.PhasedLSTMCell(2, trainable_ratio_on=False)
        cell((tf.ones([1, 1]), tf.ones([1, 3])), cell.zero_state(1, tf.float32))
        assert not [v for v in tf.trainable_variables() if "ratio_on" in v.name]
        # Times have gradients, through where they fall into the periods.
        time = tf.constant([[3.0]])
        output, _ = cell((time, tf.ones([1, 3])), cell.zero_state(1, tf.float32))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert np.isfinite(session.run(tf.gradients(output, time)[0])).all()


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("proj", [None, 4])
def test_groups_of_units_see_their_parts(groups, proj):
    h = RNG.normal(size=(BATCH, proj or UNITS))
    with tf.Graph().as_default():
        cell = rnn.GLSTMCell(UNITS, num_proj=proj, number_of_groups=groups, activation=tf.nn.relu)
        state = rnn.LSTMStateTuple(tf.constant(C), tf.constant(h))
        output, after, of = stepped(cell, tf.constant(X), state)
    names = {f"group{number}/kernel" for number in range(groups)} | {f"bias_{letter}" for letter in "ijfo"}
    assert set(of) == names | ({"projection/kernel"} if proj else set())
    parts = []
    for number, (x, before) in enumerate(zip(np.split(X, groups, 1), np.split(h, groups, 1), strict=True)):
        parts.append(np.split(np.hstack([x, before]) @ of[f"group{number}/kernel"], 4, axis=1))
    i, j, f, o = (
        np.hstack(part) + of[f"bias_{letter}"] for letter, part in zip("ijfo", zip(*parts, strict=True), strict=True)
    )
    c = sigmoid(f + 1.0) * C + sigmoid(i) * np.tanh(j)
    expected = sigmoid(o) * np.maximum(c, 0)
    if proj:
        expected = expected @ of["projection/kernel"]
    np.testing.assert_allclose(after.c, c, rtol=1e-9)
    np.testing.assert_allclose(output, expected, rtol=1e-9)


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("clip", [None, 0.2])
def test_blocks_of_frequencies_see_the_block_below(peepholes, clip):
    blocks, width, skip, units = 3, 2, 1, 2
    state = RNG.normal(size=(BATCH, 2 * units * blocks))
    with tf.Graph().as_default():
        cell = rnn.TimeFreqLSTMCell(
            units, peepholes, clip, num_unit_shards=2, forget_bias=0.5, feature_size=width, frequency_skip=skip
        )
        assert (cell.state_size, cell.output_size) == (2 * units, units)
        output, after, of = stepped(cell, tf.constant(X), tf.constant(state))
    names = {"W_0", "W_1", "B"}
    assert set(of) == names | ({"W_F_diag", "W_I_diag", "W_O_diag"} if peepholes else set())

    def peep(gate, c):
        return of[f"W_{gate}_diag"] * c if peepholes else 0

    below, outputs, states = np.zeros((BATCH, units)), [], []
    for number in range(blocks):
        c, h = state[:, 4 * number : 4 * number + 2], state[:, 4 * number + 2 : 4 * number + 4]
        joined = np.hstack([X[:, number * skip : number * skip + width], h, below])
        i, j, f, o = np.split(joined @ np.concatenate([of["W_0"], of["W_1"]]) + of["B"], 4, axis=1)
        c = sigmoid(f + 0.5 + peep("F", c)) * c + sigmoid(i + peep("I", c)) * np.tanh(j)
        c = c if clip is None else np.clip(c, -clip, clip)
        below = sigmoid(o + peep("O", c)) * np.tanh(c)
        outputs.append(below)
        states += [c, below]
    np.testing.assert_allclose(output, np.hstack(outputs), rtol=1e-9)
    np.testing.assert_allclose(after, np.hstack(states), rtol=1e-9)


def test_simple_units_have_gates_of_the_inputs_alone():
    with tf.Graph().as_default():
        output, after, of = stepped(rnn.SRUCell(UNITS, activation=tf.nn.relu), tf.constant(X), tf.constant(C))
    assert set(of) == {"kernel", "bias"}
    new, forget, reset, skipped = np.split(X @ of["kernel"], 4, axis=1)
    biases = np.split(of["bias"], 2)
    forget, reset = sigmoid(forget + biases[0]), sigmoid(reset + biases[1])
    c = forget * C + (1 - forget) * new
    np.testing.assert_allclose(after, c, rtol=1e-9)
    np.testing.assert_allclose(output, reset * np.maximum(c, 0) + (1 - reset) * skipped, rtol=1e-9)


def test_sizes_that_do_not_fit_are_refused():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="num_units must be divisible by number_of_groups"):
            rnn.GLSTMCell(5, number_of_groups=2)
        with pytest.raises(ValueError, match="num_proj must be divisible by number_of_groups"):
            rnn.GLSTMCell(6, num_proj=5, number_of_groups=2)
        cell = rnn.GLSTMCell(6, number_of_groups=2)
        with pytest.raises(ValueError, match=r"input size \(3\) must be divisible by number_of_groups \(2\)"):
            cell(tf.ones([1, 3]), cell.zero_state(1, tf.float32))
        coupled = rnn.CoupledInputForgetGateLSTMCell(2, num_unit_shards=9)
        with pytest.raises(ValueError, match="Too many shards"):
            coupled(tf.ones([1, 3]), coupled.zero_state(1, tf.float32))
