"""Ops that graphs of TensorFlow 1 hold and no function makes any more give what TensorFlow 1.15.5 gives."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.old_op_programs import CASES, outcome

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "old_ops.json").read_text(encoding="utf-8"))
# A level of a quantized type more or less, where TensorFlow sums in another order.
_ONE_LEVEL = ("uint8",)


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
        absolute = 1.0 if dtype in _ONE_LEVEL else tolerance
        np.testing.assert_allclose([float(v) for v in got_values], [float(v) for v in values], tolerance, absolute)


@pytest.mark.parametrize("peephole", [False, True])
def test_the_gradient_of_the_second_lstm_is_the_derivative(peephole: bool) -> None:
    rng, units = np.random.RandomState(5), 3
    state, vector = (2, units), (units,)
    shapes = {"x": (4, 2, 3), "cs_prev": state, "h_prev": state, "w": (3 + units, 4 * units)}
    shapes.update({"wci": vector, "wcf": vector, "wco": vector, "b": (4 * units,)})
    values = {k: rng.uniform(-1, 1, shape).astype(np.float32) for k, shape in shapes.items()}
    with tf.Graph().as_default(), tf.Session() as session:
        given = {k: tf.placeholder(tf.float32, v.shape) for k, v in values.items()}
        out = tf.raw_ops.BlockLSTMV2(seq_len_max=np.int64(3), cell_clip=0.0, use_peephole=peephole, **given)
        y = tf.reduce_sum(out.cs[:3] * out.cs[:3]) + tf.reduce_sum(out.h[:3])
        chosen = [k for k in values if peephole or k not in ("wci", "wcf", "wco")]
        found = session.run(tf.gradients(y, [given[k] for k in chosen]), {given[k]: v for k, v in values.items()})
        direction = {k: rng.uniform(-1, 1, values[k].shape).astype(np.float32) for k in chosen}
        step = 1e-2
        ahead, behind = (
            session.run(y, {given[k]: v + sign * step * direction.get(k, 0.0) for k, v in values.items()})
            for sign in (1.0, -1.0)
        )
    slope = sum(float((g * direction[k]).sum()) for k, g in zip(chosen, found, strict=True))
    np.testing.assert_allclose(slope, (float(ahead) - float(behind)) / (2 * step), rtol=2e-3)


def test_a_matrix_of_a_checkpoint_is_put_in_another_order(tmp_path: Path) -> None:
    matrix = np.arange(1.0, 7.0, dtype=np.float32).reshape(3, 2)
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(matrix, name="m")
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, path)

    def loaded(rows: list[int], columns: list[int], new: list[float], at_a_time: int) -> Any:
        with tf.Graph().as_default(), tf.Session() as session:
            out = tf.raw_ops.LoadAndRemapMatrix(
                ckpt_path=path,
                old_tensor_name="m",
                row_remapping=np.array(rows, np.int64),
                col_remapping=np.array(columns, np.int64),
                initializing_values=np.array(new, np.float32),
                num_rows=len(rows),
                num_cols=len(columns) or 2,
                max_rows_in_memory=at_a_time,
            )
            return session.run(out).tolist()

    for at_a_time in (-1, 1, 2):
        assert loaded([2, -1, 0], [], [7.0, 8.0], at_a_time) == [[5.0, 6.0], [7.0, 8.0], [1.0, 2.0]]
        assert loaded([1, -1], [1, -1, 0], [7.0, 8.0, 9.0, 10.0], at_a_time) == [[4.0, 7.0, 3.0], [8.0, 9.0, 10.0]]
    with pytest.raises(tf.errors.UnimplementedError, match="is mapped to both"):
        loaded([1, 1], [], [], -1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="more missing values remain"):
        loaded([-1], [], [7.0], -1)


def test_a_selected_reference_is_not_written() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(x, use_resource=False) for x in (1.0, 2.0)]
        session.run(tf.global_variables_initializer())
        chosen = tf.raw_ops.RefSelect(index=0, inputs=[v._ref() for v in variables])
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not a variable's reference"):
            session.run(tf.raw_ops.AssignAdd(ref=chosen, value=1.0))


def test_names_of_arrays_end_with_their_step() -> None:
    from golden.old_op_programs import _array_nodes, _imported

    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        handle, count = _imported(tf, _array_nodes("V2"), 25, "array", "count")
        kept = session.run(handle)
        assert kept.shape == (2,)
        with pytest.raises(tf.errors.NotFoundError):
            session.run(count, {handle: kept})
