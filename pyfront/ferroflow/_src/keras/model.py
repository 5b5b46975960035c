"""`Model`: a network that is compiled and fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.base.errors import OutOfRangeError
from ferroflow._src.base.typing import BoolLike, DictLike, IntLike, ListLike, NestedTensors
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.data.transformations import INFINITE_CARDINALITY, cardinality
from ferroflow._src.keras.backend import get_session
from ferroflow._src.keras.batches import (
    Average,
    Batch,
    part_of,
)
from ferroflow._src.keras.callbacks import Callbacks, History, ProgbarLogger
from ferroflow._src.keras.compiled_network import CompiledNetwork
from ferroflow._src.keras.feeding import Arrays, Drawn
from ferroflow._src.keras.generators import Passes, yields_batches
from ferroflow._src.layers.nodes import one_or_list


class Model(CompiledNetwork):
    """Layers between inputs and outputs; or a subclass that makes layers in its constructor and calls them in `call`.

    A subclass's model learns the shapes of its inputs when it is first called, fitted, evaluated or used to predict.

    Args:
        inputs: Tensor that `Input` returned, of any dtype, of shape [batch, ...], or list of them; None for `call`.
        outputs: Tensor that layers made of them, of any dtype, of shape [batch, ...], or list of them; None for `call`.
        name: str, its name; made by default.

    Raises:
        ValueError: if an input is not `Input`'s, or an output does not come from the inputs by layers.
    """

    def fit(
        self,
        x: NestedTensors | None = None,
        y: NestedTensors | None = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Iterable[Any] | None = None,
        validation_split: float = 0.0,
        validation_data: ListLike | None = None,
        shuffle: BoolLike = True,
        class_weight: DictLike | None = None,
        sample_weight: NestedTensors | None = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_freq: IntLike = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        **kwargs: Any,
    ) -> History:
        """Trains for some epochs.

        Args:
            x: array or Tensor of numbers, list of them, or dict by the inputs' names; a dataset or its iterator; or
                what `fit_generator` takes.
            y: array or Tensor of numbers, list of them, or dict by the outputs' names; None if `x` has the labels.
            batch_size: int, the number of examples of a batch; the last one may have fewer. None for 32.
            epochs: int, the number of the epoch to end before.
            verbose: int, 0 to print nothing, 1 for a bar, 2 for a line an epoch.
            callbacks: list of Callback.
            validation_split: float, the part of the examples, the last ones, that validate and do not train.
            validation_data: tuple of inputs and labels, and weights if there are any, that validate; or a dataset or
                its iterator.
            shuffle: bool. If True, each epoch takes the examples in another order, by NumPy's global generator; "batch"
                for batches of neighbours in another order.
            class_weight: dict from the numbers of classes to weights, or dict of such by the outputs' names; None for
                1.
            sample_weight: array of the weights of examples or steps, or list of them; None for 1.
            initial_epoch: int, the number of the first epoch.
            steps_per_epoch: int, the number of steps of an epoch, each of which recomputes tensors, or takes arrays
                as a whole. None if arrays are cut into batches, or an epoch is a whole dataset.
            validation_steps: int, the number of steps that validate by tensors; None for a whole dataset.
            validation_freq: int, every which epoch is validated; or list of the epochs' numbers, from 1.
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.
            **kwargs: `nb_epoch`, int, `epochs` by its former name.

        Returns:
            History.

        Raises:
            RuntimeError: if the model is not compiled.
            ValueError: if the arrays are empty, or do not match the model's inputs and outputs. Also if tensors or a
                dataset without an end come without numbers of steps, or with a `batch_size`.
            TypeError: if there are other arguments.
        """
        if "nb_epoch" in kwargs:
            tf_logging.warning("The `nb_epoch` argument in `fit` has been renamed `epochs`.")
            epochs = kwargs.pop("nb_epoch")
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        if yields_batches(x):
            _check_batches_alone(y, batch_size, sample_weight, validation_split)
            return self.fit_generator(
                x,
                steps_per_epoch,
                epochs,
                verbose,
                callbacks,
                validation_data,
                validation_steps,
                validation_freq,
                class_weight,
                shuffle=bool(shuffle),
                initial_epoch=initial_epoch,
            )
        self._check_end(x, steps_per_epoch, "steps_per_epoch")
        given = self._given(x, y, sample_weight, class_weight)
        _check_steps(given, batch_size, steps_per_epoch, "steps_per_epoch")
        if given.count == 0:
            raise ValueError("Empty training data: the inputs have no examples.")
        validation: Arrays | Drawn | None = None
        if validation_data is not None:
            validation = self._given(*_parts_of(validation_data))
        elif validation_split:
            if not isinstance(given, Arrays) or given.count is None:
                raise ValueError("If your data is in the form of symbolic tensors, you cannot use `validation_split`.")
            cut = int(given.count * (1.0 - validation_split))
            validation = Arrays(part_of(given.batch, slice(cut, None)))
            given = Arrays(part_of(given.batch, slice(cut)))
        elif validation_steps:
            validation = given
        if validation_steps and steps_per_epoch is None and isinstance(given, Arrays):
            raise ValueError("`validation_steps` is of training by steps: `steps_per_epoch` must be set too.")
        if validation is not None:
            _check_steps(validation, None, validation_steps, "validation_steps")

        def batches() -> Iterator[tuple[Batch, int]]:
            return given.batches(batch_size, steps_per_epoch, shuffle)

        def validate(called: Callbacks) -> list[float]:
            assert validation is not None  # `validate` is only called with validation data
            # TF 1.x: fitting also shuffles the examples that validate.
            return self._evaluated(validation.batches(batch_size, validation_steps, True), called)

        params = {
            "batch_size": 32
            if batch_size is None and isinstance(given, Arrays) and steps_per_epoch is None
            else batch_size,
            "epochs": epochs,
            "steps": steps_per_epoch,
            "samples": None if steps_per_epoch is not None else given.count,
            "verbose": verbose,
        }
        if self._replica_part is not None and isinstance(given, Arrays):
            given.agreed = self._replica_part.strategy.extended.agreed
            if isinstance(validation, Arrays):
                validation.agreed = given.agreed
        if verbose:
            print(_extent(given, steps_per_epoch, validation, validation_steps))
        data = self._validation_data(validation)
        loop = (params, callbacks, initial_epoch, steps_per_epoch is not None, validation_freq)
        return self._fitted(batches, validate if validation is not None else None, data, *loop)

    def _validation_data(self, validation: Arrays | Drawn | None) -> list[Any]:
        """Returns the validation arrays and the learning phase, for callbacks."""
        if not isinstance(validation, Arrays) or validation.count is None:
            return []
        inputs, labels, weights = validation.batch
        arrays = [*inputs, *labels, *(weights or [np.ones(len(array), np.float32) for array in labels])]
        return [*arrays, 0.0] if self.uses_learning_phase else arrays

    def _fitted(
        self,
        batches: Callable[[], Iterator[tuple[Batch, int]]],
        validate: Callable[[Callbacks], list[float]] | None,
        validation_data: list[Any] | None,
        params: dict[str, Any],
        callbacks: Iterable[Any] | None,
        initial_epoch: int,
        ends: bool = False,
        validation_freq: Any = 1,
    ) -> History:
        """Trains by the batches of each epoch; where `ends`, the graph's examples may run out."""
        self.history = history = History()
        names = self.metrics_names + ([f"val_{n}" for n in self.metrics_names] if validate else [])
        params = {**params, "do_validation": validate is not None, "metrics": names}
        shown = (
            [ProgbarLogger("steps" if params["steps"] is not None else "samples", self.stateful_metric_names)]
            if params["verbose"]
            else []
        )
        called = Callbacks([*self._own_callbacks(callbacks), history, *shown], self, params, validation_data)
        self.stop_training = False
        called.call("on_train_begin", {})
        for epoch in range(initial_epoch, params["epochs"]):
            called.call("on_epoch_begin", epoch, {})
            self.reset_metrics()
            average = Average(self._stateful_places())
            try:
                is_whole = self._train_epoch(batches(), average, called, _step_count(params))
            except OutOfRangeError:
                if not ends:
                    raise
                is_whole = True
                tf_logging.warning(
                    "Your dataset iterator ran out of data; interrupting training, for which %d batches are needed.",
                    params["steps"] * params["epochs"],
                )
            results = average.values()
            logs = dict(zip(self.metrics_names, results, strict=bool(results)))
            if validate and is_whole and _is_due(epoch + 1, validation_freq):
                logs.update((f"val_{name}", x) for name, x in zip(self.metrics_names, validate(called), strict=True))
            called.call("on_epoch_end", epoch, logs)
            if self.stop_training:
                break
        called.call("on_train_end", {})
        return history

    def _own_callbacks(self, callbacks: Iterable[Any] | None) -> list[Any]:
        """Returns the callbacks of this process: of processes that train together, only the first writes files."""
        part = self._replica_part
        is_writer = part is None or part.strategy.extended.should_checkpoint
        return [callback for callback in callbacks or () if is_writer or not getattr(callback, "writes_files", False)]

    def _train_epoch(
        self, batches: Iterator[tuple[Batch, int]], average: Average, called: Callbacks, count: int | None
    ) -> bool:
        """Trains on the batches of an epoch, and returns True if none was left out."""
        for i, (batch, size) in enumerate(batches):
            called.call("on_train_batch_begin", i, {"batch": i, "size": size})
            values = self._train_step(*batch)
            average.add(values, size)
            logs = dict(zip(self.metrics_names, values, strict=True))
            called.call("on_train_batch_end", i, {"batch": i, "size": size, **logs})
            if self.stop_training and (count is None or i + 1 < count):
                return False
        return True

    def _yielded(self, batches: Passes, class_weight: Any = None) -> Batch:
        given = batches.next()
        if not isinstance(given, tuple) or len(given) not in (2, 3):
            raise ValueError(
                "The output of a generator should be a tuple `(x, y, sample_weight)` or `(x, y)`. Found: "
                f"{type(given).__name__}"
            )
        self._prepare(given[0])
        return self._batch(given[0], given[1], given[2] if len(given) == 3 else None, class_weight)

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Iterable[Any] | None = None,
        validation_data: Any = None,
        validation_steps: int | None = None,
        validation_freq: IntLike = 1,
        class_weight: DictLike | None = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        shuffle: bool = True,
        initial_epoch: int = 0,
    ) -> History:
        """Trains for some epochs by batches that a generator yields; it is called between the steps.

        Args:
            generator: generator of tuples of inputs and labels, and weights if there are any, or an object with
                `__len__` and `__getitem__` that returns such tuples, as `tf.keras.utils.Sequence`. Its `on_epoch_end`
                is called after each pass.
            steps_per_epoch: int, the number of batches of an epoch; None for the object's length. If it differs, a pass
                continues in the next epoch, or the next pass begins in an epoch.
            epochs: int, the number of the epoch to end before.
            verbose: int, 0 to print nothing, 1 for a bar, 2 for a line an epoch.
            callbacks: list of Callback.
            validation_data: tuple as `fit` takes it, or generator or object of batches.
            validation_steps: int, the number of batches of a generator that validate.
            validation_freq: int, every which epoch is validated; or list of the epochs' numbers, from 1.
            class_weight: dict from the numbers of classes to weights; None for 1.
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.
            shuffle: bool. If True, each pass takes the batches of an object in another order.
            initial_epoch: int, the number of the first epoch.

        Returns:
            History.

        Raises:
            RuntimeError: if the model is not compiled.
            ValueError: if the arrays do not match the model's inputs and outputs, a generator ends early, or its number
                of steps is not given.
        """
        if self.optimizer is None:
            self._compiled()
        passes = Passes(generator, steps_per_epoch, shuffle)
        first = [self._yielded(passes, class_weight)] if self._compilation is None else []

        def batches() -> Iterator[tuple[Batch, int]]:
            for _ in range(passes.steps):
                batch = first.pop() if first else self._yielded(passes, class_weight)
                yield batch, _size(batch)
                passes.end_pass()

        validate: Callable[[Callbacks], list[float]] | None = None
        data = None
        if isinstance(validation_data, (tuple, list)):
            given = self._given(*_parts_of(validation_data))
            data = self._validation_data(given)

            def validate_arrays(called: Callbacks) -> list[float]:
                return self._evaluated(given.batches(None, None), called)

            validate = validate_arrays
        elif validation_data is not None:
            Passes(validation_data, validation_steps)  # raises if it gives no number of steps

            def validate_generator(called: Callbacks) -> list[float]:
                return self._evaluated_by(Passes(validation_data, validation_steps), called)

            validate = validate_generator
        params = {"epochs": epochs, "steps": passes.steps, "verbose": verbose}
        return self._fitted(batches, validate, data, params, callbacks, initial_epoch, validation_freq=validation_freq)

    def _evaluated_by(self, batches: Passes, called: Callbacks) -> list[float]:
        given = (self._yielded(batches) for _ in range(batches.steps))
        return self._evaluated(((batch, _size(batch)) for batch in given), called)

    def _called(
        self,
        callbacks: Iterable[Any] | None,
        verbose: int,
        steps: int | None,
        samples: int | None,
        metrics: list[str] | None,
    ) -> Callbacks:
        """Returns the callbacks of an evaluation or of predictions."""
        shown = [ProgbarLogger("samples" if steps is None else "steps", self.stateful_metric_names)] if verbose else []
        # No epochs: nothing is fitted.
        params = {"epochs": None, "steps": steps, "samples": samples, "verbose": verbose, "metrics": metrics}
        return Callbacks([*(callbacks or ()), *shown], self, params, None)

    def evaluate_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Iterable[Any] | None = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: int = 0,
    ) -> Any:
        """Returns the loss over the batches of a generator; with metrics a list of it and them.

        Args:
            generator: as `fit_generator`.
            steps: int, the number of batches; None for the object's length.
            callbacks: list of Callback.
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.
            verbose: int, 0 to print nothing, 1 for a bar, 2 for a line.

        Returns:
            float, or list of float.

        Raises:
            RuntimeError: if the model is not compiled.
            ValueError: on the same conditions as `fit_generator`.
        """
        if self.optimizer is None:
            self._compiled()
        passes = Passes(generator, steps)
        called = self._called(callbacks, verbose, passes.steps, None, None)
        return one_or_list(self._evaluated_by(passes, called))

    def predict_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Iterable[Any] | None = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: int = 0,
    ) -> Any:
        """Computes the predictions for the batches of a generator.

        Args:
            generator: generator of inputs, or of tuples of inputs and labels, or an object with `__len__` and
                `__getitem__` that gives such.
            steps: int, the number of batches; None for the object's length.
            callbacks: list of Callback.
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.
            verbose: int, 0 to print nothing, 1 for a bar, 2 for a line.

        Returns:
            numpy.ndarray of the output's dtype, of shape [examples, ...]; a list of them if there are several
            outputs.

        Raises:
            ValueError: on the same conditions as `fit_generator`.
        """
        batches = Passes(generator, steps)

        def drawn() -> Iterator[tuple[Batch, int]]:
            for _ in range(batches.steps):
                given = batches.next()
                batch = self._one_batch(self._given(given[0] if isinstance(given, tuple) else given, labelled=False))
                yield batch, _size(batch)

        return self._predicted(drawn(), self._called(callbacks, verbose, batches.steps, None, []))

    def _predicted(self, batches: Iterable[tuple[Batch, int]], called: Callbacks) -> Any:
        found = []
        called.call("on_predict_begin", {})
        for i, (batch, size) in enumerate(batches):
            called.call("on_predict_batch_begin", i, {"batch": i, "size": size})
            outputs = self._run(False, list(self.outputs), *batch)
            found.append(outputs)
            called.call("on_predict_batch_end", i, {"batch": i, "size": size, "outputs": outputs})
        called.call("on_predict_end", {})
        return one_or_list([np.concatenate(parts) for parts in zip(*found, strict=True)])

    def _evaluated(self, batches: Iterable[tuple[Batch, int]], called: Callbacks) -> list[float]:
        self.reset_metrics()
        average = Average(self._stateful_places())
        called.call("on_test_begin", {})
        for i, (batch, size) in enumerate(batches):
            called.call("on_test_batch_begin", i, {"batch": i, "size": size})
            values = self._test_step(batch)
            average.add(values, size)
            logs = dict(zip(self.metrics_names, values, strict=True))
            called.call("on_test_batch_end", i, {"batch": i, "size": size, **logs})
        results = average.values()
        called.call("on_test_end", dict(zip(self.metrics_names, results, strict=bool(results))))
        return results

    def evaluate(
        self,
        x: NestedTensors | None = None,
        y: NestedTensors | None = None,
        batch_size: int | None = None,
        verbose: int = 1,
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Iterable[Any] | None = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """Returns the loss over all batches; with metrics a list of it and them, in the order of `metrics_names`.

        Args:
            x: as `fit`.
            y: as `fit`.
            batch_size: int, the number of examples of a batch; None for 32.
            verbose: int, 0 to print nothing, 1 for a bar, 2 for a line.
            sample_weight: as `fit`.
            steps: int, the number of steps, as `fit` takes them; None if arrays are cut into batches.
            callbacks: list of Callback.
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.

        Returns:
            float, or list of float.

        Raises:
            RuntimeError: if the model is not compiled.
            ValueError: if the arrays do not match the model's inputs and outputs, tensors are given without a number of
                steps, or both `batch_size` and a number of steps are given.
        """
        if yields_batches(x):
            _check_batches_alone(y, batch_size, sample_weight)
            return self.evaluate_generator(x, steps, callbacks, verbose=verbose)
        self._check_end(x, steps, "steps")
        given = self._given(x, y, sample_weight)
        _check_steps(given, batch_size, steps, "steps")
        called = self._called(callbacks, verbose, steps, given.count, self.metrics_names)
        return one_or_list(self._evaluated(given.batches(batch_size, steps), called))

    def _check_end(self, x: Any, steps: int | None, name: str) -> None:
        """Raises ValueError for a dataset without an end that would have to end."""
        if steps is not None or not isinstance(x, Dataset):
            return
        with self.graph.as_default():
            count = get_session().run(cardinality(x))
        if count == INFINITE_CARDINALITY:
            raise ValueError(
                f"When passing an infinitely repeating dataset, you must specify the `{name}` argument: {x}"
            )

    def predict(
        self,
        x: NestedTensors | None = None,
        batch_size: int | None = None,
        verbose: int = 0,
        steps: int | None = None,
        callbacks: Iterable[Any] | None = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """Computes the predictions for all examples.

        Args:
            x: as `fit`.
            batch_size: int, the number of examples of a batch; None for 32.
            verbose: int, 0 to print nothing, 1 for a bar, 2 for a line.
            steps: int, the number of steps, as `fit` takes them; None if arrays are cut into batches.
            callbacks: list of Callback.
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.

        Returns:
            numpy.ndarray of the output's dtype, of shape [examples, ...]; a list of them if there are several
            outputs.

        Raises:
            ValueError: if the arrays do not match the model's inputs and outputs, tensors are given without a number of
                steps, or both `batch_size` and a number of steps are given.
        """
        if yields_batches(x):
            _check_batches_alone(None, batch_size, None)
            return self.predict_generator(x, steps, callbacks, verbose=verbose)
        self._check_end(x, steps, "steps")
        given = self._given(x, labelled=False)
        _check_steps(given, batch_size, steps, "steps")
        called = self._called(callbacks, verbose, steps, given.count, [])
        return self._predicted(given.batches(batch_size, steps), called)


def _is_due(number: int, frequency: Any) -> bool:
    """Returns whether an epoch of a number, from 1, is validated."""
    return number % frequency == 0 if isinstance(frequency, int) else number in frequency


def _extent(
    given: Arrays | Drawn, steps: int | None, validation: Arrays | Drawn | None, validation_steps: int | None
) -> str:
    """Returns how much is trained, and validated, in an epoch."""
    words = f"Train on {_amount(given, steps)}"
    return words if validation is None else f"{words}, validate on {_amount(validation, validation_steps)}"


def _amount(given: Arrays | Drawn, steps: int | None) -> str:
    if steps is not None:
        return f"{steps} steps"
    return "a dataset" if given.count is None else f"{given.count} samples"


def _check_batches_alone(y: Any, batch_size: int | None, sample_weight: Any, validation_split: float = 0.0) -> None:
    """Raises ValueError for arguments that contradict the batches of a generator."""
    given = {
        "y": y,
        "batch_size": batch_size,
        "sample_weight": sample_weight,
        "validation_split": validation_split or None,
    }
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"`{name}` must not be given with a generator or Sequence, whose batches are complete.")


def _step_count(params: dict[str, Any]) -> int | None:
    """Returns the number of batches of an epoch; None for that of a dataset."""
    steps: int | None = params["steps"]
    if steps is None and params["samples"] is None:
        return None
    return -(-params["samples"] // params["batch_size"]) if steps is None else steps


def _size(batch: Batch) -> int:
    return len(batch[0][0]) if batch[0] else len(batch[1][0])


def _parts_of(validation_data: Any) -> tuple[Any, ...]:
    """Returns the inputs, labels and weights that validate, or a dataset or its iterator."""
    if not isinstance(validation_data, (tuple, list)):
        return (validation_data,)
    if len(validation_data) not in (2, 3):
        raise ValueError(
            "`validation_data` should be a tuple of inputs and labels, and weights if there are any, but it has "
            f"{len(validation_data)} items: {validation_data}"
        )
    return tuple(validation_data)


def _check_steps(given: Arrays | Drawn, batch_size: int | None, steps: int | None, name: str) -> None:
    if isinstance(given, Drawn) and given.has_start:
        if batch_size is not None:
            raise ValueError(f"A dataset has batches of its own: `batch_size` must be None, but is {batch_size}.")
    elif steps is None and (isinstance(given, Drawn) or given.count is None):
        raise ValueError(f"If the data are tensors of the graph, you should specify the `{name}` argument.")
    if steps is not None and batch_size is not None:
        raise ValueError(f"If {name} is set, the `batch_size` must be None.")
