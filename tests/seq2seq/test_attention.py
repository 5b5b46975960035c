"""Attention: alignments against NumPy, names of variables, gradients by differences, and what is refused."""

import itertools

import numpy as np
import pytest
from autodiff.differences import check
from hypothesis import given, strategies as st
from seq2seq import reference

import ferroflow as tf

seq2seq = tf.contrib.seq2seq
BATCH, TIME, SIZE, UNITS = 3, 4, 5, 2
LENGTHS = [4, 1, 3]

MECHANISMS = {
    "luong": (seq2seq.LuongAttention, {}),
    "luong_scaled": (seq2seq.LuongAttention, {"scale": True}),
    "bahdanau": (seq2seq.BahdanauAttention, {}),
    "bahdanau_normalized": (seq2seq.BahdanauAttention, {"normalize": True}),
    "luong_monotonic": (seq2seq.LuongMonotonicAttention, {"scale": True, "score_bias_init": 0.3}),
    "bahdanau_monotonic": (seq2seq.BahdanauMonotonicAttention, {"normalize": True, "score_bias_init": -0.3}),
}


def alignments_of(name, query, memory, previous, variables):
    """NumPy's alignments of one sequence whose memory has no part past its end."""
    of = {key.split("/")[-1] if "layer" not in key else key.split("/")[-2]: value for key, value in variables.items()}
    keys = memory @ of["memory_layer"]
    if name.startswith("luong"):
        scores = reference.luong_scores(query, keys, of.get("attention_g", 1.0))
    else:
        v = of["attention_v"]
        if "attention_g" in of:
            v = reference.unit(v, of["attention_g"])
        scores = reference.bahdanau_scores(query @ of["query_layer"], keys, v, of.get("attention_b", 0.0))
    if "monotonic" not in name:
        return reference.softmax(scores)
    return reference.monotonic(1 / (1 + np.exp(-scores - of["attention_score_bias"])), previous)


@pytest.mark.parametrize("name", MECHANISMS)
def test_alignments_are_those_of_the_papers(name):
    make, options = MECHANISMS[name]
    rng = np.random.RandomState(0)
    depth = UNITS if name.startswith("luong") else 3
    memory, query = rng.normal(size=(BATCH, TIME, SIZE)), rng.normal(size=(BATCH, depth))
    previous = rng.dirichlet(np.ones(TIME), BATCH)
    for row, length in enumerate(LENGTHS):
        previous[row, length:] = 0
    with tf.Graph().as_default(), tf.Session() as session:
        mechanism = make(UNITS, tf.constant(memory), LENGTHS, dtype=tf.float64, **options)
        alignments, state = mechanism(tf.constant(query), tf.constant(previous))
        assert alignments.shape.as_list() == [BATCH, TIME]
        variables = tf.global_variables()
        # The variables that start with zeros or ones would hide what they do.
        session.run([v.assign(rng.normal(size=v.shape.as_list())) for v in variables])
        found, after, values = session.run([alignments, state, {v.op.name: v for v in variables}])
    np.testing.assert_array_equal(found, after)
    for row, length in enumerate(LENGTHS):
        expected = alignments_of(name, query[row], memory[row, :length], previous[row, :length], values)
        np.testing.assert_allclose(found[row, :length], expected, rtol=1e-10, atol=1e-14)
        assert not found[row, length:].any()


@pytest.mark.parametrize("name", MECHANISMS)
def test_gradients_are_those_of_differences(name):
    make, options = MECHANISMS[name]
    rng = np.random.RandomState(1)
    query, memory = rng.normal(size=(BATCH, UNITS)), rng.normal(size=(BATCH, TIME, SIZE))
    previous = rng.dirichlet(np.ones(TIME), BATCH)

    def constant(getter, name, shape=None, **kwargs):
        size = [] if shape is None else tf.TensorShape(shape).as_list()
        return tf.constant(np.random.RandomState(len(name)).normal(size=size))

    def attention(query, memory, previous=None):
        # The gradients of variables are those of tensors; constants stand for them.
        with tf.variable_scope("net", custom_getter=constant):
            return make(UNITS, memory, LENGTHS, dtype=tf.float64, **options)(query, previous)[0]

    check(attention, [query, memory, previous] if "monotonic" in name else [query, memory])


def test_hardmax_chooses_the_largest():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[0.1, 3.0, -1.0], [4.0, 2.0, 4.0]])
        np.testing.assert_array_equal(session.run(seq2seq.hardmax(x)), [[0, 1, 0], [1, 0, 0]])
        unknown = tf.placeholder(tf.float32, [None, None])
        np.testing.assert_array_equal(session.run(seq2seq.hardmax(unknown), {unknown: [[1, 2]]}), [[0, 1]])
        mechanism = seq2seq.LuongAttention(UNITS, tf.ones([1, 3, 2]), probability_fn=seq2seq.hardmax)
        alignments, _ = mechanism(tf.ones([1, UNITS]), None)
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(alignments), [[1, 0, 0]])


PROBABILITIES = st.floats(0.02, 0.98)


@given(data=st.data(), time=st.integers(1, 6))
def test_both_ways_to_move_attention_on_are_the_definition(data, time):
    p = np.array(data.draw(st.lists(PROBABILITIES, min_size=time, max_size=time)))
    previous = np.array(data.draw(st.lists(PROBABILITIES, min_size=time, max_size=time)))
    previous /= previous.sum()
    with tf.Graph().as_default(), tf.Session() as session:
        for mode in ("recursive", "parallel"):
            found = session.run(seq2seq.monotonic_attention(p[None], previous[None], mode))
            np.testing.assert_allclose(found[0], reference.monotonic(p, previous), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("time", [1, 2, 3])
def test_hard_attention_is_the_definition_for_choices_that_are_made(time):
    choices = [np.array(c, np.float64) for c in itertools.product([0, 1], repeat=time)]
    places = [row for row in np.eye(time) for _ in choices]
    choices = choices * time
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(seq2seq.monotonic_attention(np.stack(choices), np.stack(places), "hard"))
    for row, p, previous in zip(found, choices, places, strict=True):
        np.testing.assert_array_equal(row, reference.monotonic(p, previous))


def test_an_unknown_mode_is_refused():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be 'recursive', 'parallel', or 'hard'"):
        seq2seq.monotonic_attention([[0.5]], [[1.0]], "soft")


def test_monotonic_attention_starts_at_the_first_part_and_its_noise_is_seeded():
    with tf.Graph().as_default(), tf.Session() as session:
        memory = tf.constant(np.random.RandomState(3).normal(size=(2, TIME, SIZE)).astype(np.float32))
        mechanism = seq2seq.LuongMonotonicAttention(UNITS, memory, sigmoid_noise=2.0, sigmoid_noise_seed=5)
        first = mechanism.initial_alignments(2, tf.float32)
        alignments, _ = mechanism(tf.ones([2, UNITS]), first)
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(first), [[1, 0, 0, 0]] * 2)
        assert (session.run(alignments) != session.run(alignments)).any()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.booleans(), st.booleans())
def test_safe_cumprod_is_a_cumulative_product(values, exclusive, reverse):
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(seq2seq.safe_cumprod(np.array(values), exclusive=exclusive, reverse=reverse))
        expected = session.run(tf.cumprod(np.array(values), exclusive=exclusive, reverse=reverse))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


def test_queries_and_memories_that_do_not_fit_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(ValueError, match="Perhaps you need to set num_units to the keys' dimension"):
            seq2seq.LuongAttention(UNITS, tf.ones([1, 3, 2]))(tf.ones([1, UNITS + 1]), None)
        with pytest.raises(ValueError, match="to have fully defined inner dims"):
            seq2seq.BahdanauAttention(UNITS, tf.placeholder(tf.float32, [1, 3, None]))
        with pytest.raises(TypeError, match="probability_fn must be callable, saw type: str"):
            seq2seq.LuongAttention(UNITS, tf.ones([1, 3, 2]), probability_fn="softmax")
        lengths = tf.placeholder(tf.int32, [None])
        mechanism = seq2seq.LuongAttention(UNITS, tf.ones([2, 3, 2]), lengths)
        alignments, _ = mechanism(tf.ones([2, UNITS]), None)
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            session.run(mechanism.values, {lengths: [1, 2, 3]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must greater than zero"):
            session.run(alignments, {lengths: [1, 0]})


def wrapped(mechanism=None, **kwargs):
    memory = tf.placeholder_with_default(tf.ones([BATCH, TIME, SIZE]), [None, TIME, SIZE])
    mechanism = mechanism or seq2seq.BahdanauAttention(UNITS, memory, normalize=True)
    return seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(3), mechanism, **kwargs), memory


def test_variables_have_the_names_of_their_scopes():
    with tf.Graph().as_default():
        cell, _ = wrapped(attention_layer_size=6)
        with tf.variable_scope("decoder"):
            cell(tf.ones([BATCH, 2]), cell.zero_state(BATCH, tf.float32))
        assert {v.op.name: v.shape.as_list() for v in tf.trainable_variables()} == {
            "memory_layer/kernel": [SIZE, UNITS],
            "decoder/attention_wrapper/basic_rnn_cell/kernel": [2 + 6 + 3, 3],
            "decoder/attention_wrapper/basic_rnn_cell/bias": [3],
            "decoder/attention_wrapper/bahdanau_attention/query_layer/kernel": [3, UNITS],
            "decoder/attention_wrapper/bahdanau_attention/attention_v": [UNITS],
            "decoder/attention_wrapper/bahdanau_attention/attention_g": [],
            "decoder/attention_wrapper/bahdanau_attention/attention_b": [UNITS],
            "decoder/attention_wrapper/attention_layer/kernel": [3 + SIZE, 6],
        }


def test_a_wrapped_cell_attends_with_its_output_and_gets_the_last_attention():
    rng = np.random.RandomState(5)
    inputs, memory = rng.normal(size=(2, BATCH, 2)), rng.normal(size=(BATCH, TIME, SIZE))
    with tf.Graph().as_default(), tf.Session() as session:
        mechanism = seq2seq.LuongAttention(3, tf.constant(memory), LENGTHS, dtype=tf.float64)
        cell = seq2seq.AttentionWrapper(
            tf.nn.rnn_cell.BasicRNNCell(3, dtype=tf.float64),
            mechanism,
            attention_layer_size=6,
            alignment_history=True,
        )
        state = cell.zero_state(BATCH, tf.float64)
        for x in inputs:
            output, state = cell(tf.constant(x), state)
        history = state.alignment_history.stack()
        session.run(tf.global_variables_initializer())
        variables = {v.op.name.split("/", 1)[-1]: v for v in tf.global_variables()}
        output, history, time, value = session.run([output, history, state.time, variables])
    assert time == 2
    for row, length in enumerate(LENGTHS):
        h, attention = np.zeros(3), np.zeros(6)
        for step, x in enumerate(inputs):
            given_now = np.concatenate([x[row], attention])
            h = reference.basic_cell(given_now, h, value["basic_rnn_cell/kernel"], value["basic_rnn_cell/bias"])
            scores = reference.luong_scores(h, memory[row] @ value["kernel"])
            weights, context = reference.attended(scores, memory[row], length)
            np.testing.assert_allclose(history[step, row], weights, rtol=1e-10, atol=1e-14)
            attention = np.concatenate([h, context]) @ value["attention_layer/kernel"]
        np.testing.assert_allclose(output[row], attention, rtol=1e-10)


class Sharpened(seq2seq.BahdanauAttention):
    """A mechanism of a program: its state is the sum of all alignments, which scores take into account."""

    def __call__(self, query, state):
        with tf.variable_scope(None, "sharpened", [query]):
            bias = tf.get_variable("seen", [], initializer=tf.constant_initializer(-1.0))
            score = tf.reduce_sum(self.keys * tf.expand_dims(self.query_layer(query), 1), 2) + bias * state
        alignments = self._probability_fn(score, state)
        return alignments, alignments + state


def test_mechanisms_may_be_derived():
    with tf.Graph().as_default(), tf.Session() as session:
        memory = tf.constant(np.random.RandomState(6).normal(size=(BATCH, TIME, SIZE)).astype(np.float32))
        mechanism = Sharpened(UNITS, memory, LENGTHS)
        cell, _ = wrapped(mechanism)
        state = cell.zero_state(BATCH, tf.float32)
        for _ in range(3):
            _, state = cell(tf.ones([BATCH, 2]), state)
        session.run(tf.global_variables_initializer())
        alignments, sums = session.run([state.alignments, state.attention_state])
    np.testing.assert_allclose(alignments.sum(1), 1, rtol=1e-5)
    np.testing.assert_allclose(sums.sum(1), 3, rtol=1e-5)


def test_several_mechanisms_give_tuples_and_their_attentions_are_joined():
    with tf.Graph().as_default(), tf.Session() as session:
        memory = tf.constant(np.random.RandomState(2).normal(size=(BATCH, TIME, SIZE)).astype(np.float32))
        mechanisms = [seq2seq.LuongAttention(3, memory), seq2seq.BahdanauAttention(UNITS, memory)]
        cell, _ = wrapped(mechanisms, alignment_history=True, output_attention=False)
        assert cell.output_size == 3
        assert cell.state_size.attention == 2 * SIZE
        output, state = cell(tf.ones([BATCH, 2]), cell.zero_state(BATCH, tf.float32))
        session.run(tf.global_variables_initializer())
        output, attention, alignments = session.run([output, state.attention, state.alignments])
        assert isinstance(state.alignment_history, tuple)
        values = session.run(memory)
    assert output.shape == (BATCH, 3)
    joined = np.concatenate([np.einsum("bt,bts->bs", weights, values) for weights in alignments], axis=1)
    np.testing.assert_allclose(attention, joined, rtol=1e-5, atol=1e-6)


def test_layers_may_be_given_and_inputs_joined_otherwise():
    with tf.Graph().as_default():
        layer = tf.layers.Dense(7, activation=tf.tanh, name="mix")
        cell, _ = wrapped(attention_layer=layer, cell_input_fn=lambda inputs, attention: inputs + attention[:, :2])
        output, state = cell(tf.ones([BATCH, 2]), cell.zero_state(BATCH, tf.float32))
        assert output.shape.as_list() == [BATCH, 7]
        assert state.attention is output
        names = {v.op.name for v in tf.trainable_variables()}
        assert {"attention_wrapper/mix/kernel", "attention_wrapper/mix/bias"} < names


def test_a_state_is_cloned_with_values_of_its_shapes_only():
    with tf.Graph().as_default(), tf.Session() as session:
        cell, _ = wrapped()
        state = cell.zero_state(BATCH, tf.float32)
        other = state.clone(cell_state=tf.ones([BATCH, 3]))
        assert isinstance(other, seq2seq.AttentionWrapperState)
        assert session.run(other.cell_state).all()
        assert other.attention is state.attention
        with pytest.raises(ValueError, match=r"expected .*got"):
            state.clone(cell_state=tf.ones([BATCH, 4]))
        x = tf.placeholder(tf.float32, [None, 3])
        checked = state.clone(cell_state=x).cell_state
        assert checked.shape.as_list() == [BATCH, 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong shape for"):
            session.run(checked, {x: np.ones((BATCH + 1, 3))})


def test_batches_that_differ_from_the_memory_are_refused_with_advice():
    with tf.Graph().as_default(), tf.Session() as session:
        cell, memory = wrapped(initial_cell_state=tf.ones([BATCH, 3]))
        state = cell.zero_state(BATCH, tf.float32)
        session.run(tf.global_variables_initializer())
        assert session.run(state.cell_state).all()
        with pytest.raises(tf.errors.InvalidArgumentError, match="Are you using the BeamSearchDecoder"):
            session.run(state.cell_state, {memory: np.ones((BATCH + 1, TIME, SIZE))})
        known = seq2seq.LuongAttention(3, tf.ones([BATCH, TIME, SIZE]))
        cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicRNNCell(3), known)
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="been tiled to beam_width"):
            session.run(cell.zero_state(BATCH + 1, tf.float32).cell_state)


def test_what_cannot_be_wrapped_is_refused():
    with tf.Graph().as_default():
        inner = tf.nn.rnn_cell.BasicRNNCell(3)
        mechanism = seq2seq.LuongAttention(3, tf.ones([BATCH, TIME, SIZE]))
        with pytest.raises(TypeError, match="must be an AttentionMechanism or list"):
            seq2seq.AttentionWrapper(inner, inner)
        with pytest.raises(TypeError, match="must contain only instances"):
            seq2seq.AttentionWrapper(inner, [mechanism, inner])
        with pytest.raises(TypeError, match="cell_input_fn must be callable, saw type: int"):
            seq2seq.AttentionWrapper(inner, mechanism, cell_input_fn=3)
        with pytest.raises(ValueError, match="exactly one integer per attention_mechanism, saw: 2 vs 1"):
            seq2seq.AttentionWrapper(inner, mechanism, attention_layer_size=[3, 4])
        with pytest.raises(ValueError, match="Only one of attention_layer_size and attention_layer"):
            seq2seq.AttentionWrapper(inner, mechanism, attention_layer_size=3, attention_layer=tf.layers.Dense(3))
        with pytest.raises(TypeError, match="Expected state to be instance of AttentionWrapperState"):
            seq2seq.AttentionWrapper(inner, mechanism)(tf.ones([BATCH, 2]), tf.ones([BATCH, 3]))
