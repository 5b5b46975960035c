"""Callbacks of fitting a model: the base class, and those that report and record."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable
from typing import Any

from ferroflow._src.base.typing import DictLike
from ferroflow._src.keras.progress_bar import Progbar


class Callback:
    """Base class of callbacks, which are called while a model is fitted; a subclass overrides the methods it needs.

    Attributes:
        model: the model.
        params: dict of `epochs`, `steps`, `verbose`, `do_validation` and `metrics`, and of `batch_size` and `samples`
            where arrays are fitted.
        validation_data: list of the inputs, labels and weights that validate, empty if nothing does; None if a
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

    def on_train_begin(self, logs: DictLike | None = None) -> None:
        """Is called before the first epoch.

        Args:
            logs: dict, empty.
        """

    def on_train_end(self, logs: DictLike | None = None) -> None:
        """Is called after the last epoch.

        Args:
            logs: dict, empty.
        """

    def on_epoch_begin(self, epoch: int, logs: DictLike | None = None) -> None:
        """Is called before an epoch.

        Args:
            epoch: int, its number, from 0.
            logs: dict, empty.
        """

    def on_epoch_end(self, epoch: int, logs: DictLike | None = None) -> None:
        """Is called after an epoch.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.
        """

    def on_batch_begin(self, batch: int, logs: DictLike | None = None) -> None:
        """Is called before a batch.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, and `size`, its number of examples.
        """

    def on_batch_end(self, batch: int, logs: DictLike | None = None) -> None:
        """Is called after a batch.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, `size`, its number of examples, its loss and its metrics by name.
        """

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Called before a batch of training; calls `on_batch_begin`.

        Args:
            batch: int, its number, from 0.
            logs: as for `on_batch_begin`.
        """
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called after a batch of training; calls `on_batch_end`.

        Args:
            batch: int, its number, from 0.
            logs: as for `on_batch_end`.
        """
        self.on_batch_end(batch, logs)

    def on_test_begin(self, logs: DictLike | None = None) -> None:
        """Called before an evaluation, also one of `fit`.

        Args:
            logs: dict, empty.
        """

    def on_test_end(self, logs: DictLike | None = None) -> None:
        """Called after an evaluation, also one of `fit`.

        Args:
            logs: dict, empty.
        """

    def on_test_batch_begin(self, batch: int, logs: DictLike | None = None) -> None:
        """Called before a batch of an evaluation.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, and `size`, its number of examples.
        """

    def on_test_batch_end(self, batch: int, logs: DictLike | None = None) -> None:
        """Called after a batch of an evaluation.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, `size`, its number of examples, its loss and its metrics by name.
        """

    def on_predict_begin(self, logs: DictLike | None = None) -> None:
        """Called before predictions.

        Args:
            logs: dict, empty.
        """

    def on_predict_end(self, logs: DictLike | None = None) -> None:
        """Called after predictions.

        Args:
            logs: dict, empty.
        """

    def on_predict_batch_begin(self, batch: int, logs: DictLike | None = None) -> None:
        """Called before a batch of predictions.

        Args:
            batch: int, its number, from 0.
            logs: dict of `batch`, its number, and `size`, its number of examples.
        """

    def on_predict_batch_end(self, batch: int, logs: DictLike | None = None) -> None:
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
    """Shows the progress of a model that is fitted, evaluated or used to predict, by a `Progbar` for each epoch.

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

    def on_epoch_begin(self, epoch: int, logs: DictLike | None = None) -> None:
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

    def on_epoch_end(self, epoch: int, logs: DictLike | None = None) -> None:
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
    def on_test_begin(self, logs: DictLike | None = None) -> None:
        """Begins a bar, unless a model is being fitted.

        Args:
            logs: dict, empty.
        """
        if not self.params.get("epochs"):
            self._start()

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Shows the values of a batch, unless a model is being fitted.

        Args:
            batch: int, its number, from 0.
            logs: as for `on_batch_end`.
        """
        if not self.params.get("epochs"):
            self.on_batch_end(batch, logs)

    def on_test_end(self, logs: DictLike | None = None) -> None:
        """Ends the bar, unless a model is being fitted.

        Args:
            logs: dict of the loss and the metrics by name.
        """
        if not self.params.get("epochs"):
            self.on_epoch_end(0, logs)

    def on_predict_begin(self, logs: DictLike | None = None) -> None:
        """Begins a bar.

        Args:
            logs: dict, empty.
        """
        self._start()

    def on_predict_batch_end(self, batch: int, logs: DictLike | None = None) -> None:
        """Shows that a batch is done.

        Args:
            batch: int, its number, from 0.
            logs: dict of `size`, the number of its examples.
        """
        self.on_batch_end(batch, logs)

    def on_predict_end(self, logs: DictLike | None = None) -> None:
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

    def on_train_begin(self, logs: DictLike | None = None) -> None:
        """Resets the state.

        Args:
            logs: dict, empty.
        """
        self.epoch: list[int] = []
        self.history: dict[str, list[Any]] = {}

    def on_epoch_end(self, epoch: int, logs: DictLike | None = None) -> None:
        """Appends an epoch's values.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.
        """
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """Functions of a program that are called while a model is fitted.

    Args:
        on_epoch_begin: callable of the epoch's number and a dict, or None.
        on_epoch_end: callable of the epoch's number and the dict of its values, or None.
        on_batch_begin: callable of the batch's number and a dict, or None.
        on_batch_end: callable of the batch's number and the dict of its values, or None.
        on_train_begin: callable of a dict, or None.
        on_train_end: callable of a dict, or None.
        **kwargs: further attributes of any kind, by their names; they are values of the program.
    """

    def __init__(
        self,
        on_epoch_begin: Callable[..., Any] | None = None,
        on_epoch_end: Callable[..., Any] | None = None,
        on_batch_begin: Callable[..., Any] | None = None,
        on_batch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None,
        on_train_end: Callable[..., Any] | None = None,
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


class CSVLogger(Callback):
    """Callback that writes the values of each epoch to a file, one line each.

    Args:
        filename: str, the file.
        separator: str, the separator of values.
        append: bool. If True, lines are added to a file that is there.
    """

    # Of processes that train together, only the first has this callback.
    writes_files = True

    def __init__(self, filename: str, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.sep, self.append = os.fspath(filename), separator, append
        self.keys: list[str] | None = None

    def on_train_begin(self, logs: DictLike | None = None) -> None:
        """Creates the file, or finds it.

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
