"""Failures of the engine outside of steps and graphs, raised as TensorFlow's errors."""

from __future__ import annotations

from types import TracebackType

from ferroflow import _core
from ferroflow._src.base.errors import make_exception
from ferroflow._src.base.files.urls import refused


class _EngineErrors:
    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, _core.StatusError):
            code, message, _ = error.args
            code, message = refused(code, message)
            raise make_exception(None, None, message, code) from None


_ONE = _EngineErrors()


def engine_errors() -> _EngineErrors:
    """Returns a context manager that raises the engine's failures inside of it as subclasses of `tf.errors.OpError`."""
    return _ONE


class raise_exception_on_not_ok_status:  # noqa: N801  # TF1's spelling
    """Context manager around calls of the native interface, whose failures it raises as `tf.errors.OpError`.

    The `with` block gets a status, which TensorFlow's functions take; functions of this library raise without it.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _ONE.__exit__(kind, error, traceback)
