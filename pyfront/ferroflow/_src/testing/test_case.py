"""`TestCase`: unittest's, with sessions, arrays, protos and threads."""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import re
import shutil
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from absl.testing import absltest

from ferroflow._src.base import errors, proto
from ferroflow._src.framework import default_stacks
from ferroflow._src.framework.default_graph import (
    device,
    get_default_graph,
    reset_default_graph,
)
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.random_seed import set_random_seed
from ferroflow._src.session.session import Session

_temp_dir: list[str] = []


def get_temp_dir() -> str:
    """Returns a directory for the files of this process's tests; removed when the process ends.

    Example:
        >>> print(tf.gfile.IsDirectory(tf.test.get_temp_dir()))
        True
    """
    if not _temp_dir:
        parent = os.environ.get("TEST_TMPDIR") or tempfile.gettempdir()
        _temp_dir.append(tempfile.mkdtemp(dir=parent))
        atexit.register(shutil.rmtree, _temp_dir[0], ignore_errors=True)
    return _temp_dir[0]


class _CheckedThread:
    """A thread whose exception fails the test that joins it."""

    def __init__(self, test_case: TestCase, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._test_case = test_case
        self._target = target
        self._args = args or ()
        self._kwargs = kwargs or {}
        self._thread = threading.Thread(target=self._protected_run, daemon=True)
        self._exception: BaseException | None = None
        self.joined = False

    def _protected_run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as e:
            self._exception = e

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def join(self) -> None:
        """Waits for the thread; fails the test if it raised."""
        self._thread.join()
        self.joined = True
        if self._exception is not None:
            self._test_case.fail(f"Error in checkedThread: {self._exception!r}")

    def is_alive(self) -> bool:
        """Returns True if the thread still runs."""
        return self._thread.is_alive()


class _CapturedWrites:
    """Text that `captureWritesToStream` captured."""

    text = ""

    def contents(self) -> str:
        """Returns the text, a str."""
        return self.text


class _TestSession(Session):
    """The session of `test_session`."""


class TestCase(absltest.TestCase):
    """Base class of tests: a fresh default graph for each, fixed seeds, array and proto assertions.

    Args:
        methodName: str, the method that runs the test.

    Example:
        >>> class SquareTest(tf.test.TestCase):
        ...     def test_square(self):
        ...         with self.test_session():
        ...             self.assertAllClose(tf.square([2.0, 3.0]).eval(), [4.0, 9.0])
        >>> SquareTest("test_square").debug()
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._threads: list[_CheckedThread] = []
        self._tempdir: str | None = None
        self._cached_session: Session | None = None

    def setUp(self) -> None:
        """Creates a fresh default graph, and seeds Python's, NumPy's and the graph's random generators."""
        self._ClearCachedSession()
        random.seed(random_seed())
        np.random.seed(random_seed())
        default_stacks.default_graph_stack.reset()
        reset_default_graph()
        set_random_seed(random_seed())

    def tearDown(self) -> None:
        """Waits for the threads of `checkedThread`; closes the cached session."""
        for thread in self._threads:
            # One that was joined has already raised its failure.
            if not thread.joined:
                thread.join()
        self._ClearCachedSession()

    def _ClearCachedSession(self) -> None:  # noqa: N802  # TF1's spelling
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None

    def get_temp_dir(self) -> str:
        """Returns a directory of this test's own, the same at every call."""
        if self._tempdir is None:
            self._tempdir = tempfile.mkdtemp(dir=get_temp_dir())
        return self._tempdir

    # Python 2's name, which TensorFlow's class has, too.
    assertItemsEqual = unittest.TestCase.assertCountEqual

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[_CapturedWrites]:  # noqa: N802  # TF1's spelling
        """Captures the text written to a stream, including the engine's.

        Args:
          stream: file with a descriptor, such as `sys.stdout`.

        Returns:
          A context manager; on entry, an object whose `contents()` is the text, once the `with` block ended.
        """
        descriptor = stream.fileno()
        captured = _CapturedWrites()
        with tempfile.TemporaryFile(dir=self.get_temp_dir()) as file, os.fdopen(os.dup(descriptor), "wb") as kept:
            stream.flush()
            os.dup2(file.fileno(), descriptor)
            try:
                yield captured
            finally:
                stream.flush()
                os.dup2(kept.fileno(), descriptor)
                file.seek(0)
                captured.text = file.read().decode(errors="replace")

    def test_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> AbstractContextManager[Session]:
        """Returns a session as the default one; without `graph` the same session at every call of a test.

        Args:
            graph: the graph to run, by default the default graph.
            config: ConfigProto.
            use_gpu: accepted; everything runs on the CPU.
            force_gpu: not available.

        Returns:
            A context manager; on entry, the Session.

        Raises:
            RuntimeError: if `force_gpu` is True.
            unittest.SkipTest: if unittest runs this method, which it takes for a test.
        """
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        if force_gpu:
            raise RuntimeError("force_gpu is not supported: there are no GPUs")
        return self._session_of_test(graph, config)

    @contextlib.contextmanager
    def _session_of_test(self, graph: Graph | None, config: Any) -> Iterator[Session]:
        if graph is not None:
            with _TestSession(graph=graph, config=_config(config)) as sess, device("/cpu:0"):
                yield sess
            return
        if self._cached_session is None or self._cached_session.graph is not get_default_graph():
            self._ClearCachedSession()
            self._cached_session = _TestSession(config=_config(config))
        sess = self._cached_session
        with sess.graph.as_default(), sess.as_default(), device("/cpu:0"):
            yield sess

    def session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Any:
        """Returns a new session as the default one, closed at the end of the `with` block.

        Args:
            graph: Graph to run; None for the default graph.
            config: ConfigProto; by default one that allows soft placement.
            use_gpu: accepted; everything runs on the CPU.
            force_gpu: bool, not available.

        Returns:
            A context manager; on entry, the Session.

        Raises:
            RuntimeError: on entering, with `force_gpu`.
        """
        return self.test_session(graph or get_default_graph(), config, use_gpu, force_gpu)

    def cached_session(
        self, graph: Graph | None = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Any:
        """Returns the test's one session as the default one.

        Args:
            graph: Graph to run in a session of its own; None for the default graph and the session of the test.
            config: ConfigProto; by default one that allows soft placement.
            use_gpu: accepted; everything runs on the CPU.
            force_gpu: bool, not available.

        Returns:
            A context manager; on entry, the Session.

        Raises:
            RuntimeError: on entering, with `force_gpu`.
        """
        return self.test_session(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: Any) -> Any:
        """Returns the values of tensors in the default session, or in the test's own.

        Args:
            tensors: tensors to fetch, as `Session.run` takes it.

        Returns:
            The result of `Session.run`.

        Raises:
            tf.errors.OpError: if the step failed.
        """
        sess = default_stacks.get_default_session()
        if sess is None:
            with self.test_session() as sess:
                return sess.run(tensors)
        return sess.run(tensors)

    def _eval_tensor(self, tensor: Any) -> Any:
        return self.evaluate(tensor)

    def checkedThread(self, target: Callable[..., Any], args: Any = None, kwargs: Any = None) -> _CheckedThread:  # noqa: N802  # TF1's spelling
        """Returns a thread to be started and joined; the test fails if it raises.

        Args:
            target: callable that the thread runs.
            args: tuple of its arguments.
            kwargs: dict of its keyword arguments.

        Returns:
            A thread with `start`, `join` and `is_alive`.
        """
        thread = _CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread

    def assertProtoEquals(self, expected_message_maybe_ascii: Any, message: Any, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless a message equals another one, or its text form.

        Args:
            expected_message_maybe_ascii: a message, or its text form (str or bytes).
            message: the message to compare.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the messages differ.
        """
        expected = expected_message_maybe_ascii
        if isinstance(expected, str | bytes):
            from_text = type(message)()
            proto.text_format().Merge(expected, from_text, descriptor_pool=proto.descriptor_pool())
            expected = from_text
        if type(expected).DESCRIPTOR.full_name != type(message).DESCRIPTOR.full_name:
            self.fail(f"Can't compare protos of type {type(expected)} and {type(message)}")
        if expected.SerializeToString(deterministic=True) != message.SerializeToString(deterministic=True):
            self.assertMultiLineEqual(_proto_text(expected), _proto_text(message), msg)  # type: ignore[no-untyped-call]

    _AssertProtoEquals = assertProtoEquals

    def assertProtoEqualsVersion(  # noqa: N802  # TF1's spelling
        self,
        expected: str,
        actual: Any,
        producer: int | None = None,
        min_consumer: int | None = None,
        msg: str | None = None,
    ) -> None:
        """Fails unless a GraphDef equals a text form that lacks `versions`.

        Args:
            expected: text form of a GraphDef without `versions`.
            actual: GraphDef message.
            producer: int; None for the default graph's.
            min_consumer: int; None for the default graph's.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the messages differ.
        """
        versions = get_default_graph().graph_def_versions
        producer = versions.producer if producer is None else producer
        min_consumer = versions.min_consumer if min_consumer is None else min_consumer
        text = f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n{expected}"
        self.assertProtoEquals(text, actual, msg)

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless a string starts with another.

        Args:
            actual: str.
            expected_start: str.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if `actual` does not start with `expected_start`.
        """
        if not actual.startswith(expected_start):
            self.fail(f"{actual!r} does not start with {expected_start!r}" + (f" : {msg}" if msg else ""))

    def _GetNdArray(self, a: Any) -> np.ndarray[Any, Any]:  # noqa: N802  # TF1's spelling
        if hasattr(a, "op") and hasattr(a, "dtype") and not isinstance(a, np.ndarray | np.generic):
            a = self._eval_tensor(a)
        if isinstance(a, np.ndarray):
            return a
        try:
            return np.array(a)
        except ValueError:
            # A ragged nest: an array of its items.
            return np.array(a, dtype=object)
        except NotImplementedError:
            # TF 1.x: a list with tensors is an array of objects, which are equal if they are the same.
            items = np.empty(len(a), dtype=object)
            for number, item in enumerate(a):
                items[number] = item
            return items

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two numbers differ by at most `err`.

        Args:
            f1: number.
            f2: number.
            err: float, the most they may differ.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the numbers differ by more than `err`.
        """
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r}" + (f" ({msg})" if msg else ""))

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two lists have equal length and elements within `err`.

        Args:
            farray1: list of numbers.
            farray2: list of numbers.
            err: float, the most that two elements may differ.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if lengths differ, or elements by more.
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless the distance of two arrays is below `err`.

        Args:
            ndarray1: array of numbers.
            ndarray2: array of numbers of the same shape.
            err: float, which the Euclidean norm of the difference must be below.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the arrays differ by more than `err`.
        """
        self.assertTrue(np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2)) < err, msg)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two arrays, or two nests of arrays of equal structure, agree within tolerances.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape; or a list, tuple, namedtuple or dict of
                them.
            b: as `a`.
            rtol: float, the difference allowed relative to the element of `b`.
            atol: float, the absolute difference allowed in addition.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if shapes, keys or elements differ.
            ValueError: if a dict is compared with an object that is not a dict, or nests have different lengths.
        """
        self._all_close(a, b, rtol, atol, "", msg)

    def _all_close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None) -> None:
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
                raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg or ''}")
            self.assertEqual(set(a), set(b), f"mismatched keys: a{path} and b{path}. {msg or ''}")
            for key in a:
                self._all_close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
        elif isinstance(a, list | tuple):
            try:
                arrays = self._GetNdArray(a), self._GetNdArray(b)
            except (ValueError, TypeError, NotImplementedError):
                # Ragged, or with tensors among the items.
                arrays = None
            if arrays is not None and arrays[0].dtype != object and arrays[1].dtype != object:
                self._arrays_close(*arrays, rtol, atol, path, msg)
                return
            if len(a) != len(b):
                raise ValueError(
                    f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)} items. {msg or ''}"
                )
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self._all_close(x, y, rtol, atol, f"{path}[{i}]", msg)
        else:
            self._arrays_close(self._GetNdArray(a), self._GetNdArray(b), rtol, atol, path, msg)

    def _arrays_close(
        self, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], rtol: float, atol: float, path: str, msg: str | None
    ) -> None:
        # Also refuses what broadcasting would accept.
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}")
        if not np.allclose(a, b, rtol=rtol, atol=atol):
            np.testing.assert_allclose(
                a,
                b,
                rtol=rtol,
                atol=atol,
                equal_nan=True,
                err_msg=f"Mismatched value: a{path} is different from b{path}. {msg or ''}",
            )

    def assertAllCloseAccordingToType(  # noqa: N802  # TF1's spelling
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Calls `assertAllClose` with the tolerances for the less precise of the two dtypes.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            b: as `a`.
            rtol: float, the difference allowed relative to the element of `b`.
            atol: float, the absolute difference allowed in addition.
            float_rtol: float, `rtol` for float32 and complex64, if it is greater.
            float_atol: float, `atol` for these.
            half_rtol: float, `rtol` for float16, if it is greater.
            half_atol: float, `atol` for that.
            bfloat16_rtol: float, `rtol` for bfloat16, if it is greater.
            bfloat16_atol: float, `atol` for that.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if shapes or elements differ.
            ValueError: on the same conditions as `assertAllClose`.
        """
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        names = {a.dtype.name, b.dtype.name}
        for types, type_rtol, type_atol in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & types:
                rtol, atol = max(rtol, type_rtol), max(atol, type_atol)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails if two arrays, or two nests of arrays, agree within tolerances.

        Args:
            a: as for `assertAllClose`.
            b: as for `assertAllClose`.
            **kwargs: as for `assertAllClose`.

        Raises:
            AssertionError: if the values are close.
            ValueError: on the same conditions as `assertAllClose`.
        """
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two arrays are equal, NaNs counted as equal.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            b: as `a`.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if shapes or elements differ.
        """
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        if b.ndim <= 3 or b.size < 500:
            self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}")
        same = a == b
        if a.dtype.kind in "fc" or a.dtype.name == "bfloat16":
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            np.testing.assert_array_equal(a, b, err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails if two arrays are equal, NaNs counted as equal.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            b: as `a`.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the values are equal.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is greater than a bound.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            comparison_target: float or int, the bound.

        Raises:
            AssertionError: if an element is not.
        """
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is less than a bound.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            comparison_target: float or int, the bound.

        Raises:
            AssertionError: if an element is not.
        """
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is greater than a bound or equal to it.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            comparison_target: float or int, the bound.

        Raises:
            AssertionError: if an element is not.
        """
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is less than a bound or equal to it.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            comparison_target: float or int, the bound.

        Raises:
            AssertionError: if an element is not.
        """
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllInRange(  # noqa: N802  # TF1's spelling
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails unless every element is in a range.

        Args:
            target: array, number or nested list, or Tensor of any dtype and shape.
            lower_bound: float or int.
            upper_bound: float or int.
            open_lower_bound: bool. If True, `lower_bound` itself is outside.
            open_upper_bound: bool. If True, `upper_bound` itself is outside.

        Raises:
            AssertionError: if an element is outside or NaN, or the elements are not real numbers.
        """
        target = self._GetNdArray(target)
        if not (np.issubdtype(target.dtype, np.floating) or np.issubdtype(target.dtype, np.integer)):
            raise AssertionError(f"The value of {target} does not have an ordered numeric type")
        below = target <= lower_bound if open_lower_bound else target < lower_bound
        above = target >= upper_bound if open_upper_bound else target > upper_bound
        bad = np.argwhere(below | above | np.isnan(target))
        if bad.size:
            raise AssertionError(
                f"{len(bad)} of {target.size} element(s) are outside the range; first at {bad[0].tolist()}"
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is in a set.

        Args:
            target: array, number or nested list, or Tensor of any dtype and shape.
            expected_set: set or list of values.

        Raises:
            AssertionError: if an element is not in it.
        """
        diff = set(self._GetNdArray(target).flatten()).difference(expected_set)
        if diff:
            raise AssertionError(f"{len(diff)} unique element(s) are not in the set {expected_set}: {list(diff)[:5]}")

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless an array or tensor has a dtype.

        Args:
            target: array, number or nested list, or Tensor of any dtype and shape.
            expected_dtype: NumPy dtype, or DType for a Tensor.

        Raises:
            AssertionError: if the dtype is not `expected_dtype`.
        """
        got = self._GetNdArray(target).dtype if isinstance(target, list) else target.dtype
        self.assertEqual(expected_dtype, got)

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless an array has the static shape of a tensor.

        Args:
            np_array: NumPy array or scalar.
            tf_tensor: Tensor of any dtype, of a fully known shape.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the shapes differ.
            TypeError: if an argument has a wrong type.
        """
        if not isinstance(np_array, np.ndarray | np.generic):
            raise TypeError("np_array must be a Numpy ndarray or Numpy scalar")
        if not hasattr(tf_tensor, "get_shape"):
            raise TypeError("tf_tensor must be a Tensor")
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg=msg)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two device names mean the same.

        Args:
            device1: str, DeviceSpec or None.
            device2: str, DeviceSpec or None.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the devices differ.
        """
        open_devices = get_default_graph()._scopes.current.devices
        names = [open_devices.push(d).static for d in (device1, device2)]
        self.assertEqual(names[0], names[1], f"Devices {device1} and {device2} are not equal. {msg or ''}")

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]  # noqa: N802  # TF1's spelling
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Fails unless the block raises an exception that a predicate, or a pattern for its message, accepts.

        Args:
            exception_type: class of exceptions, or tuple of classes.
            expected_err_re_or_predicate: regular expression (str) to find in the message, or a callable of
                the exception.

        Yields:
            None.

        Raises:
            AssertionError: if the block raises no exception, or one that does not match.
        """
        if isinstance(exception_type, str):
            self.fail("An exception type, not a string, is needed")
        predicate = expected_err_re_or_predicate
        try:
            yield
            self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")
        except self.failureException:
            raise
        except Exception as e:
            text = _full_message(e)
            matches = predicate(e) if callable(predicate) else re.search(predicate, text) is not None
            if not isinstance(e, exception_type) or not matches:
                raise AssertionError(f"Exception of type {type(e)}: {e}") from e

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:  # noqa: N802  # TF1's spelling
        """Fails unless a block raises a `tf.errors.OpError` that a predicate, or a pattern for its message, accepts.

        Args:
            expected_err_re_or_predicate: regular expression (str) to find in the message, or a callable of
                the exception.

        Returns:
            A context manager object.

        Raises:
            AssertionError: on leaving, if the block raised no exception, or one that does not match.
        """
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)


def _full_message(e: BaseException) -> str:
    if not isinstance(e, errors.OpError):
        return str(e)
    text = str(e.message)
    op = e.op
    while op is not None:
        text += f"\nCaused by: {op.name}"
        op = getattr(op, "_original_op", None)
    return text


def _proto_text(message: Any) -> str:
    text: str = proto.text_format().MessageToString(message, descriptor_pool=proto.descriptor_pool())
    return text


def random_seed() -> int:
    """Returns the seed that every test starts from."""
    return 87654321


def _config(config: Any) -> Any:
    result = proto.ConfigProto()
    if config is not None:
        result.CopyFrom(config)
    else:
        result.allow_soft_placement = True
    return result
