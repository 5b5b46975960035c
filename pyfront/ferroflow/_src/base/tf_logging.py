"""`tf.logging`: messages with levels, on Python's logger `tensorflow`."""

from __future__ import annotations

import itertools
import logging
import sys
from collections.abc import Iterator
from typing import Any, Final

from ferroflow._src.base.fork_locks import RenewedLock
from ferroflow._src.base.typing import StringLike

DEBUG: Final = logging.DEBUG
INFO: Final = logging.INFO
WARN: Final = logging.WARNING
ERROR: Final = logging.ERROR
FATAL: Final = logging.CRITICAL

_logger: logging.Logger | None = None
_logger_lock = RenewedLock()

# Calls so far, by the file and line of the call.
_counters: dict[tuple[str, int], Iterator[int]] = {}


def _get_logger() -> logging.Logger:
    global _logger
    if _logger is None:
        with _logger_lock:
            if _logger is None:
                _logger = _new_logger()
    return _logger


def get_logger() -> logging.Logger:
    """Returns the logger of this library's messages.

    Returns:
        logging.Logger of the name "tensorflow".
    """
    return _get_logger()


def _new_logger() -> logging.Logger:
    # TF 1.x: programs find this logger by its name to set its level.
    logger = logging.getLogger("tensorflow")
    # A program that has set up logging decides where messages go; else they would be shown twice.
    if not logging.getLogger().handlers and not logger.handlers:
        interactive = bool(getattr(sys, "ps1", None)) or bool(sys.flags.interactive)
        if interactive:
            logger.setLevel(INFO)
        handler = logging.StreamHandler(sys.stdout if interactive else sys.stderr)
        handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        logger.addHandler(handler)
    return logger


def _emit(level: int, msg: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    logger = _get_logger()
    if logger.isEnabledFor(level):
        # The record names the line of the program: above here and the public function.
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 2
        logger.log(level, msg, *args, **kwargs)


def log(level: int, msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at `level`.

    Args:
        level: int, such as `tf.logging.INFO`.
        msg: str, a format in the style of `%`, or any object.
        *args: values of any kind to insert into the format.
        **kwargs: arguments of `logging.Logger.log`, such as `exc_info` and `extra`.
    """
    _emit(level, msg, args, kwargs)


def vlog(level: int, msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at `level`.

    Args:
        level: int, such as `tf.logging.INFO`.
        msg: str, a format in the style of `%`, or any object.
        *args: values of any kind to insert into the format.
        **kwargs: as for `log`.
    """
    _emit(level, msg, args, kwargs)


def debug(msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at level DEBUG.

    Args:
        msg: str, a format in the style of `%`, or any object.
        *args: values of any kind to insert into the format.
        **kwargs: as for `log`.
    """
    _emit(DEBUG, msg, args, kwargs)


def info(msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at level INFO.

    Args:
        msg: str, a format in the style of `%`, or any object.
        *args: values of any kind to insert into the format.
        **kwargs: as for `log`.

    Example:
        >>> tf.logging.set_verbosity(tf.logging.INFO)
        >>> tf.logging.info("step %d: loss %.3f", 100, 0.25)  # INFO:tensorflow:step 100: loss 0.250
    """
    _emit(INFO, msg, args, kwargs)


def warning(msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at level WARN.

    Args:
        msg: str, a format in the style of `%`, or any object.
        *args: values of any kind to insert into the format.
        **kwargs: as for `log`.
    """
    _emit(WARN, msg, args, kwargs)


def warn(msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at level WARN.

    Args:
        msg: str, a format in the style of `%`, or any object.
        *args: values of any kind to insert into the format.
        **kwargs: as for `log`.
    """
    _emit(WARN, msg, args, kwargs)


def error(msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at level ERROR.

    Args:
        msg: str, a format in the style of `%`, or any object.
        *args: values of any kind to insert into the format.
        **kwargs: as for `log`.
    """
    _emit(ERROR, msg, args, kwargs)


def fatal(msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at level FATAL; the program continues.

    Args:
        msg: str, a format in the style of `%`, or any object.
        *args: values of any kind to insert into the format.
        **kwargs: as for `log`.

    Example:
        >>> tf.logging.fatal("cannot read %s", "data.csv")  # FATAL:tensorflow:cannot read data.csv
    """
    _emit(FATAL, msg, args, kwargs)


def TaskLevelStatusMessage(msg: StringLike) -> None:  # noqa: N802 (TF 1.x: the public name)
    """Logs a message at level ERROR.

    Args:
        msg: str or any object; a `%` in it stands for itself.
    """
    _emit(ERROR, msg, (), {})


def flush() -> None:
    """Writes out what the handlers of the logger still hold."""
    for handler in _get_logger().handlers:
        handler.flush()


def log_if(level: int, msg: object, condition: Any, *args: object) -> None:
    """Logs `msg % args` at `level` if a condition is true.

    Args:
        level: int, such as `tf.logging.INFO`.
        msg: str, a format in the style of `%`, or any object.
        condition: anything, taken as a bool.
        *args: values of any kind to insert into the format.
    """
    if condition:
        _emit(level, msg, args, {})


def log_every_n(level: int, msg: object, n: int, *args: object) -> None:
    """Logs `msg % args` at `level` on the first of every `n` calls from the line of the caller.

    Args:
        level: int, such as `tf.logging.INFO`.
        msg: str, a format in the style of `%`, or any object.
        n: int, a number of calls.
        *args: values of any kind to insert into the format.

    Raises:
        ZeroDivisionError: if `n` is 0.
    """
    if _calls_so_far() % n == 0:
        _emit(level, msg, args, {})


def log_first_n(level: int, msg: object, n: int, *args: object) -> None:
    """Logs `msg % args` at `level` on the first `n` calls from the line of the caller.

    Args:
        level: int, such as `tf.logging.INFO`.
        msg: str, a format in the style of `%`, or any object.
        n: int, a number of calls.
        *args: values of any kind to insert into the format.
    """
    if _calls_so_far() < n:
        _emit(level, msg, args, {})


def _calls_so_far() -> int:
    """Returns the earlier calls of the public function that calls this, from the line that called that."""
    frame = sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno)
    return next(_counters.setdefault(place, itertools.count()))


def get_verbosity() -> int:
    """Returns the lowest level that is logged.

    Returns:
        int, such as `tf.logging.INFO`.
    """
    return _get_logger().getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    """Sets the lowest level that is logged.

    Args:
        v: int, such as `tf.logging.INFO`, or the name of a level, such as `"INFO"`.

    Raises:
        ValueError: if `v` is a str that is not the name of a level.
        TypeError: if `v` is neither int nor str.

    Example:
        >>> tf.logging.set_verbosity(tf.logging.ERROR)
        >>> print(tf.logging.get_verbosity() == tf.logging.ERROR)
        True
    """
    _get_logger().setLevel(v)
