"""Ops that graphs of TF 1.13 to 1.15 hold give what TensorFlow 1.15.5 gives."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.remaining_op_programs import CASES, outcome

import ferroflow as tf
from ferroflow import _core
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.function import Function

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "remaining_ops.json").read_text(encoding="utf-8"))
_ONCE_EXPERIMENTAL = sorted(
    name for name in _core.op_names() if name.startswith("Experimental") and name.endswith("Dataset")
)


def test_golden_data_has_every_case() -> None:
    assert sorted(GOLDEN) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_values_and_errors_are_tensorflows(name: str) -> None:
    got, want = outcome(tf, CASES[name]), GOLDEN[name]
    if isinstance(want, str):
        assert got == want
        return
    assert len(got) == len(want)
    for (got_shape, got_values, got_dtype), (shape, values, dtype) in zip(got, want, strict=True):
        assert (list(got_shape), got_dtype) == (shape, dtype)
        tolerance = {"float32": 5e-6, "float64": 1e-12}.get(dtype, 0.0)
        np.testing.assert_allclose([float(v) for v in got_values], [float(v) for v in values], tolerance, tolerance)


def test_a_function_is_mapped_over_rows() -> None:
    graph = tf.get_default_graph()
    x, factor = tf.constant(np.arange(6.0).reshape(3, 2)), tf.constant(2.0, tf.float64)
    types, shapes = [tf.float64, tf.float64], [[2], []]
    function = Function.traced("row", lambda a, b: [a * b, tf.reduce_sum(a)], types, shapes, graph)

    def mapped(rows: Any) -> Any:
        attrs = {"f": function.name, "output_types": types, "output_shapes": [tf.TensorShape(s) for s in ([2], [])]}
        return apply_op("MapDefun", [[rows], [factor]], attrs).outputs

    products, sums = mapped(x)
    empty, no_sums = mapped(tf.zeros([0, 2], tf.float64))
    assert (products.shape.as_list(), sums.shape.as_list()) == ([3, 2], [3])
    with tf.Session() as session:
        got, of_rows, none, of_none = session.run([products, sums, empty, no_sums])
    np.testing.assert_array_equal(got, np.arange(6.0).reshape(3, 2) * 2)
    assert (of_rows.tolist(), none.shape, of_none.shape) == ([1.0, 5.0, 9.0], (0, 2), (0,))


def test_random_states_differ_between_runs() -> None:
    generators = [tf.random.experimental.Generator.from_non_deterministic_state() for _ in range(2)]
    children = generators[0].split(2)
    with tf.Session() as session:
        session.run([g.state.initializer for g in generators])
        session.run([c.state.initializer for c in children])
        keys = session.run([g.key for g in (*generators, *children)])
    assert len(set(keys)) == 4
    with pytest.raises(ValueError, match="Unsupported algorithm id: 7"):
        tf.random.experimental.create_rng_state(1, 7)
    with pytest.raises(ValueError, match="Must specify maxval for integer dtype"):
        generators[0].uniform([2], dtype=tf.int32)


@pytest.mark.parametrize("name", ["LatencyStatsDataset", "ExperimentalLatencyStatsDataset", "NonSerializableDataset"])
def test_datasets_that_measure_give_their_input(name: str) -> None:
    attrs = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape([])]}
    numbers = tensor_op("RangeDataset", [np.int64(0), np.int64(4), np.int64(1)], attrs)
    inputs = [numbers, "tag"] if name.endswith("StatsDataset") else [numbers]
    first = tf.raw_ops.DatasetToSingleElement(
        dataset=tensor_op("TakeDataset", [tensor_op(name, inputs, attrs), np.int64(1)], attrs), **attrs
    )
    with tf.Session() as session:
        assert session.run(first) == [0]


@pytest.mark.parametrize("name", _ONCE_EXPERIMENTAL)
def test_datasets_that_were_experimental_are_those_of_1_15(name: str) -> None:
    once, now = _core.op_info(name), _core.op_info(name.removeprefix("Experimental"))
    assert {**once, "name": None} == {**now, "name": None}


def test_diagonals_beside_the_main_one_are_those_of_the_ops() -> None:
    x = tf.constant(np.arange(12.0).reshape(4, 3))
    pairs = [
        (tf.linalg.diag(x[:2], k=(-1, 0), num_rows=4, num_cols=3, padding_value=9.0), "MatrixDiagV2"),
        (tf.linalg.diag_part(x, k=(-2, 1), padding_value=-1.0), "MatrixDiagPartV2"),
        (tf.linalg.set_diag(x, x[3], k=-1), "MatrixSetDiagV2"),
        (tf.linalg.diag(x), "MatrixDiag"),
    ]
    assert [t.op.type for t, _ in pairs] == [op_type for _, op_type in pairs]
    with tf.Session() as session:
        bands, parts, below, _ = session.run([t for t, _ in pairs])
    assert bands.tolist() == [[0.0, 9.0, 9.0], [3.0, 1.0, 9.0], [9.0, 4.0, 2.0], [9.0, 9.0, 5.0]]
    assert parts.shape == (4, 3)
    assert np.diag(below, -1).tolist() == [9.0, 10.0, 11.0]
