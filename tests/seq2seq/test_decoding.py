"""Decoders in their loop: lengths, ends, helpers and shapes, against NumPy step by step."""

import numpy as np
import pytest
from seq2seq import reference

import ferroflow as tf

seq2seq = tf.contrib.seq2seq
BATCH, TIME, SIZE, UNITS, IDS = 3, 4, 2, 3, 5
LENGTHS = [4, 0, 2]
INPUTS = np.random.RandomState(0).normal(size=(BATCH, TIME, SIZE))
EMBEDDING = np.random.RandomState(1).normal(size=(IDS, SIZE))


def decoder_of(helper, units=UNITS, output_layer=None):
    cell = tf.nn.rnn_cell.BasicRNNCell(units, dtype=tf.float64)
    return seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float64), output_layer)


def decoded(session, helper, units=UNITS, **kwargs):
    """The outputs, samples, last state and lengths, and the cell's variables."""
    results = seq2seq.dynamic_decode(decoder_of(helper, units), **kwargs)
    session.run(tf.global_variables_initializer())
    return session.run([*results, tf.trainable_variables()])


@pytest.mark.parametrize("impute", [True, False])
@pytest.mark.parametrize("output_time_major", [True, False])
@pytest.mark.parametrize("time_major", [True, False])
def test_training_reads_its_inputs_as_long_as_sequences_last(impute, output_time_major, time_major):
    inputs = INPUTS.swapaxes(0, 1) if time_major else INPUTS
    with tf.Graph().as_default(), tf.Session() as session:
        helper = seq2seq.TrainingHelper(tf.constant(inputs), LENGTHS, time_major=time_major)
        output, state, lengths, (kernel, bias) = decoded(
            session, helper, impute_finished=impute, output_time_major=output_time_major
        )
    np.testing.assert_array_equal(lengths, LENGTHS)
    assert isinstance(output, seq2seq.BasicDecoderOutput)
    outputs, samples = (part.swapaxes(0, 1) if output_time_major else part for part in output)
    assert outputs.shape == (BATCH, max(LENGTHS), UNITS)
    for row, length in enumerate(LENGTHS):
        h = np.zeros(UNITS)
        for step in range(max(LENGTHS)):
            if step < length or not impute:
                h = reference.basic_cell(INPUTS[row, step], h, kernel, bias)
                # Past the longest sequence the inputs are zeros; there is no such step here.
                np.testing.assert_allclose(outputs[row, step], h, rtol=1e-10)
                assert samples[row, step] == h.argmax()
            else:
                assert not outputs[row, step].any()
                assert samples[row, step] == 0
        np.testing.assert_allclose(state[row], h, rtol=1e-10)


def test_static_shapes_are_known_and_a_layer_may_follow():
    with tf.Graph().as_default():
        helper = seq2seq.TrainingHelper(tf.constant(INPUTS), LENGTHS)
        layer = tf.layers.Dense(IDS, name="ids")
        output, state, lengths = seq2seq.dynamic_decode(decoder_of(helper, output_layer=layer))
        assert output.rnn_output.shape.as_list() == [BATCH, None, IDS]
        assert output.sample_id.shape.as_list() == [BATCH, None]
        assert state.shape.as_list() == [BATCH, UNITS]
        assert lengths.shape.as_list() == [BATCH]
        assert output.sample_id.dtype == lengths.dtype == tf.int32
        assert {v.op.name for v in tf.trainable_variables()} == {
            "decoder/basic_rnn_cell/kernel",
            "decoder/basic_rnn_cell/bias",
            "decoder/ids/kernel",
            "decoder/ids/bias",
        }


@pytest.mark.parametrize("most", [0, 1, 3, 9])
def test_no_more_steps_are_made_than_allowed(most):
    with tf.Graph().as_default(), tf.Session() as session:
        helper = seq2seq.TrainingHelper(tf.constant(INPUTS), LENGTHS)
        limit = tf.placeholder(tf.int32, [])
        output, _, lengths = seq2seq.dynamic_decode(decoder_of(helper), maximum_iterations=limit)
        session.run(tf.global_variables_initializer())
        output, lengths = session.run([output, lengths], {limit: most})
    assert output.rnn_output.shape == (BATCH, min(most, TIME), UNITS)
    np.testing.assert_array_equal(lengths, np.minimum(LENGTHS, most))


def greedily(kernel, bias, start, end, most):
    """NumPy's ids, of one sequence."""
    h, now, ids = np.zeros(IDS), start, []
    while len(ids) < most:
        h = reference.basic_cell(EMBEDDING[now], h, kernel, bias)
        now = h.argmax()
        ids.append(now)
        if now == end:
            break
    return ids


@pytest.mark.parametrize("embedding", [EMBEDDING, lambda ids: tf.gather(EMBEDDING, ids)])
@pytest.mark.parametrize("seed", range(3))
def test_greedy_decoding_feeds_the_largest_outputs_back(embedding, seed):
    starts = [0, 1, 4]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(seed)
        helper = seq2seq.GreedyEmbeddingHelper(embedding, starts, 3)
        output, _, lengths, (kernel, bias) = decoded(session, helper, IDS, maximum_iterations=7)
    for row, start in enumerate(starts):
        ids = greedily(kernel, bias, start, 3, 7)
        assert lengths[row] == len(ids)
        assert output.sample_id[row, : len(ids)].tolist() == ids


def test_samples_are_drawn_with_the_probabilities_of_the_softmax():
    logits = np.log([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    with tf.Graph().as_default(), tf.Session() as session:
        many = tf.constant(np.repeat(logits, 4000, axis=0))
        helper = seq2seq.SampleEmbeddingHelper(EMBEDDING, [0, 0, 0], 9, seed=3)
        ids = session.run(helper.sample(0, many, None)).reshape(2, -1)
        frequencies = np.stack([np.bincount(row, minlength=3) for row in ids]) / 4000
        np.testing.assert_allclose(frequencies, np.exp(logits), atol=0.03)
        cold = seq2seq.SampleEmbeddingHelper(EMBEDDING, [0, 0, 0], 9, softmax_temperature=1e-3, seed=3)
        assert set(session.run(cold.sample(0, many, None))[:4000]) == {2}


def test_sampling_never_is_training_and_always_feeds_back():
    def outputs(session, helper):
        with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
            cell = tf.nn.rnn_cell.BasicRNNCell(SIZE, dtype=tf.float64)
            decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float64))
            result, _, _ = seq2seq.dynamic_decode(decoder, impute_finished=True, scope="decoder")
        session.run(tf.global_variables_initializer() if type(helper) is seq2seq.TrainingHelper else [])
        return session.run([result, tf.trainable_variables()])

    with tf.Graph().as_default(), tf.Session() as session:
        inputs = tf.constant(INPUTS)
        training, _ = outputs(session, seq2seq.TrainingHelper(inputs, LENGTHS))
        embedded = EMBEDDING[:SIZE]
        never = seq2seq.ScheduledEmbeddingTrainingHelper(inputs, LENGTHS, embedded, 0.0)
        found, _ = outputs(session, never)
        np.testing.assert_array_equal(found.rnn_output, training.rnn_output)
        assert (found.sample_id[0] == -1).all()
        found, _ = outputs(session, seq2seq.ScheduledOutputTrainingHelper(inputs, LENGTHS, 0.0))
        np.testing.assert_array_equal(found.rnn_output, training.rnn_output)

        always = seq2seq.ScheduledEmbeddingTrainingHelper(inputs, LENGTHS, embedded, 1.0)
        found, (kernel, bias) = outputs(session, always)
        h, now = np.zeros(SIZE), INPUTS[0, 0]
        for step in range(TIME):
            h = reference.basic_cell(now, h, kernel, bias)
            np.testing.assert_allclose(found.rnn_output[0, step], h, rtol=1e-10)
            now = embedded[found.sample_id[0, step]]

        for function in (None, lambda outputs: 2 * outputs):
            always = seq2seq.ScheduledOutputTrainingHelper(inputs, LENGTHS, 1.0, next_inputs_fn=function)
            found, (kernel, bias) = outputs(session, always)
            assert (found.sample_id[0] == 1).all()
            h, now = np.zeros(SIZE), INPUTS[0, 0]
            for step in range(TIME):
                h = reference.basic_cell(now, h, kernel, bias)
                np.testing.assert_allclose(found.rnn_output[0, step], h, rtol=1e-10)
                now = h if function is None else 2 * h


def test_some_sequences_are_sampled_and_others_read_with_auxiliary_inputs_for_all():
    others = np.random.RandomState(8).normal(size=(BATCH, TIME, 1))
    with tf.Graph().as_default(), tf.Session() as session:
        helper = seq2seq.ScheduledOutputTrainingHelper(
            tf.constant(INPUTS), [TIME] * BATCH, 0.5, seed=2, auxiliary_inputs=tf.constant(others)
        )
        cell = tf.nn.rnn_cell.BasicRNNCell(SIZE, dtype=tf.float64)
        decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(BATCH, tf.float64))
        output, _, _ = seq2seq.dynamic_decode(decoder)
        session.run(tf.global_variables_initializer())
        (found, samples), (kernel, bias) = session.run([output, tf.trainable_variables()])
    assert len(np.unique(samples[:, :-1])) == 2
    for row in range(BATCH):
        h, now = np.zeros(SIZE), INPUTS[row, 0]
        for step in range(TIME):
            h = reference.basic_cell(np.append(now, others[row, step]), h, kernel, bias)
            np.testing.assert_allclose(found[row, step], h, rtol=1e-10)
            now = h if samples[row, step] or step + 1 == TIME else INPUTS[row, step + 1]


def test_helpers_may_be_made_of_functions():
    with tf.Graph().as_default(), tf.Session() as session:
        start = tf.constant(INPUTS[:, 0])
        inference = seq2seq.InferenceHelper(
            sample_fn=lambda outputs: 2 * outputs,
            sample_shape=[SIZE],
            sample_dtype=tf.float64,
            start_inputs=start,
            end_fn=lambda samples: tf.reduce_sum(samples, 1) > 1e9,
        )
        custom = seq2seq.CustomHelper(
            initialize_fn=lambda: (tf.zeros([BATCH], tf.bool), start),
            sample_fn=lambda time, outputs, state: 2 * outputs,
            next_inputs_fn=lambda time, outputs, state, sample_ids: (
                tf.fill([BATCH], time >= 2),
                sample_ids,
                state,
            ),
            sample_ids_shape=[SIZE],
            sample_ids_dtype=tf.float64,
        )
        with pytest.raises(ValueError, match="batch_size accessed before initialize was called"):
            custom.batch_size  # noqa: B018
        by_inference, _, _, (kernel, bias) = decoded(session, inference, SIZE, maximum_iterations=3)
        results = seq2seq.dynamic_decode(
            seq2seq.BasicDecoder(
                tf.nn.rnn_cell.BasicRNNCell(SIZE, dtype=tf.float64, reuse=True),
                custom,
                tf.zeros([BATCH, SIZE], tf.float64),
            ),
            scope=tf.VariableScope(True, "decoder"),
        )
        by_functions, _, lengths = session.run(results)
    np.testing.assert_array_equal(lengths, [3] * BATCH)
    for row in range(BATCH):
        h, now = np.zeros(SIZE), INPUTS[row, 0]
        for step in range(3):
            h = reference.basic_cell(now, h, kernel, bias)
            for found in (by_inference, by_functions):
                np.testing.assert_allclose(found.sample_id[row, step], 2 * h, rtol=1e-10)
            now = 2 * h


def test_gradients_pass_through_the_decoding():
    def loss_of(values, session, fetches, feeds):
        return session.run(fetches, dict(zip(feeds, values, strict=True)))

    with tf.Graph().as_default(), tf.Session() as session:
        x, memory = tf.placeholder(tf.float64, [BATCH, TIME, SIZE]), tf.placeholder(tf.float64, [BATCH, TIME, UNITS])
        mechanism = seq2seq.BahdanauAttention(UNITS, memory, [4, 2, 3], normalize=True, dtype=tf.float64)
        cell = tf.nn.rnn_cell.GRUCell(UNITS, dtype=tf.float64)
        cell = seq2seq.AttentionWrapper(cell, mechanism, attention_layer_size=UNITS)
        decoder = seq2seq.BasicDecoder(
            cell, seq2seq.TrainingHelper(x, LENGTHS), cell.zero_state(BATCH, tf.float64), tf.layers.Dense(IDS)
        )
        output, _, _ = seq2seq.dynamic_decode(decoder, impute_finished=True)
        weights = tf.sequence_mask(LENGTHS, TIME, tf.float64)
        loss = seq2seq.sequence_loss(output.rnn_output, tf.ones([BATCH, TIME], tf.int32), weights)
        tensors = [x, memory, *(v.value() for v in tf.trainable_variables())]
        gradients = tf.gradients(loss, [x, memory, *tf.trainable_variables()])
        session.run(tf.global_variables_initializer())
        values = [INPUTS, np.random.RandomState(3).normal(size=(BATCH, TIME, UNITS))]
        variables = session.run(tf.trainable_variables())
        found = loss_of(values, session, gradients, [x, memory])
        assert len(tensors) == len(found) == len(variables) + 2
        rng = np.random.RandomState(4)
        for position, gradient in enumerate(found):
            direction = rng.normal(size=gradient.shape)
            sides = []
            for sign in (1e-5, -1e-5):
                if position < 2:
                    moved = [v + sign * direction if i == position else v for i, v in enumerate(values)]
                    sides.append(loss_of(moved, session, loss, [x, memory]))
                else:
                    variable = tf.trainable_variables()[position - 2]
                    variable.load(variables[position - 2] + sign * direction, session)
                    sides.append(loss_of(values, session, loss, [x, memory]))
                    variable.load(variables[position - 2], session)
            np.testing.assert_allclose((gradient * direction).sum(), (sides[0] - sides[1]) / 2e-5, rtol=1e-6, atol=1e-9)


class Counting(seq2seq.Decoder):
    """A decoder of two outputs, whose sequences may start again, and that turns its outputs around."""

    @property
    def batch_size(self):
        return BATCH

    @property
    def output_size(self):
        return (tf.TensorShape([]), tf.TensorShape([2]))

    @property
    def output_dtype(self):
        return (tf.int32, tf.float32)

    @property
    def tracks_own_finished(self):
        return True

    def initialize(self, name=None):
        return tf.constant([False, True, True]), tf.zeros([BATCH]), {"count": tf.constant(0)}

    def step(self, time, inputs, state, name=None):
        outputs = (tf.fill([BATCH], time), tf.fill([BATCH, 2], 0.5))
        # The second sequence goes on while the first is over, and the other way round.
        finished = tf.stack([time >= 1, tf.not_equal(time, 0), True])
        return outputs, {"count": state["count"] + 1}, inputs, finished

    def finalize(self, outputs, final_state, sequence_lengths):
        return (outputs[0][::-1], outputs[1]), final_state


def test_a_decoder_may_be_written_and_finish_as_it_likes():
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, state, lengths = session.run(seq2seq.dynamic_decode(Counting(), output_time_major=True))
    np.testing.assert_array_equal(outputs[0], [[1] * BATCH, [0] * BATCH])
    assert outputs[1].shape == (2, BATCH, 2)
    assert state == {"count": 2}
    np.testing.assert_array_equal(lengths, [2, 2, 0])


def test_what_cannot_be_decoded_is_refused():
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="Expected decoder to be type Decoder"):
            seq2seq.dynamic_decode(tf.nn.rnn_cell.BasicRNNCell(3))
        helper = seq2seq.TrainingHelper(tf.constant(INPUTS), LENGTHS)
        with pytest.raises(ValueError, match="maximum_iterations must be a scalar"):
            seq2seq.dynamic_decode(decoder_of(helper), maximum_iterations=[3])
        with pytest.raises(TypeError, match="helper must be a Helper"):
            decoder_of(INPUTS)
        with pytest.raises(TypeError, match="output_layer must be a Layer"):
            decoder_of(helper, output_layer=tf.nn.relu)
        with pytest.raises(ValueError, match="Expected sequence_length to be a vector"):
            seq2seq.TrainingHelper(tf.constant(INPUTS), 3)
        with pytest.raises(ValueError, match="start_tokens must be a vector"):
            seq2seq.GreedyEmbeddingHelper(EMBEDDING, 0, 1)
        with pytest.raises(ValueError, match="end_token must be a scalar"):
            seq2seq.GreedyEmbeddingHelper(EMBEDDING, [0], [1])
        with pytest.raises(ValueError, match="sampling_probability must be either a scalar or a vector"):
            seq2seq.ScheduledOutputTrainingHelper(tf.constant(INPUTS), LENGTHS, [[0.5]])
        greedy = seq2seq.GreedyEmbeddingHelper(EMBEDDING, [0], 1)
        with pytest.raises(TypeError, match="Expected outputs to be a single Tensor"):
            greedy.sample(0, (INPUTS,), None)
        with pytest.raises(TypeError, match="abstract"):
            seq2seq.Helper()
