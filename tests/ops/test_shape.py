"""What the graph knows of a shape is what the step then gives, however much of the inputs' shapes is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops.cases.catalog import RECORDS
from ops.cases.record import Record, dtype_name

from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops import operators
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.session.session import Session

assert operators


def _needing(*known: str) -> list[Any]:
    return [pytest.param(record, id=f"{record.name}-{i}") for i, record in enumerate(RECORDS) if record.needs in known]


def _known(record: Record, number: int, shape_of: Any) -> tuple[list[Tensor], list[np.ndarray[Any, Any]]]:
    """The results for placeholders of the shapes that `shape_of` gives, and what a step makes of them."""
    variant = record.variants[number]
    rng = np.random.default_rng(number)
    arrays = [spec.draw(rng, record.dtypes[0]) for spec in variant.inputs]
    with Graph().as_default() as graph:
        inputs = [placeholder(dtype_name(a), shape_of(a.shape)) for a in arrays]
        result = record.function(*inputs, **variant.arguments)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        with Session(graph=graph) as session:
            return results, session.run(results, dict(zip(inputs, arrays, strict=True)))


@pytest.mark.parametrize("record", _needing("nothing", "rank", "sizes"))
def test_known_inputs_give_a_known_shape_that_comes_true(record: Record) -> None:
    for number in range(len(record.variants)):
        for tensor, array in zip(*_known(record, number, lambda shape: shape), strict=True):
            if not record.value_decides_shape:
                assert tensor.shape.is_fully_defined(), record.variants[number]
            assert tensor.shape.is_compatible_with(np.shape(array)), record.variants[number]


@pytest.mark.parametrize("record", _needing("nothing", "rank"))
def test_a_shape_told_from_unknown_sizes_comes_true(record: Record) -> None:
    for number in range(len(record.variants)):
        for tensor, array in zip(*_known(record, number, lambda shape: [None] * len(shape)), strict=True):
            assert tensor.shape.ndims in (None, np.ndim(array)), record.variants[number]
            assert tensor.shape.is_compatible_with(np.shape(array)), record.variants[number]


@pytest.mark.parametrize("record", _needing("nothing"))
def test_a_shape_told_from_unknown_ranks_comes_true(record: Record) -> None:
    for number, variant in enumerate(record.variants):
        for tensor, array in zip(*_known(record, number, lambda shape: None), strict=True):
            assert tensor.shape.is_compatible_with(np.shape(array)), variant
