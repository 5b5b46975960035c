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


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("proj", [None, 5])
def test_gates_and_memory_may_be_normalized(peepholes, norm, proj):
    x, c = X.astype(np.float32), C.astype(np.float32)
    h = RNG.normal(size=(BATCH, proj or UNITS)).astype(np.float32)
    with tf.Graph().as_default():
        cell = rnn.LayerNormLSTMCell(
            UNITS,
            use_peepholes=peepholes,
            cell_clip=0.7,
            num_proj=proj,
            proj_clip=0.4 if proj else None,
            forget_bias=0.5,
            layer_norm=norm,
            norm_gain=0.8,
            norm_shift=0.1,
        )
        state = rnn.LSTMStateTuple(tf.constant(c), tf.constant(h))
        output, after, of = stepped(cell, tf.constant(x), state, tf.float32)
    assert cell.state_size == (UNITS, proj or UNITS)
    names = {"kernel", "bias"} | ({"projection/kernel"} if proj else set())
    names |= {f"w_{gate}_diag" for gate in "fio"} if peepholes else set()
    scopes = ("input", "transform", "forget", "output", "state") if norm else ()
    assert set(of) == names | {f"{scope}/{part}" for scope in scopes for part in ("gamma", "beta")}

    def norm_of(value):
        return normalized(value, 0.8, 0.1) if norm else value

    def seen(gate, value):
        return of[f"w_{gate}_diag"] * value if peepholes else 0

    total = np.hstack([x, h]) @ of["kernel"] + (0 if norm else of["bias"])
    i, j, f, o = (norm_of(part) for part in np.split(total, 4, axis=1))
    new_c = norm_of(sigmoid(f + 0.5 + seen("f", c)) * c + sigmoid(i + seen("i", c)) * np.tanh(j)).clip(-0.7, 0.7)
    expected = sigmoid(o + seen("o", new_c)) * np.tanh(new_c)
    if proj:
        expected = (expected @ of["projection/kernel"]).clip(-0.4, 0.4)
    np.testing.assert_allclose(after.c, new_c, rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(after.h, expected, rtol=2e-5, atol=2e-6)
    np.testing.assert_array_equal(output, after.h)


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("proj", [None, 5])
def test_weights_may_be_directions_times_lengths(peepholes, norm, proj):
    h = RNG.normal(size=(BATCH, proj or UNITS))
    with tf.Graph().as_default():
        cell = rnn.WeightNormLSTMCell(
            UNITS, norm, peepholes, cell_clip=0.7, num_proj=proj, proj_clip=0.4 if proj else None, forget_bias=0.5
        )
        state = rnn.LSTMStateTuple(tf.constant(C), tf.constant(h))
        output, after, of = stepped(cell, tf.constant(X), state)
    of = {name.removeprefix("wn_lstm_cell/"): value for name, value in of.items()}
    names = {"kernel", "bias"} | ({"projection/kernel"} if proj else set())
    names |= {f"w_{gate}_diag" for gate in "fio"} if peepholes else set()
    names |= {"norm_0", "norm_1"} | ({"projection/norm_0"} if proj else set()) if norm else set()
    assert set(of) == names

    def product(scope, *parts):
        kernel, rows = of[f"{scope}kernel"], np.cumsum([part.shape[1] for part in parts])[:-1]
        if norm:
            blocks = enumerate(np.split(kernel, rows))
            kernel = np.vstack([b / np.linalg.norm(b, axis=0) * of[f"{scope}norm_{k}"] for k, b in blocks])
        return np.hstack(parts) @ kernel

    def seen(gate, value):
        return of[f"w_{gate}_diag"] * value if peepholes else 0

    i, j, f, o = np.split(product("", X, h) + of["bias"], 4, axis=1)
    new_c = (sigmoid(f + 0.5 + seen("f", C)) * C + sigmoid(i + seen("i", C)) * np.tanh(j)).clip(-0.7, 0.7)
    expected = sigmoid(o + seen("o", new_c)) * np.tanh(new_c)
    if proj:
        expected = product("projection/", expected).clip(-0.4, 0.4)
    np.testing.assert_allclose(after.c, new_c, rtol=1e-9)
    np.testing.assert_allclose(output, expected, rtol=1e-9)


def over_grid(of, blocks, states, peepholes, shared, coupled, clip, number=0):
    """The outputs and states of the blocks of a range, one by one."""
    outputs, after = [], []
    m_low, c_low = np.zeros_like(states[0][1]), np.zeros_like(states[0][0])
    for x, (c_old, m_old) in zip(blocks, states, strict=True):
        total = np.hstack([x, m_old, m_low])
        gates, cells = {}, {}
        for way, before in (("freq", c_low), ("time", c_old)):
            from_ = "freq" if shared else way
            parts = np.split(
                total @ of[f"W_{from_[0]}_{number}_0"] + of[f"B_{from_[0]}_{number}"], 3 if coupled else 4, 1
            )
            gate = dict(zip("ijo" if coupled else "ijfo", parts, strict=True))

            def seen(letter, c_f, c_t, from_=from_):
                names = [f"W_{letter}_diag_{from_}{part}_{number}" for part in "ft"]
                return of[names[0]] * c_f + of[names[1]] * c_t if peepholes else 0

            entering = sigmoid(gate["i"] + seen("I", c_low, c_old))
            kept = 1 - entering if coupled else sigmoid(gate["f"] + 0.5 + seen("F", c_low, c_old))
            cells[way] = (kept * before + entering * np.tanh(gate["j"])).clip(-clip, clip)
            gates[way] = (gate["o"], seen)
        m = {
            w: sigmoid(o + seen("O", cells["freq"], cells["time"])) * np.tanh(cells[w])
            for w, (o, seen) in gates.items()
        }
        m_low, c_low = m["freq"], cells["freq"]
        outputs += [m["time"], m["freq"]]
        after += [cells["time"], m["time"]]
    return outputs, after


GRID = {"forget_bias": 0.5, "cell_clip": 0.6, "feature_size": 3, "frequency_skip": 2}


@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("is_tuple", [False, True])
def test_a_grid_goes_over_frequencies_and_time(peepholes, shared, coupled, is_tuple):
    x = RNG.normal(size=(BATCH, 7))
    states = [(RNG.normal(size=(BATCH, UNITS)), RNG.normal(size=(BATCH, UNITS))) for _ in range(3)]
    with tf.Graph().as_default():
        cell = rnn.GridLSTMCell(
            UNITS,
            peepholes,
            shared,
            num_frequency_blocks=[3],
            couple_input_forget_gates=coupled,
            state_is_tuple=is_tuple,
            **GRID,
        )
        flat = [part for state in states for part in state]
        if is_tuple:
            state = cell.state_tuple_type(*(tf.constant(part) for part in flat))
            assert state._fields[:3] == ("state_f00_b00_c", "state_f00_b00_m", "state_f01_b00_c")
        else:
            state = tf.constant(np.hstack(flat))
        output, after, of = stepped(cell, tf.constant(x), state)
    assert cell.output_size == 2 * 3 * UNITS
    ways = ["freq"] if shared else ["freq", "time"]
    names = {f"{letter}_{way[0]}_0{end}" for way in ways for letter, end in (("W", "_0"), ("B", ""))}
    if peepholes:
        letters = "IO" if coupled else "FIO"
        names |= {f"W_{letter}_diag_{way}{part}_0" for letter in letters for way in ways for part in "ft"}
    assert set(of) == names
    expected, states = over_grid(of, [x[:, k : k + 3] for k in (0, 2, 4)], states, peepholes, shared, coupled, 0.6)
    np.testing.assert_allclose(output, np.hstack(expected), rtol=1e-9)
    np.testing.assert_allclose(np.hstack(after) if is_tuple else after, np.hstack(states), rtol=1e-9)


@pytest.mark.parametrize("offset", [0, 2, -1])
def test_a_grid_may_go_over_frequencies_both_ways(offset):
    x = RNG.normal(size=(BATCH, 12))
    with tf.Graph().as_default():
        cell = rnn.BidirectionalGridLSTMCell(
            UNITS,
            num_frequency_blocks=[2, 3],
            start_freqindex_list=[0, 5],
            end_freqindex_list=[5, 12],
            backward_slice_offset=offset,
            **GRID,
        )
        zeros = cell.state_tuple_type(*[tf.zeros([BATCH, UNITS], tf.float64)] * len(cell.state_size))
        output, after, of = stepped(cell, tf.constant(x), zeros)
    assert after._fields[0] == "fwd_state_f00_b00_c"
    assert after._fields[-1] == "bwd_state_f02_b01_m"
    assert cell.output_size == output.shape[1]
    moved = np.pad(x, ((0, 0), (max(-offset, 0), max(offset, 0))))[:, max(offset, 0) :]
    outputs, states = [], []
    for way, source in (("fwd", x), ("bwd", moved)):
        weights = {name.split("/", 1)[1]: value for name, value in of.items() if name.startswith(way)}
        for number, begins in enumerate(([0, 2], [5, 7, 9])):
            blocks = [source[:, k : k + 3] for k in begins][:: 1 if way == "fwd" else -1]
            before = [(np.zeros((BATCH, UNITS)),) * 2] * len(blocks)
            found = over_grid(weights, blocks, before, False, False, False, 0.6, number)
            outputs += found[0]
            states += found[1]
    np.testing.assert_allclose(output, np.hstack(outputs), rtol=1e-9)
    np.testing.assert_allclose(np.hstack(after), np.hstack(states), rtol=1e-9)


def test_blocks_of_a_grid_must_be_as_many_as_were_said():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Must specify num_frequency_blocks"):
            rnn.GridLSTMCell(UNITS)
        cell = rnn.GridLSTMCell(UNITS, num_frequency_blocks=[2], **GRID)
        with pytest.raises(ValueError, match="requires 2 but gets 3"):
            cell(tf.ones([BATCH, 7]), cell.zero_state(BATCH, tf.float32))
