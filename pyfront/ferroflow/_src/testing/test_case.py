"""`TestCase`: seeds and folders of a test, its threads, and assertions about messages, devices and errors."""

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
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ferroflow._src.base import errors, proto
from ferroflow._src.framework import default_stacks
from ferroflow._src.framework.default_graph import get_default_graph, reset_default_graph
from ferroflow._src.framework.random_seed import set_random_seed
from ferroflow._src.testing.array_case import ArrayCase

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


class TestCase(ArrayCase):
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
