"""Callbacks that steer the fitting of a model: they stop it, save the model and set the learning rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import DictLike
from ferroflow._src.keras.backend import get_value, set_value
from ferroflow._src.keras.callbacks import Callback
from ferroflow._src.keras.schedules import LearningRateSchedule


class _Monitor(Callback):
    """Base of the callbacks that check whether a value has improved."""

    def __init__(self, monitor: str, mode: str, min_delta: float = 0.0) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            tf_logging.warning("%s mode %s is unknown, fallback to auto mode.", type(self).__name__, mode)
            mode = "auto"
        self.monitor, self.mode, self.min_delta = monitor, mode, min_delta
        self._grows = mode == "max" or (mode == "auto" and ("acc" in monitor or monitor.startswith("fmeasure")))
        self._forget()

    def _forget(self) -> None:
        self.best = -np.inf if self._grows else np.inf

    def _value(self, logs: Any, what: str) -> Any:
        """Returns the value; None, and a warning, if there is none."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            known = ",".join(logs or {})
            tf_logging.warning("%s `%s` which is not available. Available metrics are: %s", what, self.monitor, known)
        return value

    def _is_better(self, value: Any) -> bool:
        if self._grows:
            return bool(value - abs(self.min_delta) > self.best)
        return bool(value + abs(self.min_delta) < self.best)


class EarlyStopping(_Monitor):
    """Callback that stops when a value has not improved for some epochs.

    Args:
        monitor: str, the value's name, such as "val_loss".
        min_delta: float, how much better counts.
        patience: int, the epochs to wait.
        verbose: int, above 0 to print when it stops.
        mode: "min", "max", or "auto" by the name.
        baseline: float, the value that is to become better; None for any.
        restore_best_weights: bool. If True, the model gets the weights of the epoch with the best value when it stops.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose = patience, verbose
        self.baseline, self.restore_best_weights = baseline, restore_best_weights
        self.best_weights: list[Any] | None = None
        self.wait = self.stopped_epoch = 0

    def on_train_begin(self, logs: DictLike | None = None) -> None:
        """Resets the state.

        Args:
            logs: dict, empty.
        """
        self._forget()
        if self.baseline is not None:
            self.best = self.baseline
        self.best_weights = None
        self.wait = self.stopped_epoch = 0

    def on_epoch_end(self, epoch: int, logs: DictLike | None = None) -> None:
        """Stops the training if the value has not improved.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`; without the value that
                is watched there is a warning.
        """
        value = self.get_monitor_value(logs)
        if value is None:
            return
        if self._is_better(value):
            self.best, self.wait = value, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            # No epoch was better than the baseline: there are no weights to restore.
            if self.best_weights is not None:
                if self.verbose > 0:
                    print("Restoring model weights from the end of the best epoch.")
                self.model.set_weights(self.best_weights)

    def get_monitor_value(self, logs: DictLike | None) -> Any:
        """Returns the value that is watched, and warns if there is none.

        Args:
            logs: dict of the loss and the metrics by name, those of validation after `val_`.

        Returns:
            float; None if `logs` lacks the value.
        """
        return self._value(logs, "Early stopping conditioned on metric")

    def on_train_end(self, logs: DictLike | None = None) -> None:
        """Prints when it stopped.

        Args:
            logs: dict, empty.
        """
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1:05d}: early stopping")


class ModelCheckpoint(_Monitor):
    """Callback that saves the model after epochs.

    Args:
        filepath: str, the HDF5 file, or of weights the checkpoint's prefix, in which `{epoch:02d}` and
            `{val_loss:.2f}` stand for values.
        monitor: str, the name of the value that is to become better.
        verbose: int, above 0 to print each save.
        save_best_only: bool. If True, the model is saved only when the value has become better.
        save_weights_only: bool. If True, the weights are saved and not the model, as `Model.save_weights` and
            `Model.save` do.
        mode: "min", "max", or "auto" by the name.
        save_freq: "epoch" to save after epochs, or int, to save at the end of a batch after that many examples.
        **kwargs: `period`, int, epochs between two savings; `load_weights_on_restart`, False.

    Raises:
        ValueError: if `save_freq` is not one of these.
        NotImplementedError: if `load_weights_on_restart` is given and True.
        ImportError: on fitting, if h5py is not installed and a file is to be written.
    """

    # Of processes that train together, only the first has this callback.
    writes_files = True

    def __init__(
        self,
        filepath: str,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: str | int = "epoch",
        **kwargs: Any,
    ) -> None:
        super().__init__(monitor, mode)
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(f"Unrecognized save_freq: {save_freq}")
        if kwargs.pop("load_weights_on_restart", False):
            raise NotImplementedError("load_weights_on_restart: call `load_weights` of the model before `fit`.")
        self.period = kwargs.pop("period", 1)
        self.save_weights_only, self.save_freq = save_weights_only, save_freq
        self.filepath, self.verbose, self.save_best_only = filepath, verbose, save_best_only
        self.epochs_since_last_save, self._examples_since_last_save, self._epoch = 0, 0, 0

    def on_epoch_begin(self, epoch: int, logs: DictLike | None = None) -> None:
        """Keeps the number of the epoch.

        Args:
            epoch: int, its number, from 0.
            logs: dict, empty.
        """
        self._epoch = epoch

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Saves the model if enough examples were seen.

        Args:
            batch: int, its number, from 0.
            logs: dict of `size`, the number of its examples, the loss and the metrics by name.
        """
        if isinstance(self.save_freq, int):
            self._examples_since_last_save += (logs or {}).get("size", 1)
            if self._examples_since_last_save >= self.save_freq:
                self._examples_since_last_save = 0
                self._save(self._epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves the model if it is due.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.

        Raises:
            ImportError: if h5py is not installed, and a file is to be written.
        """
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch" and self.epochs_since_last_save >= self.period:
            self.epochs_since_last_save = 0
            self._save(epoch, logs)

    def _save(self, epoch: int, logs: Any) -> None:
        path = self.filepath.format(epoch=epoch + 1, **(logs or {}))
        if self.save_best_only:
            value = self._value(logs, "Best models are not saved, conditioned on metric")
            if value is None:
                return
            before = f"{self.monitor} {{}} from {self.best:0.5f}"
            if not self._is_better(value):
                self._say(epoch, before.format("did not improve"))
                return
            self._say(epoch, f"{before.format('improved')} to {value:0.5f}, saving model to {path}")
            self.best = value
        else:
            self._say(epoch, f"saving model to {path}")
        if self.save_weights_only:
            self.model.save_weights(path)
        else:
            self.model.save(path)

    def _say(self, epoch: int, words: str) -> None:
        if self.verbose > 0:
            print(f"\nEpoch {epoch + 1:05d}: {words}")


def _rate_of(optimizer: Any) -> float:
    """Returns the learning rate of a Keras optimizer.

    Raises:
        TypeError: if it is a schedule.
    """
    rate = get_value(optimizer.lr)
    if isinstance(rate, LearningRateSchedule):
        raise TypeError(
            f"The optimizer's learning rate is a schedule ({type(rate).__name__}), which callbacks cannot read or set; "
            "make the optimizer with a float."
        )
    return float(rate)


class ReduceLROnPlateau(_Monitor):
    """Callback that reduces the learning rate when a value has not improved for some epochs.

    Args:
        monitor: str, the value's name.
        factor: float below 1, by which the rate is multiplied.
        patience: int, the epochs to wait.
        verbose: int, above 0 to print the new rate.
        mode: "min", "max", or "auto" by the name.
        min_delta: float, how much better counts.
        cooldown: int, the epochs after a change that do not count.
        min_lr: float, the smallest rate.
        **kwargs: `epsilon`, float, `min_delta` by its former name; others are ignored, as in TensorFlow.

    Raises:
        ValueError: if `factor` is 1 or more.
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
        min_lr: float = 0,
        **kwargs: Any,
    ) -> None:
        if "epsilon" in kwargs:
            tf_logging.warning("`epsilon` argument is deprecated and will be removed, use `min_delta` instead.")
        super().__init__(monitor, mode, kwargs.pop("epsilon", min_delta))
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self.cooldown_counter = 0

    def on_train_begin(self, logs: DictLike | None = None) -> None:
        """Resets the state.

        Args:
            logs: dict, empty.
        """
        self._forget()
        self.wait = self.cooldown_counter = 0

    def in_cooldown(self) -> bool:
        """Returns True while epochs remain in which the learning rate is not reduced again."""
        return self.cooldown_counter > 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Makes the rate smaller, or waits.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`; the rate is added as `lr`.
                Without the value that is watched there is a warning.

        Raises:
            TypeError: if the rate is to be reduced, and is a schedule.
            AttributeError: if it is to be reduced, and is not a variable.
        """
        logs = {} if logs is None else logs
        rate = self.model.optimizer.lr
        logs["lr"] = get_value(rate)
        value = self._value(logs, "Reduce LR on plateau conditioned on metric")
        if value is None:
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(value):
            self.best, self.wait = value, 0
            return
        if self.in_cooldown():
            return
        self.wait += 1
        if self.wait < self.patience:
            return
        old = _rate_of(self.model.optimizer)
        if old > self.min_lr:
            new = max(old * self.factor, self.min_lr)
            set_value(rate, new)
            if self.verbose > 0:
                print(f"\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to {new}.")
            self.cooldown_counter, self.wait = self.cooldown, 0


class LearningRateScheduler(Callback):
    """Callback that sets the learning rate of each epoch.

    Args:
        schedule: callable of the epoch's number, from 0, or of it and the rate before, to the rate, a float.
        verbose: int, 1 to print the rates.
    """

    def __init__(self, schedule: Callable[..., float], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: DictLike | None = None) -> None:
        """Sets the rate.

        Args:
            epoch: int, its number, from 0.
            logs: dict, empty.

        Raises:
            ValueError: if the optimizer has no rate to set, or the schedule gives no float.
            AttributeError: if the optimizer's rate is not a variable, as one that is a schedule.
        """
        if not hasattr(self.model.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        try:
            rate = self.schedule(epoch, _rate_of(self.model.optimizer))
        except TypeError:
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.floating)):
            raise ValueError('The output of the "schedule" function should be float.')
        set_value(self.model.optimizer.lr, rate)
        if self.verbose:
            print(f"\nEpoch {epoch + 1:05d}: LearningRateScheduler reducing learning rate to {rate}.")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Adds the learning rate to the epoch's values.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, which gets "lr".
        """
        if logs is not None:
            logs["lr"] = float(get_value(self.model.optimizer.lr))


class TerminateOnNaN(Callback):
    """Callback that stops fitting when the loss of a batch is not finite."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Checks the loss.

        Args:
            batch: int, its number, from 0.
            logs: dict of the loss and the metrics by name.
        """
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True
