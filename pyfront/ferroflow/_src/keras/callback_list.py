"""`CallbackList`: callbacks of a training loop that a program writes itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ferroflow._src.base.docstrings import document
from ferroflow._src.base.typing import DictLike
from ferroflow._src.keras.callbacks import Callback


def _of_epoch(method: str) -> Callable[..., None]:
    def call(self: CallbackList, number: int, logs: DictLike | None = None) -> None:
        self._call(method, number, logs or {})

    document(call, f"Calls `{method}` of each callback, with a number and a dict.", name=method)
    return call


def _of_training(method: str) -> Callable[..., None]:
    def call(self: CallbackList, logs: DictLike | None = None) -> None:
        self._call(method, logs or {})

    document(call, f"Calls `{method}` of each callback, with a dict.", name=method)
    return call


class CallbackList:
    """Several callbacks called one after the other.

    Args:
        callbacks: iterable of Callbacks.
        queue_length: int, accepted.
    """

    def __init__(self, callbacks: Iterable[Any] | None = None, queue_length: int = 10) -> None:
        del queue_length
        self.callbacks: list[Any] = list(callbacks or [])

    def append(self, callback: Callback) -> None:
        """Adds a callback."""
        self.callbacks.append(callback)

    def set_params(self, params: dict[str, Any]) -> None:
        """Sets the parameters of each callback."""
        self.params = params
        self._call("set_params", params)

    def set_model(self, model: Any) -> None:
        """Sets the model of each callback."""
        self.model = model
        self._call("set_model", model)

    def _call(self, method: str, *args: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, method)(*args)

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the callbacks."""
        return iter(self.callbacks)

    on_train_begin = _of_training("on_train_begin")
    on_train_end = _of_training("on_train_end")
    on_test_begin = _of_training("on_test_begin")
    on_test_end = _of_training("on_test_end")
    on_predict_begin = _of_training("on_predict_begin")
    on_predict_end = _of_training("on_predict_end")
    on_epoch_begin = _of_epoch("on_epoch_begin")
    on_epoch_end = _of_epoch("on_epoch_end")
    on_batch_begin = _of_epoch("on_batch_begin")
    on_batch_end = _of_epoch("on_batch_end")
    on_train_batch_begin = _of_epoch("on_train_batch_begin")
    on_train_batch_end = _of_epoch("on_train_batch_end")
    on_test_batch_begin = _of_epoch("on_test_batch_begin")
    on_test_batch_end = _of_epoch("on_test_batch_end")
    on_predict_batch_begin = _of_epoch("on_predict_batch_begin")
    on_predict_batch_end = _of_epoch("on_predict_batch_end")
