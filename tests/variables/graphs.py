"""A fresh default graph for each test."""

import pytest
from variables.public_names import tf


@pytest.fixture(autouse=True)
def graph():
    """The default graph of the test."""
    with tf.Graph().as_default() as fresh:
        yield fresh
