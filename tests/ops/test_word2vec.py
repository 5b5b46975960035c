"""The ops of word2vec read pairs of neighbours from a text, and train vectors on them."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf

WORDS = [f"w{i * i % 17}" for i in range(300)]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("\n ".join(WORDS), encoding="utf-8")
    return str(path)


def skipgram(filename, **changed):
    given = {"filename": filename, "batch_size": 8, "window_size": 2, "min_count": 20, "subsample": 0.0, **changed}
    return tf.raw_ops.Skipgram(**given, name="pairs")


def first(session, step):
    return session.run(step._asdict() if hasattr(step, "_asdict") else step)


def test_the_vocabulary_has_frequent_words_first(text):
    with tf.Graph().as_default(), tf.Session() as session:
        found = first(session, skipgram(text))
    counts = {word: WORDS.count(word) for word in dict.fromkeys(WORDS)}
    frequent = [word for word in sorted(counts, key=lambda word: -counts[word]) if counts[word] >= 20]
    assert found["vocab_word"].tolist() == [b"UNK", *(word.encode() for word in frequent)]
    rare = len(WORDS) - sum(counts[word] for word in frequent)
    assert found["vocab_freq"].tolist() == [rare, *(counts[word] for word in frequent)]
    assert found["words_per_epoch"] == len(WORDS)


def pairs(filename, steps=40, **changed):
    with tf.Graph().as_default(), tf.Session() as session:
        step = skipgram(filename, **changed)
        runs = [first(session, step) for _ in range(steps)]
    return runs, [pair for run in runs for pair in zip(run["examples"].tolist(), run["labels"].tolist(), strict=True)]


def test_labels_are_neighbours_in_the_order_of_the_text(text):
    runs, found = pairs(text, min_count=1)
    vocabulary = [word.decode() for word in runs[0]["vocab_word"]]
    place, last = 0, None
    for word, label in found:
        if vocabulary[word] != last and last is not None:
            place += 1
        last = vocabulary[word]
        place = next(i for i in range(place, len(WORDS)) if WORDS[i] == last)
        assert vocabulary[label] in WORDS[max(place - 2, 0) : place] + WORDS[place + 1 : place + 3]


def test_each_session_draws_the_same_pairs(text):
    assert pairs(text, subsample=1e-2)[1] == pairs(text, subsample=1e-2)[1]


def test_epochs_and_words_are_counted(text):
    runs, _ = pairs(text, steps=30, batch_size=500)
    epochs, processed = ([int(run[key]) for run in runs] for key in ("current_epoch", "total_words_processed"))
    assert epochs == sorted(epochs)
    assert epochs[0] >= 0
    assert epochs[-1] > epochs[0]
    assert processed == sorted(processed)
    assert processed[-1] > processed[0]


def test_frequent_words_are_left_out(tmp_path):
    path = tmp_path / "text"
    path.write_text(" ".join("often" if i % 3 else f"rare{i % 40}" for i in range(3000)), encoding="utf-8")

    def share_of_the_frequent_word(subsample):
        _, found = pairs(str(path), steps=20, batch_size=200, min_count=1, subsample=subsample)
        return np.mean([word == 1 for word, _ in found])

    assert share_of_the_frequent_word(0.0) > 0.6
    assert share_of_the_frequent_word(1e-2) < 0.4


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"window_size": 31}, "contains too little data: 300 words"),
        ({"window_size": 0}, "window_size must be in"),
        ({"window_size": 1 << 40}, "window_size must be in"),
        ({"batch_size": -1}, "batch_size must not be negative"),
    ],
)
def test_bad_attributes_are_refused(text, changed, message):
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(skipgram(text, **changed)[0])


def test_a_batch_that_no_memory_has_is_refused(text):
    refused = (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(refused):
        session.run(skipgram(text, batch_size=1 << 60)[0])


def test_a_missing_text_is_an_error(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(tf.errors.NotFoundError, match="none"):
        session.run(skipgram(str(tmp_path / "none"))[0])


def train(session, w_in, w_out, examples, labels, rate=0.1, counts=(1, 1, 1), negative=2):
    variables = [tf.Variable(np.array(w, np.float32)) for w in (w_in, w_out)]
    session.run([variable.initializer for variable in variables])
    step = tf.raw_ops.NegTrain(
        w_in=variables[0],
        w_out=variables[1],
        examples=examples,
        labels=labels,
        lr=rate,
        vocab_count=list(counts),
        num_negative_samples=negative,
        name="negative",
    )
    session.run(step)
    return [session.run(variable) for variable in variables]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1000))
def test_a_pair_without_negative_words_moves_along_its_gradient(word, label, seed):
    random = np.random.default_rng(seed)
    w_in, w_out = random.normal(size=(2, 3, 4)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        found_in, found_out = train(session, w_in, w_out, [word], [label], negative=0)
    step = 0.1 / (1 + np.exp(w_in[word] @ w_out[label]))
    expected_in, expected_out = w_in.copy(), w_out.copy()
    expected_in[word] += step * w_out[label]
    expected_out[label] += step * w_in[word]
    np.testing.assert_allclose(found_in, expected_in, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found_out, expected_out, rtol=1e-5, atol=1e-6)


def test_a_negative_word_moves_away():
    # Only word 2 can be drawn: the others have no count.
    w_in, w_out = np.ones((3, 2), np.float32), np.ones((3, 2), np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        found_in, found_out = train(session, w_in, w_out, [0], [1], counts=(0, 0, 5), negative=1)
    near, far = 0.1 / (1 + np.exp(2.0)), -0.1 / (1 + np.exp(-2.0))
    np.testing.assert_allclose(found_in, [[1 + near + far] * 2, [1, 1], [1, 1]], rtol=1e-5)
    np.testing.assert_allclose(found_out, [[1, 1], [1 + near] * 2, [1 + far] * 2], rtol=1e-5)


def test_each_session_draws_the_same_words():
    tables = np.random.default_rng(0).normal(size=(2, 3, 5))
    found = []
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session() as session:
            found.append(train(session, *tables, [0, 1, 2, 0], [1, 2, 0, 2]))
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"examples": [3]}, r"examples must be in \[0, 3\), got 3"),
        ({"labels": [-1]}, r"labels must be in \[0, 3\), got -1"),
        ({"labels": [1, 1]}, "examples.shape == labels.shape"),
        ({"examples": 1, "labels": 1}, "Must be a vector"),
        ({"rate": [0.1]}, "Must be a scalar"),
        ({"w_out": np.zeros((3, 3))}, "w_in.shape == w_out.shape"),
        ({"w_in": np.zeros(3), "w_out": np.zeros(3)}, "Must be a matrix"),
        ({"counts": (1, 1)}, "vocab_size mismatches: 3 vs. 2"),
        ({"counts": ()}, "vocab_count must not be empty"),
        ({"counts": (1, -1, 1)}, "vocab_count must not be negative, got -1"),
        ({"negative": -1}, "num_negative_samples must not be negative"),
    ],
)
def test_bad_inputs_are_refused(changed, message):
    given = {"w_in": np.ones((3, 2)), "w_out": np.ones((3, 2)), "examples": [0], "labels": [1], **changed}
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
            train(session, **given)
        assert "negative" in str(caught.value)
