"""Handwritten digits, dealt into training and test data."""

import os

import numpy as np

SIDE = 8
TEST_IMAGES = 360
FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "digits.npz")


def load_digits(seed):
    """Reads the images and shuffles them.

    Args:
        seed: int, which shuffle.

    Returns:
        Two pairs (training, test) of images, float32 [count, 64] from 0 to 1, and labels, int64 [count].
    """
    with np.load(FILE) as data:
        images = data["images"].reshape(-1, SIDE * SIDE).astype(np.float32) / 16
        labels = data["labels"].astype(np.int64)
    order = np.random.RandomState(seed).permutation(len(labels))
    test, train = order[:TEST_IMAGES], order[TEST_IMAGES:]
    return (images[train], labels[train]), (images[test], labels[test])


def batches(count, size, epochs, seed):
    """Yields the numbers of the examples of each batch, int64 [size], over `epochs` shuffles of `count` examples."""
    shuffle = np.random.RandomState(seed)
    for _ in range(epochs):
        order = shuffle.permutation(count)
        for first in range(0, count - size + 1, size):
            yield order[first : first + size]
