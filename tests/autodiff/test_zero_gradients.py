"""Nothing flows back through sqrt, rsqrt and reciprocal where the incoming gradient is zero, as in TensorFlow 1.15."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ferroflow as tf

_OPS = {"SqrtGrad": lambda y, dy: dy * 0.5 / y, "RsqrtGrad": lambda y, dy: -0.5 * dy * y * y * y}
_OPS["ReciprocalGrad"] = lambda y, dy: -dy * y * y
_PLACES = st.sampled_from([0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1.5, -2.0])


@pytest.mark.parametrize("name", _OPS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
@given(pairs=st.lists(st.tuples(_PLACES, st.sampled_from([0.0, -0.0, 3.0])), min_size=1, max_size=40))
def test_a_zero_gradient_stays_zero(name: str, dtype: str, pairs: list[tuple[float, float]]) -> None:
    y, dy = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run(getattr(tf.raw_ops, name)(y=y, dy=dy))
    assert (got[dy == 0] == 0).all()
    is_plain = (dy != 0) & np.isfinite(y) & (y != 0)
    with np.errstate(all="ignore"):
        wide = np.complex128 if dtype == "complex64" else np.float64
        want = _OPS[name](y.astype(wide), dy.astype(wide))
    np.testing.assert_allclose(got[is_plain], want[is_plain].astype(dtype), rtol=1e-2)


def test_a_masked_root_of_zero_has_a_gradient() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([0.0, 4.0])
        masked = tf.where(x > 1, tf.sqrt(x), tf.zeros_like(x))
        assert session.run(tf.gradients(masked, x)[0]).tolist() == [0.0, 0.25]
        deviation = tf.math.reduce_std(tf.constant([3.0]))
        assert session.run(tf.gradients(tf.square(deviation), deviation.op.inputs[0])[0]) == 0
