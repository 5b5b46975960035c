"""`tensorflow.python.util.deprecation`, also in `tf.contrib.framework`: decorators of what is old."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

from ferroflow._src.base import tf_logging
from ferroflow._src.base.deprecation import are_printed, deprecated_argument_lookup, silence
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.typing import TensorLike

__all__ = [
    "deprecated",
    "deprecated_alias",
    "deprecated_arg_values",
    "deprecated_args",
    "deprecated_argument_lookup",
    "deprecated_endpoints",
    "hide_attribute_from_api",
    "rewrite_argument_docstring",
    "silence",
]

_Symbol = TypeVar("_Symbol", bound=Callable[..., Any])
_DATE: Final = re.compile(r"20\d\d-[01]\d-[0123]\d")

# Programs set this name of TensorFlow's module to False.
_PRINT_DEPRECATION_WARNINGS = True


def _call_location(outer: bool = False) -> str:
    """Returns the place that called the function which calls this one, as "file:line".

    Args:
        outer: bool. If True, the place that called that caller.

    Returns:
        str.
    """
    frame = sys._getframe(1)
    for _ in range(2 if outer else 1):
        frame = frame.f_back or frame
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _validate_deprecation_args(date: str | None, instructions: str) -> None:
    """Raises ValueError if a notice has no instructions, or its date is not written YYYY-MM-DD."""
    _check(date, instructions)


def _check(date: str | None, instructions: str) -> None:
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")
    if date is not None and not _DATE.match(date):
        raise ValueError("Date must be YYYY-MM-DD.")


def _noticed(doc: str | None, kind: str, instructions: str, absent: str) -> str:
    """Returns the documentation with a notice behind its first line."""
    notice = f"Instructions for updating:\n{instructions}"
    if not doc:
        return f"{absent}\n\n{notice}"
    first, _, rest = inspect.cleandoc(doc).partition("\n")
    return "\n\n".join(filter(None, [f"{first} ({kind})", notice, rest.strip()]))


def _until(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _warn(known: set[Any], key: Any, once: bool, text: str) -> None:
    if key not in known and are_printed():
        if once:
            known.add(key)
        tf_logging.warning(text)


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[_Symbol], _Symbol]:
    """Marks a function or class as old: a call writes a warning to `tf.logging`.

    Args:
        date: str, YYYY-MM-DD, when it goes; None for "in a future version".
        instructions: str, the alternative.
        warn_once: bool. If True, only the first call warns.

    Returns:
        A decorator.

    Raises:
        ValueError: if `date` is not a date or `instructions` is empty.
    """
    _check(date, instructions)

    def decorate(func: _Symbol) -> _Symbol:
        known: set[Any] = set()

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            text = f"{func.__module__}.{func.__qualname__} is deprecated and will be removed {_until(date)}.\n"
            _warn(known, func, warn_once, f"{text}Instructions for updating:\n{instructions}")
            return func(*args, **kwargs)

        if inspect.isclass(func):
            original = func.__init__

            @functools.wraps(original)
            def init(self: Any, *args: Any, **kwargs: Any) -> None:
                text = f"{func.__module__}.{func.__qualname__} is deprecated and will be removed {_until(date)}.\n"
                _warn(known, func, warn_once, f"{text}Instructions for updating:\n{instructions}")
                original(self, *args, **kwargs)

            func.__init__ = init  # type: ignore[method-assign]
            document(func, _noticed(func.__doc__, "deprecated", instructions, "DEPRECATED CLASS"))
            return func
        document(wrapper, _noticed(func.__doc__, "deprecated", instructions, "DEPRECATED FUNCTION"))
        return wrapper  # type: ignore[return-value]

    return decorate


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[_Symbol], _Symbol]:
    """Marks arguments of a function as old: a call that gives one writes a warning to `tf.logging`.

    Args:
        date: str, YYYY-MM-DD, when they go; None for "in a future version".
        instructions: str, the alternative.
        *deprecated_arg_names_or_tuples: names, or pairs of a name and the value with which there is no warning.
        **kwargs: `warn_once`, bool. If True, the default, only the first such call warns.

    Returns:
        A decorator.

    Raises:
        ValueError: if `date` is not a date, `instructions` or the names are empty; by the decorator, if the function
            has no such argument.
        TypeError: if a keyword argument is unknown.
    """
    _check(date, instructions)
    once = bool(kwargs.pop("warn_once", True))
    if kwargs:
        raise TypeError(f"deprecated_args() got unexpected keyword arguments: {', '.join(kwargs)}")
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    allowed: dict[str, Any] = dict(
        entry if isinstance(entry, tuple) else (entry, None) for entry in deprecated_arg_names_or_tuples
    )

    def is_old(name: str, value: TensorLike) -> bool:
        return not (name in allowed and allowed[name] is not None and value == allowed[name])

    return _marked_arguments(date, instructions, set(allowed), is_old, once, "deprecated arguments")


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[_Symbol], _Symbol]:
    """Marks values of arguments as old: a call that gives one writes a warning to `tf.logging`.

    Args:
        date: str, YYYY-MM-DD, when they go; None for "in a future version".
        instructions: str, the alternative.
        warn_once: bool. If True, only the first such call warns.
        **deprecated_kwargs: by the argument's name, the old value.

    Returns:
        A decorator.

    Raises:
        ValueError: if `date` is not a date, `instructions` or the values are empty; by the decorator, if the function
            has no such argument.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def is_old(name: str, value: TensorLike) -> bool:
        return value is deprecated_kwargs[name] or bool(value == deprecated_kwargs[name])

    names = set(deprecated_kwargs)
    return _marked_arguments(date, instructions, names, is_old, warn_once, "deprecated argument values")


def _marked_arguments(
    date: str | None, instructions: str, names: set[str], is_old: Callable[[str, Any], bool], once: bool, kind: str
) -> Callable[[_Symbol], _Symbol]:
    def decorate(func: _Symbol) -> _Symbol:
        known: set[Any] = set()
        signature = inspect.signature(func)
        missing = names - set(signature.parameters)
        if missing and not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
            raise ValueError(f"The following deprecated arguments are not present in the function: {sorted(missing)}")

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            given = {**dict(zip(signature.parameters, args, strict=False)), **kwargs}
            for name in sorted(names & set(given)):
                if is_old(name, given[name]):
                    text = f"calling {func.__module__}.{func.__name__} with {name} is deprecated and will be removed"
                    _warn(known, name, once, f"{text} {_until(date)}.\nInstructions for updating:\n{instructions}")
            return func(*args, **kwargs)

        document(wrapper, _noticed(func.__doc__, kind, instructions, "DEPRECATED FUNCTION ARGUMENTS"))
        return wrapper  # type: ignore[return-value]

    return decorate


def deprecated_alias(deprecated_name: str, name: str, func_or_class: _Symbol, warn_once: bool = True) -> _Symbol:
    """Returns a function or class under its old name, whose calls write a warning to `tf.logging`.

    Args:
        deprecated_name: str, the old name.
        name: str, the new one.
        func_or_class: function or class.
        warn_once: bool. If True, only the first call warns.

    Returns:
        A function, or a class derived from the one given.
    """
    known: set[Any] = set()
    text = f"The name {deprecated_name} is deprecated. Please use {name} instead.\n"
    if inspect.isclass(func_or_class):

        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            _warn(known, func_or_class, warn_once, text)
            func_or_class.__init__(self, *args, **kwargs)

        body = {"__init__": functools.wraps(func_or_class.__init__)(init), "__doc__": func_or_class.__doc__}
        return type(func_or_class.__name__, (func_or_class,), body)  # type: ignore[return-value]

    @functools.wraps(func_or_class)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        _warn(known, func_or_class, warn_once, text)
        return func_or_class(*args, **kwargs)

    return wrapper  # type: ignore[return-value]


def deprecated_endpoints(*args: str) -> Callable[[_Symbol], _Symbol]:
    """Notes the old names under which a function is public.

    Args:
        *args: str, the names.

    Returns:
        A decorator that returns what it is given.
    """

    def decorate(func: _Symbol) -> _Symbol:
        func._tf_deprecated_api_names = args  # type: ignore[attr-defined]
        return func

    return decorate


def hide_attribute_from_api(deprecation_message: str) -> property:
    """Returns a property that raises AttributeError with a message."""

    def refuse(_: Any) -> Any:
        raise AttributeError(deprecation_message)

    return property(refuse)


def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    """Returns a documentation in which an argument has another name.

    Args:
        old_doc: str.
        old_argument: str.
        new_argument: str.

    Returns:
        str.
    """
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(f"{old_argument}:", f"{new_argument}:")
