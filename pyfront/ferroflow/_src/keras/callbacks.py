"""Callbacks of fitting a model."""

from __future__ import annotations

import csv
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.keras.backend import get_value, set_value
from ferroflow._src.keras.progress_bar import Progbar

__all__ = [
    "CSVLogger",
    "Callback",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "ModelCheckpoint",
    "ProgbarLogger",
    "ReduceLROnPlateau",
    "TerminateOnNaN",
]


class Callback:
    """Base class of callbacks, which are called while a model is fitted; a subclass overrides the methods it needs.

    Attributes:
        model: the model.
        params: dict of `epochs`, `steps`, `verbose`, `do_validation` and `metrics`, and of `batch_size` and `samples`
            where arrays are fitted.
        validation_data: list of the inputs, labels and weights that validate, empty where nothing does; None where a
            generator does.
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.validation_data: Any = None
        self.params: dict[str, Any] = {}

    def set_model(self, model: Any) -> None:
        """Sets the model that is fitted.

        Args:
            model: Model.
        """
        self.model = model

    def set_params(self, params: dict[str, Any]) -> None:
        """Sets the parameters of fitting.

        Args:
            params: dict, as the attribute of this name.
        """
        self.params = params

    def on_train_begin(self, logs: Any = None) -> None:
        """Is called before the first epoch.

        Args:
            logs: dict, empty.
        """

    def on_train_end(self, logs: Any = None) -> None:
        """Is called after the last epoch.

        Args:
            logs: dict, empty.
        """

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Is called before an epoch.

        Args:
            epoch: int, its number, from 0.
            logs: dict, empty.
        """

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Is called after an epoch.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.
        """

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Is called before a batch.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, and `size`, its number of examples.
        """

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Is called after a batch.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, `size`, its number of examples, its loss and its metrics by name.
        """

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before a batch of training; calls `on_batch_begin`.

        Args:
            batch: int, its number, from 0.
            logs: as of `on_batch_begin`.
        """
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after a batch of training; calls `on_batch_end`.

        Args:
            batch: int, its number, from 0.
            logs: as of `on_batch_end`.
        """
        self.on_batch_end(batch, logs)

    def on_test_begin(self, logs: Any = None) -> None:
        """Called before an evaluation, also one of `fit`.

        Args:
            logs: dict, empty.
        """

    def on_test_end(self, logs: Any = None) -> None:
        """Called after an evaluation, also one of `fit`.

        Args:
            logs: dict, empty.
        """

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before a batch of an evaluation.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, and `size`, its number of examples.
        """

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after a batch of an evaluation.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, `size`, its number of examples, its loss and its metrics by name.
        """

    def on_predict_begin(self, logs: Any = None) -> None:
        """Called before predictions.

        Args:
            logs: dict, empty.
        """

    def on_predict_end(self, logs: Any = None) -> None:
        """Called after predictions.

        Args:
            logs: dict, empty.
        """

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before a batch of predictions.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, and `size`, its number of examples.
        """

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after a batch of predictions.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, `size`, its number of examples, and `outputs`, list of the predictions.
        """


class Callbacks:
    """Several callbacks called one after the other."""

    def __init__(self, callbacks: Iterable[Any], model: Any, params: dict[str, Any], validation_data: Any) -> None:
        self._callbacks = list(callbacks)
        for callback in self._callbacks:
            if validation_data is not None:
                callback.validation_data = validation_data
            callback.set_model(model)
            callback.set_params(params)

    def call(self, method: str, *args: Any) -> None:
        """Calls a method of each."""
        for callback in self._callbacks:
            getattr(callback, method)(*args)

    def __bool__(self) -> bool:
        """True if there is one."""
        return bool(self._callbacks)


class ProgbarLogger(Callback):
    """Shows the progress of a model that is fitted, evaluated or asked to predict, by a `Progbar` for each epoch.

    `Model.fit` and its kin add one, unless `verbose` is 0.

    Args:
        count_mode: "samples" to count examples, or "steps".
        stateful_metrics: names, str, of the values that are shown as they are, and not as means.

    Raises:
        ValueError: if `count_mode` is not "samples" or "steps".
    """

    def __init__(self, count_mode: str = "samples", stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(f"Unknown `count_mode`: {count_mode}")
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or ())

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Prints the epoch's number, and begins a bar.

        Args:
            epoch: int, its number, from 0.
            logs: dict, empty.
        """
        if self.params["verbose"] and self.params["epochs"] > 1:
            print(f"Epoch {epoch + 1}/{self.params['epochs']}")
        self._start()

    def _start(self) -> None:
        self.seen, self.log_values = 0, list[tuple[str, Any]]()
        self.target = self.params.get("steps" if self.use_steps else "samples")
        unit = "step" if self.use_steps else "sample"
        self.progbar = Progbar(
            self.target, verbose=self.params["verbose"], stateful_metrics=self.stateful_metrics, unit_name=unit
        )

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Shows the values of a batch; those of the last one are shown by `on_epoch_end`.

        Args:
            batch: int, its number, from 0.
            logs: dict of `size`, the number of its examples, the loss and the metrics by name.
        """
        self.seen += 1 if self.use_steps else (logs or {}).get("size", 0)
        self.log_values = self._values(logs)
        if self.target is None or self.seen < self.target:
            self.progbar.update(self.seen, self.log_values)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Ends the bar.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.
        """
        self.progbar.update(self.seen, [*self.log_values, *self._values(logs)])

    def _values(self, logs: Any) -> list[tuple[str, Any]]:
        names = self.params["metrics"]
        # A model that its first batch builds has names then.
        names = self.model.metrics_names if names is None else names
        return [(name, logs[name]) for name in names if name in (logs or {})]

    # An evaluation of `fit` is a part of its epoch.
    def on_test_begin(self, logs: Any = None) -> None:
        """Begins a bar, where nothing is fitted.

        Args:
            logs: dict, empty.
        """
        if not self.params.get("epochs"):
            self._start()

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Shows the values of a batch, where nothing is fitted.

        Args:
            batch: int, its number, from 0.
            logs: as of `on_batch_end`.
        """
        if not self.params.get("epochs"):
            self.on_batch_end(batch, logs)

    def on_test_end(self, logs: Any = None) -> None:
        """Ends the bar, where nothing is fitted.

        Args:
            logs: dict of the loss and the metrics by name.
        """
        if not self.params.get("epochs"):
            self.on_epoch_end(0, logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        """Begins a bar.

        Args:
            logs: dict, empty.
        """
        self._start()

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Shows that a batch is done.

        Args:
            batch: int, its number, from 0.
            logs: dict of `size`, the number of its examples.
        """
        self.on_batch_end(batch, logs)

    def on_predict_end(self, logs: Any = None) -> None:
        """Ends the bar.

        Args:
            logs: dict, empty.
        """
        self.on_epoch_end(0, logs)


class History(Callback):
    """The loss and the metrics of all epochs; `Model.fit` returns it.

    Attributes:
        epoch: list of the epochs' numbers.
        history: dict of lists of values by name.
    """

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew.

        Args:
            logs: dict, empty.
        """
        self.epoch: list[int] = []
        self.history: dict[str, list[Any]] = {}

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Appends an epoch's values.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.
        """
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


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
        """Returns the value; None, and a warning, where there is none."""
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
        min_delta: float = 0.0,
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

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew.

        Args:
            logs: dict, empty.
        """
        self._forget()
        if self.baseline is not None:
            self.best = self.baseline
        self.best_weights = None
        self.wait = self.stopped_epoch = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Stops the training if the value has not improved.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`; without the value that
                is watched there is a warning.
        """
        value = self._value(logs, "Early stopping conditioned on metric")
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

    def on_train_end(self, logs: Any = None) -> None:
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
        verbose: int, above 0 to print what is saved.
        save_best_only: bool. If True, the model is saved only when the value has become better.
        save_weights_only: bool. If True, the weights are saved and not the model, as `Model.save_weights` and
            `Model.save` do.
        mode: "min", "max", or "auto" by the name.
        period: int, epochs between two savings.

    Raises:
        ImportError: on fitting, if h5py is not installed and a file is to be written.
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
        self.save_weights_only = save_weights_only
        self.filepath, self.verbose, self.save_best_only, self.period = filepath, verbose, save_best_only, period
        self.epochs_since_last_save = 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves the model if it is due.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.

        Raises:
            ImportError: if h5py is not installed, and a file is to be written.
        """
        self.epochs_since_last_save += 1
        if self.epochs_since_last_save < self.period:
            return
        self.epochs_since_last_save = 0
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


class ReduceLROnPlateau(_Monitor):
    """Callback that reduces the learning rate when a value has not improved for some epochs.

    Args:
        monitor: str, the value's name.
        factor: float below 1, by which the rate is multiplied.
        patience: int, the epochs to wait.
        verbose: int, above 0 to print the new rate.
        mode: "min", "max", or "auto" by the name.
        epsilon: float, how much better counts.
        cooldown: int, the epochs after a change that do not count.
        min_lr: float, the smallest rate.
        min_delta: float, `epsilon` by its later name; None for `epsilon`.

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
        epsilon: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
        min_delta: float | None = None,
    ) -> None:
        self.epsilon = epsilon if min_delta is None else min_delta
        super().__init__(monitor, mode, self.epsilon)
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self.cooldown_counter = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Starts anew.

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
        old = float(get_value(rate))
        if self.wait >= self.patience and old > self.min_lr:
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
        self._takes_rate = len(inspect.signature(schedule).parameters) > 1

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Sets the rate.

        Args:
            epoch: int, its number, from 0.
            logs: dict, empty.

        Raises:
            ValueError: if the optimizer has no rate to set, or the schedule gives no float.
        """
        if not hasattr(self.model.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        before = (float(get_value(self.model.optimizer.lr)),) if self._takes_rate else ()
        rate = self.schedule(epoch, *before)
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


class LambdaCallback(Callback):
    """Functions of a program that are called while a model is fitted.

    Args:
        on_epoch_begin: callable of the epoch's number and a dict; None for none.
        on_epoch_end: callable of the epoch's number and the dict of its values; None for none.
        on_batch_begin: callable of the batch's number and a dict; None for none.
        on_batch_end: callable of the batch's number and the dict of its values; None for none.
        on_train_begin: callable of a dict; None for none.
        on_train_end: callable of a dict; None for none.
        **kwargs: further attributes of any kind, by their names; they are values of the program.
    """

    def __init__(
        self,
        on_epoch_begin: Any = None,
        on_epoch_end: Any = None,
        on_batch_begin: Any = None,
        on_batch_end: Any = None,
        on_train_begin: Any = None,
        on_train_end: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        vars(self).update(kwargs)
        given = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
        }
        vars(self).update({name: function for name, function in given.items() if function is not None})


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


class CSVLogger(Callback):
    """Callback that writes the values of each epoch to a file, one line each.

    Args:
        filename: str, the file.
        separator: str, what is between two values.
        append: bool. If True, lines are added to a file that is there.
    """

    def __init__(self, filename: str, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.sep, self.append = os.fspath(filename), separator, append
        self.keys: list[str] | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Makes the file, or finds it.

        Args:
            logs: dict, empty.
        """
        self._goes_on = self.append and os.path.exists(self.filename) and os.path.getsize(self.filename) > 0
        if not self._goes_on:
            with open(self.filename, "w", encoding="utf-8"):
                pass

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Writes the values.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name.
        """
        values = logs or {}
        with open(self.filename, "a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=self.sep, lineterminator="\n")
            if self.keys is None:
                self.keys = sorted(values)
                if not self._goes_on:
                    writer.writerow(["epoch", *self.keys])
            writer.writerow([epoch, *(values.get(key, "NA") for key in self.keys)])
