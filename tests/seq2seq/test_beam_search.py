"""Beam search against lists of sequences in Python, and, where the beams hold all sequences, against all of them."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from seq2seq import reference

import ferroflow as tf

seq2seq = tf.contrib.seq2seq
IDS, SIZE, UNITS, END = 4, 2, 3, 0


class Model:
    """A cell over embedded ids, and a layer that gives logits: in the graph, and in NumPy."""

    def __init__(self, seed):
        rng = np.random.RandomState(seed)
        self.embedding = rng.normal(size=(IDS, SIZE))
        self.values = [rng.normal(size=shape) for shape in [(SIZE + UNITS, UNITS), (UNITS,), (UNITS, IDS), (IDS,)]]

    def decoder(self, starts, width, state=None, **kwargs):
        cell = tf.nn.rnn_cell.BasicRNNCell(UNITS, dtype=tf.float64)
        if state is None:
            state = cell.zero_state(len(starts) * width, tf.float64)
        return seq2seq.BeamSearchDecoder(
            cell, self.embedding, starts, END, state, width, output_layer=tf.layers.Dense(IDS), **kwargs
        )

    def run(self, session, fetches, feeds=None):
        session.run([v.assign(value) for v, value in zip(tf.global_variables(), self.values, strict=True)])
        return session.run(fetches, feeds)

    def step(self, now, h):
        kernel, bias, weights, biases = self.values
        h = reference.basic_cell(self.embedding[now], h, kernel, bias)
        logits = h @ weights + biases
        return np.log(reference.softmax(logits)), h


def penalty(length, weight):
    return ((5 + length) / 6) ** weight


def searched(model, start, width, steps, weight):
    """The beams of one entry, the best first: sequences without what follows their end, and scores."""
    beams = [([], 0.0, np.zeros(UNITS), False)]
    for _ in range(steps):
        found = []
        for ids, log_prob, h, finished in beams:
            if finished:
                # Once it is over, its end counts.
                found.append((log_prob / penalty(len(ids), weight), ids, log_prob, h, True))
                continue
            log_probs, new_h = model.step(ids[-1] if ids else start, h)
            for now in range(IDS):
                total = log_prob + log_probs[now]
                length = len(ids) + (now != END)
                found.append((total / penalty(length, weight), [*ids, now], total, new_h, now == END))
        found.sort(key=lambda candidate: -candidate[0])
        beams = [candidate[1:] for candidate in found[:width]]
        scores = [candidate[0] for candidate in found[:width]]
    return [ids for ids, *_ in beams], scores


def without_end(ids):
    ids = list(ids)
    return ids[: ids.index(END) + 1] if END in ids else ids


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.sampled_from([0.0, 0.6, 1.5]), st.booleans())
def test_the_beams_are_the_best_sequences_of_each_step(seed, width, steps, weight, known):
    model, starts = Model(seed), [1, 3]
    with tf.Graph().as_default(), tf.Session() as session:
        given_starts = tf.placeholder_with_default(np.int32(starts), [2 if known else None])
        cell_state = tf.zeros([tf.size(given_starts) * width, UNITS], tf.float64)
        decoder = model.decoder(given_starts, width, state=cell_state, length_penalty_weight=weight)
        output, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
        assert output.predicted_ids.shape.as_list() == [2 if known else None, None, width]
        output, state = model.run(session, [output, state])
    assert isinstance(output, seq2seq.FinalBeamSearchDecoderOutput)
    assert isinstance(state, seq2seq.BeamSearchDecoderState)
    for row, start in enumerate(starts):
        # The search goes on until both entries are done.
        expected, scores = searched(model, start, width, output.predicted_ids.shape[1], weight)
        found = [without_end(output.predicted_ids[row, :, beam]) for beam in range(len(expected))]
        last = output.beam_search_decoder_output.scores[row, -1]
        assert found == expected
        np.testing.assert_allclose(last[: len(scores)], scores, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_beams_that_hold_all_sequences_find_the_likeliest(seed):
    model, steps = Model(seed), 3
    with tf.Graph().as_default(), tf.Session() as session:
        output, state, _ = seq2seq.dynamic_decode(model.decoder([2], IDS**steps), maximum_iterations=steps)
        output, state = model.run(session, [output, state])
    likelihoods = {}
    for ids in itertools.product(range(IDS), repeat=steps):
        now, h, total = 2, np.zeros(UNITS), 0.0
        for following in without_end(ids):
            log_probs, h = model.step(now, h)
            total, now = total + log_probs[following], following
        likelihoods[tuple(without_end(ids))] = total
    best = sorted(likelihoods, key=likelihoods.__getitem__, reverse=True)
    found = [tuple(without_end(output.predicted_ids[0, :, beam])) for beam in range(len(best))]
    assert found == best
    np.testing.assert_allclose(state.log_probs[0, : len(best)], [likelihoods[ids] for ids in best], rtol=1e-9)


def test_one_beam_is_greedy():
    model = Model(5)
    with tf.Graph().as_default(), tf.Session() as session:
        beams, _, _ = seq2seq.dynamic_decode(model.decoder([1, 3], 1), maximum_iterations=6)
        cell = tf.nn.rnn_cell.BasicRNNCell(UNITS, dtype=tf.float64)
        helper = seq2seq.GreedyEmbeddingHelper(model.embedding, [1, 3], END)
        greedy = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float64), tf.layers.Dense(IDS))
        greedy, _, _ = seq2seq.dynamic_decode(greedy, maximum_iterations=6)
        model.values *= 2
        beams, greedy = model.run(session, [beams.predicted_ids, greedy.sample_id])
    for row in range(2):
        assert without_end(beams[row, :, 0]) == without_end(greedy[row])


class Attending:
    """A decoder whose cell attends to a memory, with the same variables each time."""

    width, batch, time = 3, 2, 4

    def __init__(self):
        rng = np.random.RandomState(4)
        memory = rng.normal(size=(self.batch, self.time, SIZE)).astype(np.float32)
        self._embedding = rng.normal(size=(IDS, SIZE)).astype(np.float32)
        lengths = seq2seq.tile_batch(tf.constant([4, 2]), self.width)
        mechanism = seq2seq.BahdanauAttention(UNITS, seq2seq.tile_batch(memory, self.width), lengths)
        self._cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.BasicLSTMCell(UNITS), mechanism, alignment_history=True)
        self._layer = tf.layers.Dense(IDS, name="ids", kernel_initializer=tf.random_normal_initializer(stddev=3.0))

    def searched(self, **kwargs):
        """Parents, of shape [time, batch, beams], the outputs of steps, and the last state."""
        state = self._cell.zero_state(self.batch * self.width, tf.float32)
        decoder = seq2seq.BeamSearchDecoder(
            self._cell, self._embedding, [1, 2], END, state, self.width, output_layer=self._layer, **kwargs
        )
        with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
            output, final, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=5, scope="decoder")
        steps = output.beam_search_decoder_output
        return tf.transpose(steps.parent_ids, [1, 0, 2]), steps, final


def test_alignments_are_put_into_the_order_of_the_sequences():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        model = Attending()
        parents, _, final = model.searched()
        _, _, plain = model.searched(reorder_tensor_arrays=False)
        assert isinstance(plain.cell_state.alignment_history, tf.TensorArray)
        written = plain.cell_state.alignment_history.stack()
        session.run(tf.global_variables_initializer())
        fetches = [parents, final.lengths, final.cell_state.alignment_history, written]
        parents, lengths, ordered, written = session.run(fetches)
    steps = len(parents)
    assert (parents != np.arange(model.width)).any()
    ordered, written = (x.reshape(steps, model.batch, model.width, model.time) for x in (ordered, written))
    for row, beam in itertools.product(range(model.batch), range(model.width)):
        at = beam
        for step in reversed(range(lengths[row].max())):
            own = step >= lengths[row, beam]
            np.testing.assert_array_equal(ordered[step, row, beam], written[step, row, beam if own else at])
            at = parents[step, row, at]


def test_finished_sequences_are_scored_by_what_they_covered():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        model = Attending()
        weight = tf.placeholder_with_default(0.3, [])
        parents, steps, final = model.searched(coverage_penalty_weight=weight, reorder_tensor_arrays=False)
        written = final.cell_state.alignment_history.stack()
        final = final._replace(cell_state=())
        _, plain, without = model.searched()
        assert without.accumulated_attention_probs == ()
        session.run(tf.global_variables_initializer())
        # A weight of 0 that only the step tells is no penalty.
        zero, plain = session.run([steps, plain], {weight: 0.0})
        np.testing.assert_array_equal(zero.predicted_ids, plain.predicted_ids)
        parents, steps, final, written = session.run([parents, steps, final, written])
    count = len(parents)
    written = written.reshape(count, model.batch, model.width, model.time)
    for row, beam in itertools.product(range(model.batch), range(model.width)):
        at, chain = beam, []
        for step in reversed(range(count)):
            at = parents[step, row, at]
            chain.insert(0, written[step, row, at])
        covered = np.sum(chain[: final.lengths[row, beam]], axis=0)
        np.testing.assert_allclose(final.accumulated_attention_probs[row, beam], covered, rtol=1e-5, atol=1e-6)
        if final.lengths[row, beam] < count:
            seen = covered[covered != 0]
            expected = final.log_probs[row, beam] + 0.3 * np.log(np.minimum(seen, 1)).sum()
            np.testing.assert_allclose(steps.scores[row, -1, beam], expected, rtol=1e-4)
        else:
            np.testing.assert_allclose(steps.scores[row, -1, beam], final.log_probs[row, beam], rtol=1e-4)
    assert (final.lengths < count).any()


def test_coverage_needs_a_cell_that_attends():
    with tf.Graph().as_default():
        decoder = Model(0).decoder([1], 2, coverage_penalty_weight=0.5)
        with pytest.raises(ValueError, match=r"coverage_penalty_weight must be 0\.0"):
            seq2seq.dynamic_decode(decoder)
        with pytest.raises(ValueError, match="coverage_penalty_weight should be a scalar"):
            seq2seq.dynamic_decode(Model(0).decoder([1], 2, coverage_penalty_weight=[0.5]))


def test_batches_are_tiled_entry_by_entry():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int32, [None, 2])
        state = tf.nn.rnn_cell.LSTMStateTuple(tf.constant([1, 2]), x)
        tiled = seq2seq.tile_batch(state, 3)
        assert isinstance(tiled, tf.nn.rnn_cell.LSTMStateTuple)
        assert tiled.c.shape.as_list() == [6]
        assert tiled.h.shape.as_list() == [None, 2]
        c, h = session.run(tiled, {x: [[1, 2], [3, 4]]})
        with pytest.raises(ValueError, match="t must have statically known rank"):
            seq2seq.tile_batch(tf.constant(1), 2)
        with pytest.raises(ValueError, match="t must have statically known rank"):
            seq2seq.tile_batch(tf.placeholder(tf.int32), 2)
    np.testing.assert_array_equal(c, [1, 1, 1, 2, 2, 2])
    np.testing.assert_array_equal(h, np.repeat([[1, 2], [3, 4]], 3, axis=0))


@settings(max_examples=50)
@given(st.data(), st.integers(1, 4), st.integers(1, 2), st.integers(1, 3))
def test_trees_are_followed_back_from_their_last_steps(data, time, batch, beams):
    rng = np.random.RandomState(data.draw(st.integers(0, 10**6)))
    ids, parents = (rng.randint(end, size=(time, batch, beams), dtype=np.int32) for end in (3, beams))
    lengths = rng.randint(-1, time + 2, size=batch, dtype=np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(seq2seq.gather_tree(ids, parents, lengths, END))
    for row, length in enumerate(np.clip(lengths, 0, time)):
        for beam in range(beams):
            sequence, at = [], beam
            for step in reversed(range(length)):
                sequence.insert(0, ids[step, row, at])
                at = parents[step, row, at]
            sequence = without_end(sequence)
            assert found[:, row, beam].tolist() == sequence + [END] * (time - len(sequence))


def test_parents_that_are_no_beams_and_shapes_that_do_not_fit_are_refused():
    ids = np.zeros((2, 1, 2), np.int32)
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"invalid parent id 2 at \(batch, time, beam\)"):
            session.run(seq2seq.gather_tree(ids, ids + 2, [2], END))
        for others in [(ids[:, 0], [2]), (ids[:1], [2]), (ids, [2, 2]), (ids, 2)]:
            with pytest.raises(ValueError, match=r"hape|imension"):
                seq2seq.gather_tree(ids, *others, END)


def test_states_that_were_not_tiled_are_refused():
    with tf.Graph().as_default():
        model = Model(0)
        with pytest.raises(ValueError, match="Perhaps you forgot to create a zero_state with"):
            model.decoder([1, 2], 3, state=tf.zeros([2 * 3, UNITS + 1], tf.float64))
        with pytest.raises(ValueError, match="start_tokens must be a vector"):
            model.decoder(1, 3, state=tf.zeros([3, UNITS], tf.float64))
        with pytest.raises(TypeError, match="output_layer must be a Layer"):
            seq2seq.BeamSearchDecoder(
                tf.nn.rnn_cell.BasicRNNCell(UNITS), model.embedding, [1], END, tf.zeros([2, UNITS]), 2, tf.nn.relu
            )
