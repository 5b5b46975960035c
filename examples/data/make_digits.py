"""Writes digits.npz from the copy of the UCI handwritten digits that scikit-learn ships (needs scikit-learn).

    pip install scikit-learn && python examples/data/make_digits.py

Made with scikit-learn 1.9.1 and NumPy 2.4.6.
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

digits = load_digits()
images = digits.images.astype(np.uint8)
labels = digits.target.astype(np.uint8)
if not (np.array_equal(images, digits.images) and np.array_equal(labels, digits.target)):
    raise ValueError("The data are no longer whole numbers below 256.")
np.savez_compressed(Path(__file__).with_name("digits.npz"), images=images, labels=labels)
