"""Conditional random fields against the sum over all tag sequences, one by one."""

import itertools

import numpy as np
import pytest
from autodiff.differences import check
from hypothesis import given, settings, strategies as st

import ferroflow as tf

crf = tf.contrib.crf
# An example builds graphs of loops.
few = settings(max_examples=25)


@st.composite
def fields(draw):
    """Scores, transitions, lengths and tags of a few short sequences."""
    batch, time, tags = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    rng = np.random.RandomState(draw(st.integers(0, 2**31)))
    lengths = draw(st.lists(st.integers(0, time), min_size=batch, max_size=batch))
    scores, transitions = rng.normal(0, 2, (batch, time, tags)), rng.normal(0, 2, (tags, tags))
    return scores, transitions, lengths, rng.randint(tags, size=(batch, time))


def score_of(tags, scores, transitions):
    steps = sum(scores[t, tag] for t, tag in enumerate(tags))
    return steps + sum(transitions[pair] for pair in itertools.pairwise(tags))


def all_scores(scores, transitions, length):
    """By tag sequence, its score."""
    sequences = itertools.product(range(scores.shape[1]), repeat=length)
    return {tags: score_of(tags, scores, transitions) for tags in sequences}


def logsumexp(values):
    values = np.array(list(values))
    return values.max() + np.log(np.exp(values - values.max()).sum())


def placed(session, function, scores, *others):
    """What a function gives where the shape of the scores is known and where it is not."""
    unknown = tf.placeholder(tf.float64, [None, None, scores.shape[2]])
    results = session.run([function(tf.constant(scores), *others), function(unknown, *others)], {unknown: scores})
    for known, other in zip(*results, strict=True):
        np.testing.assert_array_equal(known, other)
    return results[0]


@few
@given(fields(), st.sampled_from(["int32", "int64"]))
def test_likelihoods_are_shares_of_the_sum_over_all_sequences(field, dtype):
    scores, transitions, lengths, tags = field
    with tf.Graph().as_default(), tf.Session() as session:

        def likelihood_and_norm(inputs, tags, lengths):
            likelihood, given_back = crf.crf_log_likelihood(inputs, tags, lengths, transitions)
            assert given_back is transitions
            norm = crf.crf_log_norm(inputs, lengths, transitions)
            return likelihood, norm, crf.crf_sequence_score(inputs, tags, lengths, transitions)

        integers = [tf.constant(tags, dtype), tf.constant(lengths, dtype)]
        likelihood, norm, score = placed(session, likelihood_and_norm, scores, *integers)
    for row, length in enumerate(lengths):
        every = all_scores(scores[row], transitions, length)
        expected_norm = logsumexp(every.values()) if length else 0.0
        expected = every[tuple(tags[row, :length])]
        np.testing.assert_allclose(norm[row], expected_norm, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(score[row], expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(likelihood[row], expected - expected_norm, rtol=1e-9, atol=1e-9)


@few
@given(fields(), st.data())
def test_sets_of_tags_score_as_all_their_sequences_together(field, data):
    scores, transitions, lengths, tags = field
    # The tag that is drawn is allowed, and perhaps others.
    allowed = data.draw(st.integers(0, 2**31).map(lambda seed: np.random.RandomState(seed).rand(*scores.shape) < 0.5))
    np.put_along_axis(allowed, tags[..., None], True, axis=2)
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(crf.crf_multitag_sequence_score(scores, allowed, lengths, transitions))
    for row, length in enumerate(lengths):
        every = all_scores(scores[row], transitions, length)
        chosen = [score for ids, score in every.items() if all(allowed[row, t, tag] for t, tag in enumerate(ids))]
        np.testing.assert_allclose(found[row], logsumexp(chosen) if length else 0.0, rtol=1e-9, atol=1e-9)


@few
@given(fields())
def test_the_best_sequence_is_found_in_the_graph_and_in_numpy(field):
    scores, transitions, lengths, _ = field
    # TF 1.x: an empty sequence has the best score of its first step.
    lengths = [max(length, 1) for length in lengths]
    with tf.Graph().as_default(), tf.Session() as session:
        tags, best = placed(session, lambda inputs: crf.crf_decode(inputs, transitions, lengths), scores)
    assert tags.dtype == np.int32
    for row, length in enumerate(lengths):
        every = all_scores(scores[row], transitions, length)
        expected = max(every, key=every.__getitem__)
        assert tuple(tags[row, :length]) == expected
        if scores.shape[1] > 1:
            assert not tags[row, length:].any()
        np.testing.assert_allclose(best[row], every[expected], rtol=1e-9, atol=1e-9)
        in_numpy, score = crf.viterbi_decode(scores[row, :length], transitions)
        assert tuple(in_numpy) == expected
        np.testing.assert_allclose(score, every[expected], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("time", [1, 3])
def test_gradients_are_those_of_differences(time):
    rng = np.random.RandomState(1)
    tags, lengths = rng.randint(3, size=(2, time)), [time, 1]

    def likelihood(inputs, transitions):
        return crf.crf_log_likelihood(inputs, tags, lengths, transitions)[0] + 0 * tf.reduce_sum(transitions)

    check(likelihood, [rng.normal(size=(2, time, 3)), rng.normal(size=(3, 3))])


def test_transitions_are_a_variable_unless_they_are_given():
    with tf.Graph().as_default():
        _, transitions = crf.crf_log_likelihood(tf.zeros([2, 3, 4]), tf.zeros([2, 3], tf.int32), [3, 2])
        assert transitions.op.name == "transitions"
        assert transitions.shape.as_list() == [4, 4]
        assert transitions in tf.trainable_variables()


def test_the_forward_cell_sums_over_the_tags_before():
    rng = np.random.RandomState(0)
    inputs, state, transitions = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
    with tf.Graph().as_default(), tf.Session() as session:
        cell = crf.CrfForwardRnnCell(tf.constant(transitions))
        assert cell.state_size == cell.output_size == 3
        output, new_state = session.run(cell(tf.constant(inputs), tf.constant(state)))
    expected = inputs + np.log(np.exp(state[:, :, None] + transitions).sum(1))
    np.testing.assert_allclose(output, expected)
    np.testing.assert_array_equal(output, new_state)
