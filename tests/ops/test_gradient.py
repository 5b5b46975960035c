"""Gradients equal central differences in double precision, for shapes that hypothesis chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from ops.cases.catalog import RECORDS
from ops.cases.record import Record, Values, Variant

from ferroflow._src.autodiff.gradients import gradients
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.graph import Graph
from ferroflow._src.ops import operators
from ferroflow._src.ops.array.making import placeholder, stop_gradient
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.softmax import softmax_cross_entropy_with_logits
from ferroflow._src.session.session import Session

assert operators

# The step of the differences: their error is its square times the third derivative, and the rounding of double by it.
_STEP = 1e-5
_TOLERANCE = 1e-6

_CASES = [
    pytest.param(record, id=f"{record.name}-{i}")
    for i, record in enumerate(RECORDS)
    if record.differentiable and "float64" in record.dtypes
]


def _with_shapes(variant: Variant, shapes: Any) -> Variant:
    inputs = tuple(Values(shape, v.low, v.high, v.dtype) for v, shape in zip(variant.inputs, shapes, strict=True))
    return Variant(inputs, variant.arguments)


def _variants(record: Record) -> st.SearchStrategy[Variant]:
    chosen = st.sampled_from(record.variants)
    count = len(record.variants[0].inputs)
    if record.shapes == "any":
        shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=4)
        return st.builds(lambda variant, shape: _with_shapes(variant, [shape] * count), chosen, shapes)
    if record.shapes == "broadcast":
        drawn = hnp.mutually_broadcastable_shapes(num_shapes=count, max_dims=3, max_side=4)
        return st.builds(lambda variant, shapes: _with_shapes(variant, shapes.input_shapes), chosen, drawn)
    return chosen


def _check(record: Record, variant: Variant, seed: int) -> None:
    """Compares, for each input, the derivative along a random direction of a random combination of the results."""
    rng = np.random.default_rng(seed)
    arrays = [spec.draw(rng, "float64") for spec in variant.inputs]
    positions = [i for i in record.differentiable if i < len(arrays)]
    with Graph().as_default() as graph:
        inputs = [placeholder(a.dtype.name, a.shape) for a in arrays]
        result = record.function(*inputs, **variant.arguments)
        results = [r for r in (result if isinstance(result, (list, tuple)) else [result]) if r.dtype.is_floating]
        feeds = dict(zip(inputs, arrays, strict=True))
        with Session(graph=graph) as session:
            weights = [rng.uniform(-1, 1, np.shape(value)) for value in session.run(results, feeds)]
            total = sum(reduce_sum(r * constant(w)) for r, w in zip(results, weights, strict=True))
            found = gradients(total, [inputs[i] for i in positions])
            assert all(g is not None for g in found), variant
            found = session.run([convert_to_tensor(g) for g in found], feeds)
            for position, gradient in zip(positions, found, strict=True):
                x = arrays[position]
                assert gradient.shape == x.shape
                assert gradient.dtype == x.dtype
                direction = rng.uniform(-1, 1, x.shape)
                ahead = session.run(total, {**feeds, inputs[position]: x + _STEP * direction})
                behind = session.run(total, {**feeds, inputs[position]: x - _STEP * direction})
                expected = (ahead - behind) / (2 * _STEP)
                scale = 1 + np.sum(np.abs(gradient * direction))
                assert abs(np.sum(gradient * direction) - expected) <= _TOLERANCE * scale, (variant, position)


@pytest.mark.parametrize("record", _CASES)
def test_gradient_equals_central_differences(record: Record) -> None:
    @settings(max_examples=8)
    @given(_variants(record), st.integers(0, 2**32 - 1))
    def law(variant: Variant, seed: int) -> None:
        _check(record, variant, seed)

    law()


def _of_stopped(x: Any) -> Any:
    return stop_gradient(x) * 2


def _of_labels(x: Any) -> Any:
    return softmax_cross_entropy_with_logits(labels=x, logits=[[1.0, 2.0]])


@pytest.mark.parametrize("build", [_of_stopped, _of_labels])
def test_no_gradient_passes_where_it_is_stopped(build: Callable[[Any], Any]) -> None:
    with Graph().as_default():
        x = placeholder("float32", [1, 2])
        assert gradients(build(x), x) == [None]
