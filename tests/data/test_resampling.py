"""Laws of resampling: classes come in the wanted proportions, and every element with its class."""

from __future__ import annotations

import numpy as np
import pytest
from data.reading import elements

import ferroflow as tf

D = tf.data.Dataset


def _resampled(initial, target, passes=None, most=1500):
    def build():
        tf.set_random_seed(4)
        labels = np.random.RandomState(0).choice(3, size=4000, p=[0.6, 0.3, 0.1])
        dataset = D.from_tensor_slices((labels, labels * 10)).repeat(passes)
        return dataset.apply(
            tf.contrib.data.rejection_resample(lambda label, _: label, target, initial_dist=initial, seed=9)
        )

    return elements(build, most=most)


@pytest.mark.parametrize("initial", [None, np.array([0.6, 0.3, 0.1], np.float32)], ids=["estimated", "known"])
@pytest.mark.parametrize("target", [[0.2, 0.3, 0.5], [0.0, 0.5, 0.5]])
def test_classes_come_in_the_wanted_proportions(initial, target):
    found = _resampled(initial, np.array(target, np.float32))
    assert all(label == inner and value == 10 * label for label, (inner, value) in found)
    labels = np.array([label for label, _ in found[len(found) // 4 :]])
    proportions = np.bincount(labels, minlength=3) / len(labels)
    np.testing.assert_allclose(proportions, target, atol=0.08)


def test_wanted_as_it_is_nothing_is_left_out():
    same = np.array([0.6, 0.3, 0.1], np.float32)
    assert len(_resampled(same, same, passes=1, most=9999)) == 4000


def test_the_seed_decides_what_is_left_out():
    given = np.array([0.6, 0.3, 0.1], np.float32), np.array([0.2, 0.3, 0.5], np.float32)
    assert _resampled(*given) == _resampled(*given)
