"""A fresh default graph for each test."""

import pytest

import ferroflow as tf


@pytest.fixture(autouse=True)
def graph():
    """The default graph of the test."""
    with tf.Graph().as_default() as fresh:
        yield fresh
