"""Texts become numbers, and sequences arrays."""

import numpy as np
import pytest

import ferroflow as tf

keras = tf.keras
pad = keras.preprocessing.sequence.pad_sequences
Tokenizer = keras.preprocessing.text.Tokenizer
TEXTS = ["The cat, the dog.", "A dog!"]


@pytest.mark.parametrize(
    ("kwargs", "expected"),
    [
        ({}, [[0, 0, 1], [2, 3, 4], [0, 0, 0]]),
        ({"padding": "post"}, [[1, 0, 0], [2, 3, 4], [0, 0, 0]]),
        ({"maxlen": 2, "value": 9}, [[9, 1], [3, 4], [9, 9]]),
        ({"maxlen": 2, "truncating": "post"}, [[0, 1], [2, 3], [0, 0]]),
    ],
)
def test_sequences_are_filled_and_cut(kwargs, expected):
    result = pad([[1], [2, 3, 4], []], **kwargs)
    assert result.dtype == np.int32
    assert result.tolist() == expected


def test_sequences_of_rows_keep_them():
    assert pad([[[1, 2]], [[3, 4], [5, 6]]]).tolist() == [[[0, 0], [1, 2]], [[3, 4], [5, 6]]]
    with pytest.raises(ValueError, match="different from expected shape"):
        pad([[[1, 2]], [[3]]])
    with pytest.raises(ValueError, match="non-iterable: 1"):
        pad([1])
    with pytest.raises(ValueError, match="not understood"):
        pad([[1]], padding="left")


def test_words_are_numbered_by_how_often_they_occur():
    tokenizer = Tokenizer()
    tokenizer.fit_on_texts(TEXTS)
    assert tokenizer.word_index == {"the": 1, "dog": 2, "cat": 3, "a": 4}
    assert tokenizer.texts_to_sequences(["a bird, THE dog"]) == [[4, 1, 2]]
    assert (tokenizer.word_counts["the"], tokenizer.word_docs["the"], tokenizer.word_docs["dog"]) == (2, 1, 2)
    few = Tokenizer(num_words=3, oov_token="?")
    few.fit_on_texts(TEXTS)
    assert few.texts_to_sequences(["a bird the dog"]) == [[1, 1, 2, 1]]
    letters = Tokenizer(char_level=True)
    letters.fit_on_texts(["aba"])
    assert letters.texts_to_sequences(["ab"]) == [[1, 2]]


def test_texts_become_rows():
    tokenizer = Tokenizer()
    tokenizer.fit_on_texts(TEXTS)
    rows = {mode: tokenizer.texts_to_matrix(["the the cat"], mode)[0] for mode in ("binary", "count", "freq", "tfidf")}
    assert rows["binary"].tolist() == [0, 1, 0, 1, 0]
    assert rows["count"].tolist() == [0, 2, 0, 1, 0]
    np.testing.assert_allclose(rows["freq"], [0, 2 / 3, 0, 1 / 3, 0])
    np.testing.assert_allclose(rows["tfidf"][[1, 3]], [(1 + np.log(2)) * np.log(2), np.log(2)])
    with pytest.raises(ValueError, match="Unknown vectorization mode"):
        tokenizer.texts_to_matrix(["a"], "other")
    with pytest.raises(ValueError, match="fit on some text data first"):
        Tokenizer().texts_to_matrix(["a"])


def test_classes_become_rows():
    assert keras.utils.to_categorical([1, 0, 2]).tolist() == np.eye(3)[[1, 0, 2]].tolist()
    assert keras.utils.to_categorical([[1], [0]], 4).shape == (2, 4)


def test_digits_are_read_from_their_file(tmp_path):
    arrays = {"x_train": np.zeros((2, 28, 28), np.uint8), "y_train": np.array([1, 2], np.uint8)}
    np.savez(tmp_path / "mnist.npz", x_test=arrays["x_train"][:1], y_test=arrays["y_train"][:1], **arrays)
    (x, y), (x_test, y_test) = keras.datasets.mnist.load_data(str(tmp_path / "mnist.npz"))
    assert (x.shape, y.tolist(), x_test.shape, y_test.tolist()) == ((2, 28, 28), [1, 2], (1, 28, 28), [1])


def test_rows_are_scaled_to_norm_1():
    x = np.array([[3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(keras.utils.normalize(x), [[0.6, 0.8], [0.0, 0.0]])
    np.testing.assert_allclose(keras.utils.normalize(x, axis=0, order=1), [[1.0, 1.0], [0.0, 0.0]])


def test_rows_of_classes_have_the_given_dtype():
    rows = keras.utils.to_categorical([0, 2], dtype="int32")
    assert rows.dtype == np.int32
    assert rows.tolist() == [[1, 0, 0], [0, 0, 1]]
