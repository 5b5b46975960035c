"""Dispatch lists extend functions of tensors to values of further types."""

from __future__ import annotations

import inspect
import sys
import types

import pytest

import ferroflow as tf
from ferroflow._src.base.late_modules import LateModules
from ferroflow._src.framework import dispatch as dispatch_module
from ferroflow._src.framework.dispatch import (
    OpDispatcher,
    add_dispatch_list,
    add_dispatch_support,
    dispatch,
    dispatch_for_types,
)
from ferroflow.python.util import dispatch as public_dispatch


class Length:
    """A value that is no tensor."""

    def __init__(self, metres):
        self.metres = metres


def double(x, name=None):
    """Doubles a number."""
    if not isinstance(x, int):
        raise TypeError("no number")
    return 2 * x


def test_a_function_is_called_first_and_keeps_its_signature():
    made = add_dispatch_support(double)
    assert made(3) == 6
    assert made.__doc__ == double.__doc__
    assert inspect.signature(made) == inspect.signature(double)


def test_dispatchers_are_tried_in_order_where_the_function_refuses():
    made = add_dispatch_support(double)

    class OfLengths(OpDispatcher):
        def __init__(self, factor):
            self.factor = factor

        def handle(self, args, kwargs):
            return Length(self.factor * args[0].metres) if isinstance(args[0], Length) else self.NOT_SUPPORTED

    OfLengths(2).register(made)
    OfLengths(9).register(made)
    assert made(Length(4)).metres == 8
    with pytest.raises(TypeError, match="no number"):
        made("text")
    assert dispatch(made, "text") is OpDispatcher.NOT_SUPPORTED


def test_other_errors_pass():
    @add_dispatch_support
    def fails(x):
        raise KeyError(x)

    with pytest.raises(KeyError):
        fails(1)


def test_an_override_serves_types_alone_and_in_lists():
    made = add_dispatch_support(double)

    @dispatch_for_types(made, Length)
    def of_lengths(x, name=None):
        return "lengths"

    assert made(Length(1)) == made([1, Length(1)]) == made(x=Length(1)) == of_lengths(None)
    with pytest.raises(AssertionError, match="signature"):
        dispatch_for_types(made, Length)(lambda x: x)


def test_lists_are_added_once_and_needed():
    target = add_dispatch_list(lambda x: x)
    with pytest.raises(AssertionError, match="already"):
        add_dispatch_list(target)
    with pytest.raises(AssertionError, match="not enabled"):
        OpDispatcher().register(double)


def test_dispatchers_of_a_module_are_imported_before_they_are_needed(monkeypatch, tmp_path):
    made = add_dispatch_support(double)
    (tmp_path / "late_dispatchers.py").write_text(
        "from ferroflow._src.framework.dispatch import OpDispatcher\n"
        "import test_targets\n"
        "class Texts(OpDispatcher):\n"
        "    def handle(self, args, kwargs):\n"
        "        return 'late' if args[0] == 'text' else self.NOT_SUPPORTED\n"
        "Texts().register(test_targets.made)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "test_targets", types.SimpleNamespace(made=made))
    monkeypatch.setattr(dispatch_module, "late_modules", LateModules())
    dispatch_module.late_modules.add("late_dispatchers")
    assert made(3) == 6
    assert "late_dispatchers" not in sys.modules

    @dispatch_for_types(made, str)
    def of_texts(x, name=None):
        return "registered by the program"

    try:
        assert (made("text"), made("other")) == ("late", "registered by the program")
    finally:
        del sys.modules["late_dispatchers"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.concat([[1.0], [2.0]]), r"concat\(\) missing 1 required positional argument: 'axis'"),
        (lambda: tf.reduce_sum([1.0], bogus=1), r"reduce_sum\w*\(\) got an unexpected keyword argument 'bogus'"),
    ],
)
def test_a_call_with_wrong_arguments_raises_the_functions_own_error(call, message):
    with tf.Graph().as_default() as graph, pytest.raises(TypeError, match=message):
        call()
    assert graph.get_operations() == []


def test_functions_of_tensors_have_lists_at_tensorflows_path():
    assert public_dispatch.dispatch_for_types is dispatch_for_types
    assert all(hasattr(f, public_dispatch.DISPATCH_ATTR) for f in (tf.add, tf.concat, tf.reduce_sum, tf.strings.length))
