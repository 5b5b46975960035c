"""`symbolic_gradient` of functions that `Defun` made."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ferroflow as tf
from ferroflow.python.framework import function
from ferroflow.python.ops import functional_ops

_FIRST = """
import ferroflow as tf
from ferroflow.python.framework import function
from ferroflow.python.ops import functional_ops

@function.Defun(tf.float32)
def squared(x):
    return x * x

x = tf.constant([1.0, 3.0])
print(tf.Session().run(functional_ops.symbolic_gradient([x, x], [tf.float32], squared))[0].tolist())
"""


def test_it_needs_no_gradient_before() -> None:
    made = subprocess.run([sys.executable, "-c", _FIRST], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[2.0, 18.0]"


def test_whole_numbers_are_refused() -> None:
    with tf.Graph().as_default():

        @function.Defun(tf.int32)
        def squared(x):  # type: ignore[no-untyped-def]  # as a program writes it
            return x * x

        x = tf.constant([1, 3])
        squared(x)
        with pytest.raises(NotImplementedError, match="Cast its arguments and results to a float type"):
            functional_ops.symbolic_gradient([x, x], [tf.int32], squared)
