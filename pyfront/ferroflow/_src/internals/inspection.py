"""`tensorflow.python.util.tf_inspect`: the standard library's `inspect`, which sees through decorators and partials."""

from __future__ import annotations

import functools
import inspect
import inspect as _inspect  # noqa: F401 - programs use `tf_inspect._inspect`, the standard library's module
from collections import namedtuple
from collections.abc import Callable
from inspect import (
    FullArgSpec as FullArgSpec,
    Parameter as Parameter,
    currentframe as currentframe,
    getcallargs as getcallargs,
    getframeinfo as getframeinfo,
    getmembers as getmembers,
    getmodule as getmodule,
    getmro as getmro,
    isabstract as isabstract,
    isbuiltin as isbuiltin,
    isclass as isclass,
    isdatadescriptor as isdatadescriptor,
    isframe as isframe,
    isfunction as isfunction,
    isgenerator as isgenerator,
    isgeneratorfunction as isgeneratorfunction,
    ismethod as ismethod,
    ismodule as ismodule,
    isroutine as isroutine,
    signature as signature,
    stack as stack,
)
from typing import Any

from ferroflow._src.base.decorators import unwrap

ArgSpec = namedtuple("ArgSpec", ("args", "varargs", "keywords", "defaults"))


def getfullargspec(obj: Callable[..., Any]) -> inspect.FullArgSpec:
    """Returns the names and defaults of a callable's arguments, those of what it decorates.

    Args:
        obj: function, method, class, partial or object with `__call__`.

    Returns:
        inspect.FullArgSpec.

    Raises:
        TypeError: if `obj` is not callable.
    """
    _, target = unwrap(obj)
    if isinstance(target, functools.partial) or inspect.isroutine(target):
        return _specification(target)
    if inspect.isclass(target):
        return _specification(target.__init__)
    if callable(target):
        return _specification(type(target).__call__)
    raise TypeError(f"unsupported callable: {obj!r}")


def _specification(function: Callable[..., Any]) -> inspect.FullArgSpec:
    found = inspect.getfullargspec(function)
    # Libraries compare their functions with TensorFlow's, which have no annotations.
    is_ours = (getattr(function, "__module__", None) or "").partition(".")[0] == "ferroflow"
    return found._replace(annotations={}) if is_ours else found


def getargspec(obj: Callable[..., Any]) -> ArgSpec:
    """Returns what `inspect.getargspec` of older Pythons gave: arguments, the two catch-alls and the defaults.

    Args:
        obj: function, method, class, partial or object with `__call__`.

    Returns:
        ArgSpec of a list of str, two str or None, and a tuple or None. Values that a partial binds by keyword are
        defaults.

    Raises:
        TypeError: if `obj` is not callable.
        ValueError: if an argument with a default follows one that a partial has bound.
    """
    _, target = unwrap(obj)
    if not isinstance(target, functools.partial):
        found = getfullargspec(target)
        return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)
    args, varargs, keywords, defaults = getargspec(target.func)
    args = args[len(target.args) :]
    values = dict(zip(args[len(args) - len(defaults or ()) :], defaults or (), strict=True))
    values.update({name: value for name, value in target.keywords.items() if name in args})
    first = next((i for i, name in enumerate(args) if name in values), len(args))
    without = [name for name in args[first:] if name not in values]
    if without:
        raise ValueError(
            f"Some arguments {without} do not have default value, but they are positioned after those with"
        )
    return ArgSpec(args, varargs, keywords, tuple(values[name] for name in args[first:]) or None)


def getdoc(object: Any) -> str | None:
    """Returns the documentation of an object or of what it decorates; None if there is none."""
    return inspect.getdoc(object)


def getfile(object: Any) -> str:
    """Returns the file in which an object, or what it decorates, is defined."""
    return inspect.getfile(_target(object))


def getsource(object: Any) -> str:
    """Returns the source of an object, or of what it decorates."""
    return inspect.getsource(_target(object))


def getsourcefile(object: Any) -> str | None:
    """Returns the file with the source of an object, or of what it decorates."""
    return inspect.getsourcefile(_target(object))


def getsourcelines(object: Any) -> tuple[list[str], int]:
    """Returns the lines of an object's source and the number of the first."""
    return inspect.getsourcelines(_target(object))


def _target(found: Any) -> Any:
    return unwrap(found)[1] if callable(found) else found
