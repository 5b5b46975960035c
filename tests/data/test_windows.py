"""Windows are datasets within a dataset: nested as elements are, and read whenever somebody does."""

from __future__ import annotations

import numpy as np
import pytest
from data.reading import elements

import ferroflow as tf

D = tf.data.Dataset


def test_nested_elements_have_nested_windows():
    def pairs():
        return D.from_tensor_slices({"x": np.arange(5), "y": (np.arange(5.0), ["a", "b", "c", "d", "e"])})

    def joined(window):
        numbers, (reals, words) = window["x"], window["y"]
        return D.zip({"x": numbers.batch(2), "y": D.zip((reals.map(lambda r: r * 2).batch(2), words.batch(2)))})

    assert elements(lambda: pairs().window(2, drop_remainder=True).flat_map(joined)) == [
        {"x": [0, 1], "y": ([0.0, 2.0], [b"a", b"b"])},
        {"x": [2, 3], "y": ([4.0, 6.0], [b"c", b"d"])},
    ]
    with tf.Graph().as_default():
        windows = pairs().window(2)
        assert windows.output_types == {"x": tf.variant, "y": (tf.variant, tf.variant)}
        assert repr(windows).startswith("<WindowDataset shapes: {x: (), y: ((), ())}")


def test_a_window_is_read_as_often_as_one_asks():
    def twice(window):
        return window.concatenate(window.map(lambda x: -x))

    assert elements(lambda: D.range(5).window(3).flat_map(twice)) == [0, 1, 2, 0, -1, -2, 3, 4, -3, -4]


def test_functions_take_windows_to_tensors_and_hand_them_on():
    def total(window):
        return window.reduce(np.int64(0), lambda s, x: s + x)

    assert elements(lambda: D.range(6).window(4, 1).map(total)) == [6, 10, 14, 12, 9, 5]
    assert elements(lambda: D.range(6).window(2).filter(lambda w: total(w) > 1).flat_map(lambda w: w)) == [2, 3, 4, 5]
    assert elements(
        lambda: (
            D.range(4).window(2).map(lambda w: (w.repeat(2), np.int64(7))).flat_map(lambda w, n: w.map(lambda x: x + n))
        )
    ) == [7, 8, 7, 8, 9, 10, 9, 10]
    # Windows of windows.
    nested = lambda: D.range(8).window(2).window(2).flat_map(lambda ww: ww.flat_map(lambda w: w.batch(2)))  # noqa: E731
    assert elements(nested) == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_sparse_elements_have_windows():
    def sparse():
        return D.range(4).map(lambda i: tf.SparseTensor([[i]], [i * 10], [4]))

    dense = lambda w: w.map(tf.sparse_tensor_to_dense).batch(2)  # noqa: E731
    assert elements(lambda: sparse().window(2).flat_map(dense)) == [
        [[0, 0, 0, 0], [0, 10, 0, 0]],
        [[0, 0, 20, 0], [0, 0, 0, 30]],
    ]


def test_an_iterator_hands_out_windows():
    with tf.Graph().as_default(), tf.Session() as session:
        window = D.range(4).window(2).make_one_shot_iterator().get_next()
        assert isinstance(window, tf.data.Dataset)
        inner = window.make_initializable_iterator()
        element = inner.get_next()
        for expected in ([0, 1], [2, 3]):
            session.run(inner.initializer)
            assert [session.run(element), session.run(element)] == expected
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(element)


@pytest.mark.parametrize(("arguments", "name"), [((0,), "size"), ((2, 0), "shift"), ((2, 1, -1), "stride")])
def test_sizes_that_are_not_positive_are_refused(arguments, name):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Window {name} must be greater than zero"):
        elements(lambda: D.range(3).window(*arguments).flat_map(lambda w: w))


def test_windows_have_no_batches():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="nested datasets"):
        D.range(3).window(2).batch(2)


def test_a_huge_window_takes_no_more_memory_than_its_elements():
    assert elements(lambda: D.range(3).window(2**62, 2**62, 2**62).flat_map(lambda w: w)) == [0]
