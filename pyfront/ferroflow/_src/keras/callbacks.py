"""What is called while a model is fitted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ferroflow._src.base import proto
from ferroflow._src.keras.backend import get_value, set_value
from ferroflow._src.summary.file_writer import FileWriter

__all__ = ["Callback", "EarlyStopping", "History", "ModelCheckpoint", "ReduceLROnPlateau", "TensorBoard"]


class Callback:
    """What is called while a model is fitted; a subclass overrides what it needs.

    Attributes:
        model: the model.
        params: dict of `batch_size`, `epochs`, `samples`, `verbose` and `metrics`.
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_model(self, model: Any) -> None:
        """Says which model is fitted."""
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Says how it is fitted."""
        self.params = params

    def on_train_begin(self, logs: Any = None) -> None:
        """Called before the first epoch."""

    def on_train_end(self, logs: Any = None) -> None:
        """Called after the last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called before an epoch, with its number from 0."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called after an epoch, with the loss and the metrics by name, those of validation after `val_`."""

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before a batch, with its number from 0 and its `size`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after a batch, with its `size`, its loss and its metrics by name."""


class Callbacks:
    """Several callbacks called one after the other."""

    def __init__(self, callbacks: Iterable[Any], model: Any, params: dict[str, Any]) -> None:
        self._callbacks = list(callbacks)
        for callback in self._callbacks:
            callback.set_model(model)
            callback.set_params(params)

    def call(self, method: str, *args: Any) -> None:
        """Calls a method of each."""
        for callback in self._callbacks:
            getattr(callback, method)(*args)


class History(Callback):
    """The loss and the metrics of all epochs; `Model.fit` returns it.

    Attributes:
        epoch: list of the epochs' numbers.
        history: dict of lists of values by name.
    """

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew."""
        self.epoch: list[int] = []
        self.history: dict[str, list[Any]] = {}

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Keeps an epoch's values."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class _Monitor(Callback):
    """What watches a value: whether it has become better."""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            raise ValueError(f'mode must be "auto", "min" or "max", not {mode!r}')
        self.monitor = monitor
        self._grows = mode == "max" or (mode == "auto" and ("acc" in monitor or monitor.startswith("fmeasure")))
        self._min_delta = abs(min_delta)
        self.best = -np.inf if self._grows else np.inf

    def _forget(self) -> None:
        self.best = -np.inf if self._grows else np.inf

    def _value(self, logs: Any) -> Any:
        if self.monitor not in (logs or {}):
            raise ValueError(
                f"{type(self).__name__} watches {self.monitor!r}, which is none of {sorted(logs or {})}. Give "
                "validation data for values after `val_`, or metrics to `compile`."
            )
        return logs[self.monitor]

    def _is_better(self, value: Any) -> bool:
        if self._grows:
            return bool(value - self._min_delta > self.best)
        return bool(value + self._min_delta < self.best)


class EarlyStopping(_Monitor):
    """Stops when a value has not become better for some epochs.

    Args:
        monitor: str, the value's name, such as "val_loss".
        min_delta: float, how much better counts.
        patience: int, the epochs to wait.
        verbose: int, above 0 to print when it stops.
        mode: "min", "max", or "auto" by the name.

    Raises:
        ValueError: there is no such mode; in fitting, no such value.
    """

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0.0, patience: int = 0, verbose: int = 0, mode: str = "auto"
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose = patience, verbose
        self.wait = self.stopped_epoch = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew."""
        self._forget()
        self.wait = self.stopped_epoch = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Stops, or waits."""
        value = self._value(logs)
        if self._is_better(value):
            self.best, self.wait = value, 0
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        """Prints when it stopped."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")


class ModelCheckpoint(_Monitor):
    """Saves the weights after epochs.

    Args:
        filepath: str, the checkpoint's prefix, in which `{epoch:02d}` and `{val_loss:.2f}` stand for values.
        monitor: str, the name of the value that is to become better.
        verbose: int, above 0 to print what is saved.
        save_best_only: bool, whether weights are saved only when the value has become better.
        save_weights_only: bool, to be true: whole models are not saved.
        mode: "min", "max", or "auto" by the name.
        period: int, epochs between two savings.

    Raises:
        NotImplementedError: `save_weights_only` is false.
        ValueError: there is no such mode; in fitting, no such value.
    """

    def __init__(
        self,
        filepath: str,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        period: int = 1,
    ) -> None:
        super().__init__(monitor, mode)
        if not save_weights_only:
            raise NotImplementedError("whole models are not saved; give save_weights_only=True")
        self.filepath, self.verbose, self.save_best_only, self.period = filepath, verbose, save_best_only, period
        self.epochs_since_last_save = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves, where it is time."""
        self.epochs_since_last_save += 1
        if self.epochs_since_last_save < self.period:
            return
        self.epochs_since_last_save = 0
        path = self.filepath.format(epoch=epoch + 1, **(logs or {}))
        if self.save_best_only:
            value = self._value(logs)
            if not self._is_better(value):
                return
            self.best = value
        if self.verbose > 0:
            print(f"Epoch {epoch + 1:05d}: saving model to {path}")
        self.model.save_weights(path)


class ReduceLROnPlateau(_Monitor):
    """Makes the learning rate smaller when a value has not become better for some epochs.

    Args:
        monitor: str, the value's name.
        factor: float below 1, by which the rate is multiplied.
        patience: int, the epochs to wait.
        verbose: int, above 0 to print the new rate.
        mode: "min", "max", or "auto" by the name.
        min_delta: float, how much better counts.
        cooldown: int, the epochs after a change that do not count.
        min_lr: float, the smallest rate.

    Raises:
        ValueError: `factor` is 1 or more, or there is no such mode; in fitting, no such value.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self.cooldown_counter = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew."""
        self._forget()
        self.wait = self.cooldown_counter = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Makes the rate smaller, or waits."""
        rate = self.model.optimizer.lr
        logs["lr"] = get_value(rate)
        value = self._value(logs)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(value):
            self.best, self.wait = value, 0
            return
        if self.cooldown_counter > 0:
            return
        self.wait += 1
        old = float(get_value(rate))
        if self.wait >= self.patience and old > self.min_lr:
            new = max(old * self.factor, self.min_lr)
            set_value(rate, new)
            if self.verbose > 0:
                print(f"Epoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to {new}.")
            self.cooldown_counter, self.wait = self.cooldown, 0


class TensorBoard(Callback):
    """Writes the loss and the metrics of epochs for TensorBoard.

    Args:
        log_dir: str, the folder.
        write_graph: bool, whether the graph is written too.
    """

    def __init__(self, log_dir: str = "./logs", write_graph: bool = True) -> None:
        super().__init__()
        self.log_dir, self.write_graph = log_dir, write_graph

    def on_train_begin(self, logs: Any = None) -> None:
        """Opens the folder."""
        self.writer = FileWriter(self.log_dir, graph=self.model.graph if self.write_graph else None)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes an epoch's values."""
        summary = proto.Summary()
        for name, value in (logs or {}).items():
            summary.value.add(tag=name, simple_value=float(value))
        self.writer.add_summary(summary, epoch)
        self.writer.flush()

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the folder."""
        self.writer.close()
