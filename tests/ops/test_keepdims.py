"""Reductions take `keepdims` as a bool, and refuse anything else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ferroflow as tf


@pytest.mark.parametrize("keepdims", [1, 0, "x", [None], 0.0])
def test_keepdims_is_a_bool(keepdims: Any) -> None:
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    for reduce, value in (
        *((tf.reduce_sum, [1.0]), (tf.reduce_any, [True]), (tf.math.reduce_euclidean_norm, [1.0])),
        *((tf.count_nonzero, [1.0]), (tf.sparse_reduce_sum, sparse)),
    ):
        with pytest.raises(TypeError, match="Expected bool for argument 'keep_dims' not"):
            reduce(value, keepdims=keepdims)
        reduce(value, keepdims=np.True_)
