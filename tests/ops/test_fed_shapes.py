"""Steps whose feeds have the same shapes again and again: every op's rule gives the shape that its results have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops.cases.catalog import RECORDS
from ops.cases.record import Record, bits_of, dtype_name

import ferroflow as tf

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices"),
]
# One more than the steps before a plan for the shapes is made.
_STEPS = 4


def _open(array: Any, needs: str) -> Any:
    """Returns a placeholder of which no more is known than the op needs."""
    shape = {"nothing": None, "rank": [None] * array.ndim, "sizes": array.shape}[needs]
    return tf.placeholder(dtype_name(array), shape)


def _gradients(record: Record, inputs: list[Any], results: list[Any]) -> list[Any]:
    differentiable = [inputs[i] for i in record.differentiable if i < len(inputs) and inputs[i].dtype.is_floating]
    floats = [r for r in results if r.dtype.is_floating]
    if not differentiable or not floats:
        return []
    try:
        return [g for g in tf.gradients(floats, differentiable) if isinstance(g, tf.Tensor)]
    except NotImplementedError:  # gradients that need the number of rows when the graph is built
        return []


@pytest.mark.parametrize(
    "record", [pytest.param(r, id=f"{r.name}-{i}") for i, r in enumerate(RECORDS) if r.needs != "sizes"]
)
def test_a_plan_for_the_shapes_of_feeds_gives_the_same_bits_and_shapes(record: Record) -> None:
    for number, variant in enumerate(record.variants):
        rng = np.random.default_rng(number)
        arrays = [spec.draw(rng, record.dtypes[0]) for spec in variant.inputs]
        with tf.Graph().as_default() as graph:
            inputs = [_open(a, record.needs) for a in arrays]
            results = record.function(*inputs, **variant.arguments)
            results = list(results) if isinstance(results, (list, tuple)) else [results]
            results += _gradients(record, inputs, results)
            shapes = [tf.shape(r) for r in results]
            feeds = dict(zip(inputs, arrays, strict=True))
            with tf.Session(graph=graph) as session:
                wanted = session.run(results, feeds)
                for _ in range(_STEPS):
                    got, got_shapes = session.run([results, shapes], feeds)
        assert list(map(bits_of, got)) == list(map(bits_of, wanted))
        assert [tuple(s) for s in got_shapes] == [np.shape(w) for w in wanted]
