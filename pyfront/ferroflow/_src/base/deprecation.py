"""Names and arguments that have a newer spelling: the first use of each writes the newer one to `tf.logging`."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from ferroflow._src.base import tf_logging
from ferroflow._src.base.docstrings import document
from ferroflow._src.base.function_families import forwards

_Function = TypeVar("_Function", bound=Callable[..., Any])


# Off while `silence` lasts.
_prints = [True]
# Old spellings whose warning this process has logged.
_logged: set[str] = set()
# Programs set `_PRINT_DEPRECATION_WARNINGS` of this module of TensorFlow's to False.
_PUBLIC_MODULE: Final = "ferroflow.python.util.deprecation"


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Suppresses warnings about deprecated functions and arguments within a `with` block."""
    before, _prints[0] = _prints[0], False
    try:
        yield
    finally:
        _prints[0] = before


def are_printed() -> bool:
    """Returns True unless the program suppresses warnings about deprecated functions and arguments."""
    module = vars(sys.modules.get(_PUBLIC_MODULE, sys))
    return _prints[0] and bool(module.get("_PRINT_DEPRECATION_WARNINGS", True))


def warn_deprecated(old: str, new: str, stacklevel: int = 1) -> None:
    """Logs once in each process, at level WARN, that `new` replaces `old`.

    TensorFlow logs these warnings, so `python -W error` does not turn them into exceptions.

    Args:
        old: str, what was used.
        new: str, what to use instead.
        stacklevel: int, the frames between this call and the line to blame; 1 is the caller of the caller. Frames of
            members of a `FunctionFamily` do not count.
    """
    if old in _logged or not are_printed():
        return
    _logged.add(old)
    frame, level = sys._getframe(1), 2
    while stacklevel > 0 and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
        stacklevel -= not forwards(frame.f_code)
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    tf_logging.warning("From %s: %s is deprecated; use %s instead.", place, old, new, stacklevel=level)


def deprecated(new_name: str, name: str | None = None) -> Callable[[_Function], _Function]:
    """Marks a function or method as deprecated: its first call logs a warning.

    Args:
        new_name: str, what to use instead, such as `"tf.global_variables"`.
        name: str, the name in the warning; None for that of the function.

    Returns:
        A decorator.
    """

    def decorate(func: _Function) -> _Function:
        old_name = func.__qualname__ if name is None else name

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            warn_deprecated(old_name, new_name)
            return func(*args, **kwargs)

        document(wrapper, f"Deprecated: use `{new_name}` instead.", func.__doc__)
        return wrapper  # type: ignore[return-value]

    return decorate


def deprecated_args(**new_names: str) -> Callable[[_Function], _Function]:
    """Marks arguments of a function as deprecated: the first call that passes one other than None logs a warning.

    The arguments reach the function as they were given; `deprecated_argument_lookup` chooses between old and new.

    Args:
        **new_names: from the old name of an argument to the new one.

    Returns:
        A decorator.

    Raises:
        ValueError: on decoration, if the function has no argument with the old or the new name.
    """

    def decorate(func: _Function) -> _Function:
        code = func.__code__
        positional = code.co_varnames[: code.co_argcount]
        known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        missing = [name for pair in new_names.items() for name in pair if name not in known]
        if missing:
            raise ValueError(f"{func.__qualname__} has no argument {', '.join(missing)}; it has {', '.join(known)}.")
        positions = [(positional.index(old), old) for old in new_names if old in positional]

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            for old, new in new_names.items():
                if kwargs.get(old) is not None:
                    warn_deprecated(f"The argument {old} of {func.__name__}", new)
            for position, old in positions:
                if position < len(args) and args[position] is not None:
                    warn_deprecated(f"The argument {old} of {func.__name__}", new_names[old])
            return func(*args, **kwargs)

        return wrapper  # type: ignore[return-value]

    return decorate


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """Returns the value of an argument that can be given by a new or an old name.

    Args:
        new_name: str.
        new_value: its value, None if it was not given.
        old_name: str.
        old_value: its value, None if it was not given.

    Returns:
        The value that was given, or None.

    Raises:
        ValueError: if both were given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old_value
