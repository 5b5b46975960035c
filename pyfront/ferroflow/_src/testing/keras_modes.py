"""`tensorflow.python.keras.keras_parameterized`: the decorator of libraries' tests of models, which run in a graph."""

from __future__ import annotations

import functools
import itertools
import unittest
from collections.abc import Callable, Iterable
from typing import Any

from absl.testing import parameterized

from ferroflow._src.keras.backend import clear_session
from ferroflow._src.testing.test_case import TestCase as _TestCase

__all__ = ["TestCase", "run_all_keras_modes", "should_run_eagerly", "should_run_tf_function"]


class TestCase(_TestCase, parameterized.TestCase):
    """A test case with parameters, which leaves no graph of its models behind."""

    def tearDown(self) -> None:
        """Clears the session and graph of models."""
        clear_session()
        super().tearDown()


def run_all_keras_modes(
    test_or_class: Any = None, config: Any = None, always_skip_v1: bool = False, always_skip_eager: bool = False
) -> Any:
    """Decorates a test method so that it runs in a graph, with a session; eager execution is not offered.

    The name of the test that runs ends in `_v1_session`, as in TensorFlow.

    Args:
        test_or_class: method of a `TestCase`, decorated methods, or the class; None to get the decorator.
        config: ConfigProto of the session.
        always_skip_v1: bool. If True, the test is skipped, as it does not run in a graph.
        always_skip_eager: not used.

    Returns:
        The argument, decorated, or a decorator.
    """
    del always_skip_eager

    def of_method(method: Callable[..., Any]) -> Any:
        @parameterized.named_parameters(("_v1_session", "v1_session"))  # type: ignore[no-untyped-call, untyped-decorator]  # absl has no types
        @functools.wraps(method)
        def decorated(self: Any, run_mode: str, *args: Any, **kwargs: Any) -> None:
            del run_mode
            if always_skip_v1:
                self.skipTest("runs with eager execution alone")
            with self.test_session(use_gpu=True, config=config):
                method(self, *args, **kwargs)

        return decorated

    def decorate(given: Any) -> Any:
        if isinstance(given, Iterable):
            return itertools.chain.from_iterable(of_method(method) for method in given)
        if not isinstance(given, type):
            return of_method(given)
        for name, value in list(vars(given).items()):
            if callable(value) and name.startswith(unittest.TestLoader.testMethodPrefix):
                setattr(given, name, of_method(value))
        # A class that is made anew gets a method for each set of parameters.
        return type(given)(given.__name__, given.__bases__, dict(vars(given)))

    return decorate if test_or_class is None else decorate(test_or_class)


def should_run_eagerly() -> bool:
    """Returns False: models run in graphs."""
    return False


def should_run_tf_function() -> bool:
    """Returns False: models run in graphs, outside functions."""
    return False
