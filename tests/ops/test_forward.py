"""Every op computes what NumPy does, for all its dtypes."""

from __future__ import annotations

import numpy as np
import pytest
from ops.cases.catalog import RECORDS
from ops.cases.record import Record, assert_equals

from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.ops import operators
from ferroflow._src.session.session import Session

assert operators

_CASES = [
    pytest.param(record, dtype, id=f"{record.name}-{i}-{dtype}")
    for i, record in enumerate(RECORDS)
    for dtype in record.dtypes
]


@pytest.mark.parametrize(("record", "dtype"), _CASES)
def test_equals_the_reference(record: Record, dtype: str) -> None:
    for number, variant in enumerate(record.variants):
        rng = np.random.default_rng(number)
        arrays = [spec.draw(rng, dtype) for spec in variant.inputs]
        with Graph().as_default() as graph:
            result = record.function(*(constant(a) for a in arrays), **variant.arguments)
            results = list(result) if isinstance(result, (list, tuple)) else [result]
            with Session(graph=graph) as session:
                actual = session.run(results)
        expected = record.expected(arrays, variant.arguments)
        assert len(actual) == len(expected)
        for got, want, want_dtype in zip(actual, expected, record.result_dtypes(dtype, len(expected)), strict=True):
            assert_equals(got, want, want_dtype, record.lossy, str(variant))
