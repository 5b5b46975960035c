"""Laws of Python functions as operations: values, errors, lifetimes, threads."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import ferroflow as tf


def _run(function: Any, inputs: Any, types: Any, **options: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.py_func(function, [tf.constant(x) for x in inputs], types, **options))


@pytest.mark.parametrize(
    "dtype",
    ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "complex64", "bool"],
)
def test_arrays_and_scalars_go_both_ways(dtype: str) -> None:
    for value in (np.ones((2, 3)).astype(dtype), np.ones(()).astype(dtype), np.ones((0, 2)).astype(dtype)):
        got = _run(lambda x: x, [value], value.dtype)
        np.testing.assert_array_equal(got, value)
        assert got.dtype == value.dtype


def test_strings_are_bytes_and_text_becomes_bytes() -> None:
    seen = []

    def function(scalar: Any, vector: Any) -> Any:
        seen.append((scalar, vector.tolist()))
        return "é", ["this", "is", "a"], np.array([b"x", "yy"], dtype=object)

    one, two, three = _run(function, ["s", [b"\x00a", b"b\x00"]], [tf.string] * 3)
    assert seen == [(b"s", [b"\x00a", b"b\x00"])]
    assert one == "é".encode()
    assert two.tolist() == [b"this", b"is", b"a"]
    assert three.tolist() == [b"x", b"yy"]


def test_results_of_another_number_or_dtype_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns 1 values, but expects to see 2 values"):
        _run(lambda: np.float32(1), [], [tf.float32, tf.float32])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"0-th value returned by .* is double, but expects float"):
        _run(lambda: 1.0, [], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns 0 values"):
        _run(lambda: None, [], tf.float32)


def test_what_is_no_tensor_is_unimplemented() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="Unsupported object type"):
        _run(lambda: {"a": 1}, [], tf.float32)
    with pytest.raises(tf.errors.UnimplementedError, match="Unsupported numpy type"):
        _run(lambda: np.zeros(1, [("a", "f4")]), [], tf.float32)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ValueError, "InvalidArgumentError"),
        (TypeError, "InvalidArgumentError"),
        (StopIteration, "OutOfRangeError"),
        (MemoryError, "ResourceExhaustedError"),
        (NotImplementedError, "UnimplementedError"),
        (KeyError, "UnknownError"),
    ],
)
def test_an_exception_keeps_its_kind_its_traceback_and_itself(raised: type[Exception], expected: str) -> None:
    def inner() -> None:
        raise raised("blah")

    def outer() -> None:
        inner()

    with pytest.raises(getattr(tf.errors, expected), match="blah") as caught:
        _run(outer, [], [tf.float32])
    text = str(caught.value)
    assert text.startswith(f"{raised.__name__}: ")
    assert text.index("in outer") < text.index("in inner")
    assert isinstance(caught.value.__cause__, raised)


def test_an_error_of_a_step_within_keeps_its_class() -> None:
    def function() -> Any:
        with tf.Graph().as_default(), tf.Session() as session:
            return session.run(tf.gather([1.0], 5))

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, 1\)"):
        _run(function, [], tf.float32)
    with pytest.raises(tf.errors.AbortedError, match="mine"):
        _run(lambda: (_ for _ in ()).throw(tf.errors.AbortedError(None, None, "mine")), [], tf.float32)


def test_an_interrupt_within_ends_the_program_not_the_step() -> None:
    def function() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _run(function, [], tf.float32)


def test_a_function_may_run_steps_of_the_same_session_and_of_others() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(3.0)
        square = x * x

        def function(value: Any) -> Any:
            with tf.Graph().as_default(), tf.Session() as other:
                doubled = other.run(tf.constant(value) * 2)
            return doubled + session.run(square)

        assert session.run(tf.py_func(function, [x], tf.float32)) == 15.0


def test_threads_call_functions_at_once() -> None:
    barrier = threading.Barrier(2, timeout=20)
    with tf.Graph().as_default(), tf.Session() as session:
        meet = tf.py_func(lambda: np.int64(barrier.wait()), [], tf.int64)
        met: list[Any] = []
        threads = [threading.Thread(target=lambda: met.append(session.run(meet))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(met) == [0, 1]


def test_a_stateful_function_is_called_in_every_step_a_stateless_one_of_nothing_once() -> None:
    counts = {True: iter(range(9)), False: iter(range(9))}
    with tf.Graph().as_default(), tf.Session() as session:
        for stateful, want in ((True, [0, 1, 2]), (False, [0, 0, 0])):
            x = tf.py_func(lambda s=stateful: next(counts[s]), [], tf.int64, stateful=stateful)
            assert [session.run(x) for _ in range(3)] == want


def test_building_and_planning_call_nothing() -> None:
    calls: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        n = tf.py_func(lambda x: calls.append(x) or np.int32(2), [tf.constant(1)], tf.int32, stateful=False)
        n.set_shape([])
        ones = tf.ones(tf.stack([n, 3]))
        assert not calls
        assert ones.shape.as_list() == [None, 3]
        assert session.run(ones).shape == (2, 3)


def test_no_outputs_are_an_operation_or_an_empty_list() -> None:
    calls: list[Any] = []
    with tf.Graph().as_default(), tf.Session() as session:
        op = tf.py_func(lambda x: calls.append(x), [tf.constant(3)], [])
        assert isinstance(op, tf.Operation)
        assert session.run(op) is None
        assert calls == [3]
        assert tf.py_func(lambda x: None, [tf.constant(3)], [], stateful=False) == []


def test_a_function_lives_as_long_as_its_graph() -> None:
    class Function:
        def __call__(self) -> Any:
            return np.float32(1)

    function = Function()
    alive = weakref.ref(function)
    graph = tf.Graph()
    with graph.as_default():
        y = tf.py_func(function, [], tf.float32)
    del function
    gc.collect()
    with tf.Session(graph=graph) as session:
        assert session.run(y) == 1.0
    del graph, y, session
    gc.collect()
    assert alive() is None


def test_a_result_that_the_function_keeps_is_not_changed_by_the_step_nor_the_step_by_it() -> None:
    kept = np.arange(2000, dtype=np.float32)

    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.py_func(lambda: kept, [], tf.float32)
        y.set_shape([2000])
        variable = tf.Variable(tf.zeros([2000]))
        session.run(variable.initializer)
        session.run(variable.assign(y + 0.0))
        session.run(variable.assign(y))
        session.run(variable.assign_add(tf.ones([2000])))
        np.testing.assert_array_equal(kept, np.arange(2000))
        kept[:] = 7
        np.testing.assert_array_equal(session.run(variable), np.arange(2000) + 1)


def test_an_argument_may_be_written_to() -> None:
    def function(x: Any) -> Any:
        x += 1
        return x

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.zeros(1000, np.float32))
        y = tf.py_func(function, [x], tf.float32)
        np.testing.assert_array_equal(session.run(x + y), np.ones(1000))
        np.testing.assert_array_equal(session.run(x), np.zeros(1000))


def test_a_gradient_is_given_by_overriding() -> None:
    tf.RegisterGradient("TestPyFuncGradient")(lambda op, g: g * 3.0)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.constant(2.0)
        with graph.gradient_override_map({"PyFunc": "TestPyFuncGradient"}):
            y = tf.py_func(lambda v: v * 3, [x], tf.float32)
        y.set_shape([])
        assert session.run(tf.gradients(y, x)) == [3.0]
        assert tf.gradients(tf.py_func(lambda v: v, [x], tf.float32), x) == [None]
