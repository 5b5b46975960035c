"""What every op does alike: in an imported graph, at any number of threads, of nothing, of one element, of NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops.cases.catalog import RECORDS
from ops.cases.record import Record, Values, assert_equals, bits_of, dtype_name

from ferroflow._src.base import proto
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.import_graph_def import import_graph_def
from ferroflow._src.ops import operators
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.session.session import Session

assert operators


def _cases(*shapes: str) -> list[Any]:
    chosen = [(i, record) for i, record in enumerate(RECORDS) if not shapes or record.shapes in shapes]
    return [pytest.param(record, id=f"{record.name}-{i}") for i, record in chosen]


def _listed(result: Any) -> list[Tensor]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _run(graph: Graph, fetches: list[Any], feeds: dict[Any, Any], threads: int) -> list[Any]:
    config = proto.ConfigProto(intra_op_parallelism_threads=threads)
    with Session(graph=graph, config=config) as session:
        return list(session.run(fetches, feeds))


def _assert_same(got: list[Any], want: list[Any]) -> None:
    assert list(map(bits_of, got)) == list(map(bits_of, want))


@pytest.mark.parametrize("record", _cases())
def test_an_imported_graph_and_any_number_of_threads_give_the_same_bits(record: Record) -> None:
    for number, variant in enumerate(record.variants):
        rng = np.random.default_rng(number)
        arrays = [spec.draw(rng, record.dtypes[0]) for spec in variant.inputs]
        with Graph().as_default() as graph:
            inputs = [placeholder(dtype_name(a), a.shape, name=f"input_{i}") for i, a in enumerate(arrays)]
            results = _listed(record.function(*inputs, **variant.arguments))
        want = _run(graph, results, dict(zip(inputs, arrays, strict=True)), 1)
        with Graph().as_default() as copy:
            names = [t.name for t in (*inputs, *results)]
            tensors = import_graph_def(graph.as_graph_def(), return_elements=names, name="")
        feeds = dict(zip(tensors[: len(inputs)], arrays, strict=True))
        assert [t.dtype for t in tensors[len(inputs) :]] == [r.dtype for r in results]
        for threads in (2, 4):
            _assert_same(_run(copy, tensors[len(inputs) :], feeds, threads), want)


def _assert_equals_reference(record: Record, arrays: list[Any], arguments: dict[str, Any], dtype: str) -> None:
    with Graph().as_default() as graph:
        results = _listed(record.function(*(constant(a) for a in arrays), **arguments))
        with Session(graph=graph) as session, np.errstate(all="ignore"):
            actual = session.run(results)
    expected = record.expected(arrays, arguments)
    for got, want, want_dtype in zip(actual, expected, record.result_dtypes(dtype, len(expected)), strict=True):
        assert_equals(got, want, want_dtype, record.lossy)


@pytest.mark.parametrize("record", _cases("any", "broadcast"))
def test_nothing_and_one_element_are_computed_as_many_are(record: Record) -> None:
    variant = record.variants[0]
    for shape in ((0,), (3, 0, 2), (1,), (1, 1)):
        rng = np.random.default_rng(len(shape))
        arrays = [
            (Values(shape, v.low, v.high, v.dtype) if isinstance(v, Values) else v).draw(rng, record.dtypes[0])
            for v in variant.inputs
        ]
        _assert_equals_reference(record, arrays, variant.arguments, record.dtypes[0])


# Functions for which NumPy's special values are others than TensorFlow's, and why.
_OTHER_SPECIAL_VALUES = {
    "cast": "C leaves open what integer a float outside its range becomes; tests of the engine have what it is here",
    "digamma": "TensorFlow has infinity at its poles",
    "div_no_nan": "tests/ops/test_zero_divisors.py has its values",
    "floor_div": "TensorFlow rounds the quotient, which for infinite arguments is infinite, not NaN",
    "lgamma": "TensorFlow has infinity at minus infinity",
    "multiply_no_nan": "tests/ops/test_zero_divisors.py has its values",
    "xdivy": "tests/ops/test_zero_divisors.py has its values",
    "xlogy": "tests/ops/test_zero_divisors.py has its values",
}


@pytest.mark.parametrize("record", _cases("any", "broadcast"))
def test_infinity_and_nan_go_in_and_come_out(record: Record) -> None:
    dtype = next((d for d in ("float64", "float32") if d in record.dtypes), None)
    if dtype is None or record.name in _OTHER_SPECIAL_VALUES:
        return
    variant = record.variants[0]
    special = np.array([np.nan, np.inf, -np.inf, 1.0, -1.0, 0.0, 2.5], dtype)
    count = sum(isinstance(v, Values) and v.dtype is None for v in variant.inputs)
    grid = [part.reshape(-1) for part in np.meshgrid(*[special] * count, indexing="ij")]
    arrays = []
    for spec in variant.inputs:
        if not isinstance(spec, Values) or spec.dtype is not None:
            return
        arrays.append(grid[len(arrays)])
    _assert_equals_reference(record, arrays, variant.arguments, dtype)
