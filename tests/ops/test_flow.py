"""Grouping waits for all, a tuple's members wait for each other, and an assertion fails the step with what it saw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ferroflow as tf


def test_a_group_runs_all_its_members() -> None:
    with tf.Graph().as_default():
        a, b = tf.Variable(0), tf.Variable(0)
        both = tf.group(tf.assign(a, 1), tf.assign(b, 2), name="both")
        assert both.type == "NoOp"
        assert both.name == "both"
        assert {op.name for op in both.control_inputs} == {"Assign", "Assign_1"}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(both) is None
            assert session.run([a, b]) == [1, 2]


def test_a_group_over_devices_waits_on_each_first() -> None:
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            x = tf.constant(1)
        with tf.device("/cpu:1"):
            y = tf.constant(2)
        joined = tf.group(x, y)
        devices = {op.device for op in joined.control_inputs}
        assert devices == {x.device, y.device}


def test_what_is_not_in_a_graph_is_no_member_of_a_group() -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"Expected tf.group"):
        tf.group(3)


def test_each_member_of_a_tuple_waits_for_all() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(0)
        x, nothing, _ = tf.tuple([tf.constant(5), None, tf.assign_add(v, 1)])
        assert nothing is None
        with tf.Session() as session:
            session.run(v.initializer)
            assert session.run(x) == 5
            assert session.run(v) == 1


def test_a_tuple_of_nothing_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Must have at least one Tensor"):
        tf.tuple([None])


def _run(check: Any, feeds: dict[Any, Any]) -> None:
    with tf.Session() as session:
        session.run(check, feeds)


_CHECKS = [
    ("assert_equal", [1, 2], [1, 2], [1, 3]),
    ("assert_none_equal", [1, 2], [2, 3], [1, 3]),
    ("assert_less", [1, 2], [2, 3], [2, 2]),
    ("assert_less_equal", [1, 2], [2, 2], [2, 1]),
    ("assert_greater", [1, 2], [0, 1], [1, 1]),
    ("assert_greater_equal", [1, 2], [1, 1], [1, 3]),
]


@pytest.mark.parametrize(("name", "x", "good", "bad"), _CHECKS)
def test_an_assertion_about_two_tensors_fails_the_step_with_both(name: str, x: Any, good: Any, bad: Any) -> None:
    with tf.Graph().as_default():
        y = tf.placeholder(tf.int32, [2], name="y")
        check = getattr(tf, name)(x, y, message="why")
        _run(check, {y: good})
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"assertion failed: \[why\] .*\[y \(y:0\) = \] \[\d \d\]"
        ):
            _run(check, {y: bad})


@pytest.mark.parametrize(("name", "x", "good", "bad"), _CHECKS)
def test_an_assertion_that_the_graph_decides_fails_at_once(name: str, x: Any, good: Any, bad: Any) -> None:
    with tf.Graph().as_default():
        _run(getattr(tf, name)(x, good), {})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Condition x .* y did not hold"):
            getattr(tf, name)(x, bad)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("assert_positive", [1.0, 2.0], [1.0, 0.0]),
        ("assert_negative", [-1.0, -2.0], [-1.0, 0.0]),
        ("assert_non_negative", [0.0, 2.0], [1.0, -1.0]),
        ("assert_non_positive", [0.0, -2.0], [1.0, -1.0]),
    ],
)
def test_an_assertion_about_a_sign_fails_the_step(name: str, good: Any, bad: Any) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        check = getattr(tf, name)(x)
        _run(check, {x: good})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Condition x .* 0 did not hold element-wise"):
            _run(check, {x: bad})


def test_an_assertion_about_nearness_has_tolerances() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        check = tf.assert_near(x, 1.0, rtol=0.0, atol=0.1)
        _run(check, {x: 1.09})
        with pytest.raises(tf.errors.InvalidArgumentError, match="x and y not equal to tolerance"):
            _run(check, {x: 1.2})


def test_an_assertion_about_a_rank_is_decided_as_early_as_can_be() -> None:
    with tf.Graph().as_default():
        known, unknown = tf.placeholder(tf.float32, [None, 2], name="known"), tf.placeholder(tf.float32)
        assert tf.assert_rank(known, 2).type == "NoOp"
        assert tf.assert_rank_at_least(known, 1).type == "NoOp"
        assert tf.assert_rank_in(known, [1, 2]).type == "NoOp"
        with pytest.raises(ValueError, match=r"Tensor known:0 must have rank 3.  Received rank 2, shape \(\?, 2\)"):
            tf.assert_rank(known, 3)
        with pytest.raises(ValueError, match=r"must have rank at least 3.  Received rank 2"):
            tf.assert_rank_at_least(known, 3)
        with pytest.raises(ValueError, match=r"must have rank in \(0, 1\).  Received rank 2"):
            tf.assert_rank_in(known, [0, 1])
        with pytest.raises(ValueError, match="Rank must be a scalar"):
            tf.assert_rank(known, [2])
        for check in (
            tf.assert_rank(unknown, 1),
            tf.assert_rank_at_least(unknown, 1),
            tf.assert_rank_in(unknown, [1, 2]),
        ):
            _run(check, {unknown: [1.0]})
            with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
                _run(check, {unknown: 1.0})


def test_assertions_about_types_are_decided_at_once() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, name="x")
        assert tf.assert_type(x, tf.float32).type == "NoOp"
        with pytest.raises(TypeError, match="x:0 must be of type"):
            tf.assert_type(x, tf.int32)
        with pytest.raises(TypeError, match=r'Expected "x" to be integer type.  Found: x:0'):
            tf.assert_integer(x)
        with pytest.raises(ValueError, match=r"Expected scalar shape for x:0, saw shape: <unknown>"):
            tf.assert_scalar(x)
        assert tf.is_numeric_tensor(x)
        assert not tf.is_numeric_tensor(tf.constant("a"))
        assert not tf.is_numeric_tensor(1.0)


@pytest.mark.parametrize(
    ("values", "rises", "climbs"),
    [([], True, True), ([3], True, True), ([1, 1, 2], True, False), ([1, 3, 2], False, False)],
)
def test_order_of_elements(values: list[int], rises: bool, climbs: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(values, tf.int32)
        assert session.run(tf.is_non_decreasing(x)) == rises
        assert session.run(tf.is_strictly_increasing(x)) == climbs


def test_a_tensor_with_what_is_no_number_fails_the_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        checked = tf.verify_tensor_all_finite(x, "bad loss")
        np.testing.assert_array_equal(session.run(checked, {x: [1, 2]}), [1, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad loss : Tensor had Inf and NaN values"):
            session.run(checked, {x: [np.nan, np.inf]})
        session.run(tf.add_check_numerics_ops(), {x: [1, 2]})


def test_a_random_crop_too_large_fails_the_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None])
        crop = tf.random_crop(x, [2, 2], seed=1)
        value = np.arange(12.0).reshape(3, 4)
        taken = session.run(crop, {x: value})
        assert taken.shape == (2, 2)
        assert np.all(taken[1] - taken[0] == 4)
        assert np.all(taken[:, 1] - taken[:, 0] == 1)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Need value.shape >= size"):
            session.run(crop, {x: value[:1]})


def test_print_passes_its_input_and_shows_tensors_as_often_as_asked(capfd: pytest.CaptureFixture[str]) -> None:
    x = tf.constant([1.5, 2.0, 3.0, 4.0])
    y = tf.Print(x, [x, tf.shape(x)], "x = ", first_n=2, summarize=2)
    gradient = tf.gradients(y, x)[0]
    with tf.Session() as session:
        for _ in range(3):
            np.testing.assert_array_equal(session.run(y), [1.5, 2.0, 3.0, 4.0])
        np.testing.assert_array_equal(session.run(gradient), np.ones(4))
    assert capfd.readouterr().err == "x = [1.5 2...][4]\n" * 2


def test_values_and_tensors_are_written_as_one_text(tmp_path: Path) -> None:
    stream = f"file://{tmp_path / 'text'}"
    x = tf.constant([1, 2, 3, 4, 5, 6, 7, 8])
    sparse = tf.SparseTensor([[0]], [1], [2])
    first = tf.print("x:", x, {"k": [x, 2], "b": "s"}, sparse, output_stream=stream, summarize=1)
    with tf.control_dependencies([first]):
        second = tf.print(tf.constant("a\n"), output_stream=stream, end="|")
    with tf.Session() as session:
        session.run(second)
    # As TensorFlow 2.21 writes it.
    wanted = "x: [1 ... 8] {'b': 's', 'k': [[1 ... 8], 2]} 'SparseTensor(indices=[[0]], values=[1], shape=[2])'\na\n|"
    assert (tmp_path / "text").read_text(encoding="utf-8") == wanted


def test_what_cannot_be_written_to_is_refused() -> None:
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print("a", output_stream="nowhere")
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        tf.print("a", colour="red")


def test_a_lock_is_held_by_one_part_of_a_step_at_a_time():
    with tf.Graph().as_default(), tf.Session() as session:
        mutex = tf.raw_ops.MutexV2(shared_name="one")
        count = tf.Variable(0)
        parts = []
        for _ in range(3):
            lock = tf.raw_ops.MutexLock(mutex=mutex)
            with tf.control_dependencies([lock]):
                added = tf.assign_add(count, 1)
            with tf.control_dependencies([added]):
                parts.append(tf.raw_ops.ConsumeMutexLock(mutex_lock=lock))
        session.run(tf.global_variables_initializer())
        for _ in range(4):
            session.run(parts)
        assert session.run(count) == 12


def test_a_time_stamp_moves_on():
    with tf.Graph().as_default(), tf.Session() as session:
        stamp = tf.raw_ops.Timestamp()
        first, second = session.run(stamp), session.run(stamp)
    assert 1.5e9 < first <= second


@pytest.mark.parametrize(
    ("make", "builds"),
    [
        (lambda x: tf.reduce_sum(x), True),
        (lambda x: tf.identity(x), True),
        (lambda x: x * 1, True),
        (lambda x: x[0], True),
        (lambda x: tf.stack([tf.reduce_sum(x), 2]), True),
        (lambda x: x, False),
        (lambda x: tf.cast(x, tf.float32), False),
        (lambda x: tf.stack([x, x]), False),
        (lambda x: tf.concat([x, x], 0), False),
        (lambda x: tf.fill([3], -1), False),
        (lambda x: -tf.shape(x)[0], True),
        (lambda x: tf.rank(x) - 1, True),
    ],
)
def test_a_check_fails_in_the_step_unless_tensorflow_evaluates_its_arguments(make, builds):
    with tf.Graph().as_default(), tf.Session() as sess:
        value = make(tf.constant([-1, -2]))
        if builds:
            check = tf.assert_positive(value)
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(check)
            # A check that evaluates its argument would prevent this feed.
            sess.run(check, {value: np.ones(value.shape)})
        else:
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.assert_positive(value)


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("check", [tf.assert_less, tf.assert_equal, tf.assert_none_equal, tf.assert_greater_equal])
def test_a_message_comes_before_the_data(check, is_known):
    x, y = (1, 1) if check is tf.assert_none_equal else (2, 2) if check is tf.assert_less else (1, 2)
    x = tf.constant(x) if is_known else tf.placeholder_with_default(x, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)first.*second.*3"), tf.Session() as session:
        session.run(check(x, y, data=["second", 3], message="first"))
