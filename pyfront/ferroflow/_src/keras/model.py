"""`Model`: a network that is compiled and fitted."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.keras import optimizers
from ferroflow._src.keras.backend import get_session, learning_phase
from ferroflow._src.keras.base_layer import mask_of
from ferroflow._src.keras.batches import (
    Average,
    Batch,
    as_arrays,
    batches_of,
    check_lengths,
    check_shape,
    next_batch,
    part_of,
    places,
    weights_of,
    with_column,
)
from ferroflow._src.keras.callbacks import Callbacks, History
from ferroflow._src.keras.compiling import Compilation
from ferroflow._src.keras.losses import LOSSES
from ferroflow._src.keras.network import Network, as_list, one_or_list
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.state.assigning import assign

__all__ = ["Model"]


class Model(Network):
    """Layers between inputs and outputs.

    Args:
        inputs: Tensor that `Input` returned, of any dtype, of shape [batch, ...], or list of them.
        outputs: Tensor that layers made of them, of any dtype, of shape [batch, ...], or list of them.
        name: str, its name; made by default.

    Raises:
        ValueError: an input is not `Input`'s, or an output does not come from the inputs by layers.
    """

    def compile(
        self,
        optimizer: Any,
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        sample_weight_mode: Any = None,
        weighted_metrics: Any = None,
        target_tensors: Any = None,
        **kwargs: Any,
    ) -> None:
        """Says what fitting means.

        Args:
            optimizer: one of Keras's, its name, or one of `tf.train`.
            loss: callable of labels and predictions, or its name; for several outputs a list or a dict by their names.
                An output without a loss takes no labels. None where `add_loss` says all that is minimized.
            metrics: list of callables of labels and predictions, or names, "accuracy" among them; dict of lists by the
                outputs' names.
            loss_weights: list of the weights of the outputs' losses, or dict by their names; 1 by default.
            sample_weight_mode: "temporal" for weights of steps, of shape [batch, steps]; None for weights of examples;
                for several outputs a list or a dict by their names.
            weighted_metrics: as `metrics`, of metrics that heed the weights of examples.
            target_tensors: Tensors of numbers, the labels where they are not to be fed, in a list or a dict by the
                outputs' names; None where they are.
            **kwargs: arguments of `Session.run` are not offered.

        Raises:
            ValueError: a name is not known, there are more or fewer losses than outputs, or there is no loss.
            NotImplementedError: there are further arguments.
        """
        if kwargs:
            raise NotImplementedError(
                f"compile does not take arguments of Session.run: {sorted(kwargs)}. Run `model.total_loss` with "
                "them in a session."
            )
        with self.graph.as_default():
            self.optimizer = optimizers.get(optimizer)
            self.loss, self.metrics, self.loss_weights = loss, metrics or [], loss_weights
            self.sample_weight_mode, self.weighted_metrics = sample_weight_mode, weighted_metrics
            made = Compilation(
                self.outputs,
                self.output_names,
                [mask_of(output) for output in self.outputs],
                self.losses,
                loss,
                metrics,
                loss_weights,
                sample_weight_mode,
                weighted_metrics,
                target_tensors,
            )
        self._compilation = made
        self.total_loss, self.targets, self.sample_weights = made.total_loss, made.targets, made.weights
        self.metrics_names, self.metrics_tensors = made.names, made.tensors
        self.loss_functions = made.functions
        self._fetches = [made.total_loss, *made.tensors]
        self._train_op: Any = None
        # TF 1.x: a model that is made not trainable after this, for a part of another one, still trains itself.
        self._collected_trainable_weights = self.trainable_weights

    def _training_operation(self) -> Any:
        if len(self._collected_trainable_weights) != len(self.trainable_weights):
            tf_logging.warning(
                "Discrepancy between trainable weights and collected trainable weights, did you set `model.trainable` "
                "without calling `model.compile` after ?"
            )
        if self._train_op is None:
            with self.graph.as_default(), name_scope("training"):
                steps = self.optimizer.get_updates(self.total_loss, self._collected_trainable_weights)
                # Those of calls of its layers elsewhere would need what is fed there.
                updates = [*self.get_updates_for(None), *self.get_updates_for(self.inputs)]
                self._train_op = group(*map(_as_operation, steps), *updates)
        return self._train_op

    def _check_compiled(self) -> None:
        if self.optimizer is None:
            raise RuntimeError(
                "You must compile a model before training/testing. Use `model.compile(optimizer, loss)`."
            )

    def _run(self, training: bool, fetches: Any, x: list[Any], y: list[Any], weights: list[Any]) -> Any:
        with self.graph.as_default():
            feeds = dict(zip(self._fed_inputs(), x, strict=True))
            if y:
                fed = self._compilation.fed
                feeds.update(zip([self.targets[i] for i in fed], y, strict=True))
                feeds.update(zip([self.sample_weights[i] for i in fed], weights, strict=True))
            phase = learning_phase()
            if isinstance(phase, Tensor):
                feeds[phase] = training
            return get_session().run(fetches, feeds)

    def _fed_inputs(self) -> list[Tensor]:
        """The inputs that are fed: those that are no values of a program."""
        return [tensor for tensor in self.inputs if tensor.op.type == "Placeholder"]

    def _batch(self, x: Any, y: Any, sample_weight: Any, class_weight: Any = None) -> Batch:
        """Inputs, labels and weights as arrays.

        Raises:
            ValueError: there are more or fewer, they have different lengths, or other shapes than the model's.
        """
        fed = self._fed_inputs()
        names = [name for name, tensor in zip(self.input_names, self.inputs, strict=True) if tensor in fed]
        inputs = as_arrays(x, names, "inputs")
        for i, tensor in enumerate(fed):
            if inputs[i].ndim == 1 and (tensor.get_shape().ndims or 0) > 1:
                inputs[i] = with_column(inputs[i])
            check_shape(inputs[i], tensor)
        if y is None:
            return inputs, [], []
        outputs = self._compilation.fed
        names = [self.output_names[i] for i in outputs]
        labels = [with_column(a) for a in as_arrays(y, names, "outputs")]
        for array, i in zip(labels, outputs, strict=True):
            check_shape(array, self.targets[i])
            wide = self.outputs[i].get_shape()[-1].value
            # A program's own losses may take labels of any shape.
            if self.loss_functions[i] in LOSSES.values() and array.shape[-1] not in (1, wide):
                raise ValueError(
                    f"Labels have {array.shape[-1]} columns, but the output {self.outputs[i].op.name} has {wide}."
                )
        check_lengths([*inputs, *labels])
        modes = [self._compilation.modes[i] for i in outputs]
        return inputs, labels, weights_of(labels, names, modes, sample_weight, class_weight)

    def train_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None) -> Any:
        """One step of training.

        Args:
            x: array, list of them, or dict by the inputs' names.
            y: array, list of them, or dict by the outputs' names.
            sample_weight: array of the examples' weights; None for 1.
            class_weight: dict from the numbers of classes to weights; None for 1.

        Returns:
            The loss before the step; with metrics a list of it and them.

        Raises:
            RuntimeError: the model is not compiled.
            ValueError: arrays do not fit.
        """
        self._check_compiled()
        batch = self._batch(x, y, sample_weight, class_weight)
        return one_or_list(self._train_step(*batch))

    def _train_step(self, inputs: list[Any], labels: list[Any], weights: list[Any]) -> list[Any]:
        fetches = [*self._fetches, self._training_operation()]
        return list(self._run(True, fetches, inputs, labels, weights))[:-1]

    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Computes the loss of a batch.

        Args:
            x: array, list of them, or dict by the inputs' names.
            y: array, list of them, or dict by the outputs' names.
            sample_weight: array of the examples' weights; None for 1.

        Returns:
            The loss, a float; with metrics a list of it and them.

        Raises:
            RuntimeError: the model is not compiled.
            ValueError: arrays do not fit.
        """
        self._check_compiled()
        return one_or_list(list(self._run(False, self._fetches, *self._batch(x, y, sample_weight))))

    def predict_on_batch(self, x: Any) -> Any:
        """Computes the predictions of a batch.

        Args:
            x: array, list of them, or dict by the inputs' names.

        Returns:
            numpy.ndarray of the output's dtype, of shape [batch, ...]; a list of them where there are several outputs.

        Raises:
            ValueError: arrays do not fit.
        """
        inputs = self._batch(x, None, None)[0]
        return one_or_list(list(self._run(False, list(self.outputs), inputs, [], [])))

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int = 32,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Iterable[Any] | None = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
    ) -> History:
        """Trains for some epochs.

        Args:
            x: array, list of them, or dict by the inputs' names.
            y: array, list of them, or dict by the outputs' names.
            batch_size: int, the number of examples of a batch; the last one may have fewer.
            epochs: int, the number of the epoch to end before.
            verbose: int, 0 to print nothing.
            callbacks: list of Callback.
            validation_split: float, the part of the examples, the last ones, that validate and do not train.
            validation_data: tuple of inputs and labels, and weights if there are any, that validate.
            shuffle: bool, whether each epoch takes the examples in another order, by NumPy's global generator.
            class_weight: dict from the numbers of classes to weights; None for 1.
            sample_weight: array of the examples' weights; None for 1.
            initial_epoch: int, the number of the first epoch.

        Returns:
            History.

        Raises:
            RuntimeError: the model is not compiled.
            ValueError: arrays do not fit.
        """
        self._check_compiled()
        batch = self._batch(x, y, sample_weight, class_weight)
        validation = None
        if validation_data is not None:
            weights = validation_data[2] if len(validation_data) > 2 else None
            validation = self._batch(validation_data[0], validation_data[1], weights)
        elif validation_split:
            cut = int(len(batch[0][0]) * (1.0 - validation_split))
            validation = part_of(batch, slice(cut, None))
            batch = part_of(batch, slice(cut))
        count = len(batch[0][0])

        def batches() -> Iterator[Batch]:
            return (part_of(batch, chosen) for chosen in places(count, batch_size, shuffle))

        def validate() -> list[float]:
            return self._evaluated(validation, batch_size) if validation else []

        params = {"batch_size": batch_size, "epochs": epochs, "samples": count, "verbose": verbose}
        return self._fitted(batches, validate if validation else None, params, callbacks, initial_epoch)

    def _fitted(
        self,
        batches: Callable[[], Iterator[Batch]],
        validate: Callable[[], list[float]] | None,
        params: dict[str, Any],
        callbacks: Iterable[Any] | None,
        initial_epoch: int,
    ) -> History:
        """Trains by the batches of each epoch."""
        history = History()
        names = self.metrics_names + ([f"val_{n}" for n in self.metrics_names] if validate else [])
        called = Callbacks([*(callbacks or ()), history], self, {**params, "metrics": names})
        self.stop_training = False
        called.call("on_train_begin", {})
        for epoch in range(initial_epoch, params["epochs"]):
            called.call("on_epoch_begin", epoch, {})
            average = Average()
            for i, batch in enumerate(batches()):
                size = len(batch[0][0])
                called.call("on_batch_begin", i, {"batch": i, "size": size})
                values = self._train_step(*batch)
                average.add(values, size)
                logs = dict(zip(self.metrics_names, values, strict=True))
                called.call("on_batch_end", i, {"batch": i, "size": size, **logs})
                if self.stop_training:
                    break
            results = average.values()
            if validate:
                results += validate()
            logs = dict(zip(names, results, strict=True))
            if params["verbose"]:
                print(
                    f"Epoch {epoch + 1}/{params['epochs']}\n - " + " - ".join(f"{k}: {v:.4f}" for k, v in logs.items())
                )
            called.call("on_epoch_end", epoch, logs)
            if self.stop_training:
                break
        called.call("on_train_end", {})
        return history

    def _yielded(self, batches: Iterator[Any], class_weight: Any = None) -> Batch:
        given = next_batch(batches)
        if not isinstance(given, tuple) or len(given) not in (2, 3):
            raise ValueError(
                "The output of a generator should be a tuple `(x, y, sample_weight)` or `(x, y)`. Found: "
                f"{type(given).__name__}"
            )
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
        class_weight: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        shuffle: bool = True,
        initial_epoch: int = 0,
    ) -> History:
        """Trains for some epochs by batches that a generator yields; it is called between the steps.

        Args:
            generator: generator of tuples of inputs and labels, and weights if there are any, or an object with
                `__len__` and `__getitem__` that gives such tuples.
            steps_per_epoch: int, the number of batches of an epoch; None for the object's length.
            epochs: int, the number of the epoch to end before.
            verbose: int, 0 to print nothing.
            callbacks: list of Callback.
            validation_data: tuple as `fit` takes it, or generator or object of batches.
            validation_steps: int, the number of batches of a generator that validate.
            class_weight: dict from the numbers of classes to weights; None for 1.
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.
            shuffle: bool, whether each epoch takes the batches of an object in another order.
            initial_epoch: int, the number of the first epoch.

        Returns:
            History.

        Raises:
            RuntimeError: the model is not compiled.
            ValueError: arrays do not fit, a generator ends early, or its number of steps is not given.
        """
        self._check_compiled()
        source, steps = batches_of(generator, steps_per_epoch)

        def batches() -> Iterator[Batch]:
            order: Iterator[Any] = source
            if shuffle and hasattr(generator, "__getitem__"):
                order = (generator[i] for i in np.random.permutation(len(generator)))
            return (self._yielded(order, class_weight) for _ in range(steps))

        validate: Callable[[], list[float]] | None = None
        if isinstance(validation_data, tuple):
            weights = validation_data[2] if len(validation_data) > 2 else None
            given = self._batch(validation_data[0], validation_data[1], weights)
            validate = functools.partial(self._evaluated, given, 32)
        elif validation_data is not None:
            validate = functools.partial(self._evaluated_by, *batches_of(validation_data, validation_steps))
        params = {"epochs": epochs, "steps": steps, "verbose": verbose}
        return self._fitted(batches, validate, params, callbacks, initial_epoch)

    def _evaluated_by(self, batches: Iterator[Any], steps: int) -> list[float]:
        average = Average()
        for _ in range(steps):
            batch = self._yielded(batches)
            average.add(self._run(False, self._fetches, *batch), len(batch[0][0]))
        return average.values()

    def evaluate_generator(
        self,
        generator: Any,
        steps: int | None = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The loss over the batches of a generator; with metrics a list of it and them.

        Args:
            generator: as `fit_generator`.
            steps: int, the number of batches; None for the object's length.
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.

        Returns:
            float, or list of float.

        Raises:
            RuntimeError: the model is not compiled.
            ValueError: as `fit_generator`.
        """
        self._check_compiled()
        return one_or_list(self._evaluated_by(*batches_of(generator, steps)))

    def predict_generator(
        self,
        generator: Any,
        steps: int | None = None,
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
            max_queue_size: accepted; nothing is read ahead.
            workers: accepted; nothing is read ahead.
            use_multiprocessing: accepted; nothing is read ahead.
            verbose: accepted; nothing is printed.

        Returns:
            numpy.ndarray of the output's dtype, of shape [examples, ...]; a list of them where there are several
            outputs.

        Raises:
            ValueError: as `fit_generator`.
        """
        batches, steps = batches_of(generator, steps)
        found = []
        for _ in range(steps):
            given = next_batch(batches)
            found.append(as_list(self.predict_on_batch(given[0] if isinstance(given, tuple) else given)))
        return one_or_list([np.concatenate(parts) for parts in zip(*found, strict=True)])

    def _evaluated(self, batch: Batch, batch_size: int) -> list[float]:
        average = Average()
        for chosen in places(len(batch[0][0]), batch_size, False):
            average.add(self._run(False, self._fetches, *part_of(batch, chosen)), len(chosen))
        return average.values()

    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: int = 32, verbose: int = 1, sample_weight: Any = None
    ) -> Any:
        """The loss over all batches; with metrics a list of it and them, in the order of `metrics_names`.

        Args:
            x: as `fit`.
            y: as `fit`.
            batch_size: int, the number of examples of a batch.
            verbose: accepted; nothing is printed.
            sample_weight: as `fit`.

        Returns:
            float, or list of float.

        Raises:
            RuntimeError: the model is not compiled.
            ValueError: arrays do not fit.
        """
        self._check_compiled()
        return one_or_list(self._evaluated(self._batch(x, y, sample_weight), batch_size))

    def predict(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Computes the predictions for all examples.

        Args:
            x: array, list of them, or dict by the inputs' names.
            batch_size: int, the number of examples of a batch.
            verbose: accepted; nothing is printed.

        Returns:
            numpy.ndarray of the output's dtype, of shape [examples, ...]; a list of them where there are several
            outputs.

        Raises:
            ValueError: arrays do not fit.
        """
        inputs = self._batch(x, None, None)[0]
        found = [
            self._run(False, list(self.outputs), [a[chosen] for a in inputs], [], [])
            for chosen in places(check_lengths(inputs), batch_size, False)
        ]
        return one_or_list([np.concatenate(parts) for parts in zip(*found, strict=True)])


def _as_operation(update: Any) -> Any:
    """A step of an optimizer, which may be a variable and its new value."""
    return assign(*update) if isinstance(update, tuple) else update
