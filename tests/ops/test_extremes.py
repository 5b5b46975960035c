"""No integer, however large, makes an op fail, for sums, differences and products wrap, as TensorFlow's do."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from ops.cases.catalog import RECORDS
from ops.cases.record import INTEGERS, SMALL_INTEGERS, Record, Values

from ferroflow._src.base import errors
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.ops import operators
from ferroflow._src.session.session import Session

assert operators

_CASES = [
    pytest.param(record, dtype, id=f"{record.name}-{i}-{dtype}")
    for i, record in enumerate(RECORDS)
    for dtype in record.dtypes
    if dtype in INTEGERS + SMALL_INTEGERS
]


@pytest.mark.parametrize(("record", "dtype"), _CASES)
def test_the_ends_of_the_range_are_numbers_like_others(record: Record, dtype: str) -> None:
    limits = np.iinfo(dtype)
    for variant in record.variants:
        for edge in (limits.max, limits.min):
            rng = np.random.default_rng(0)
            arrays = [spec.draw(rng, dtype) for spec in variant.inputs]
            for spec, array in zip(variant.inputs, arrays, strict=True):
                if isinstance(spec, Values) and spec.dtype is None:
                    array.fill(edge)
            with Graph().as_default() as graph:
                try:
                    result = record.function(*(constant(a) for a in arrays), **variant.arguments)
                except (ValueError, TypeError):
                    continue
                # What an op refuses has other errors.
                refused = (errors.InvalidArgumentError, errors.ResourceExhaustedError)
                with Session(graph=graph) as session, contextlib.suppress(*refused):
                    session.run(result)
