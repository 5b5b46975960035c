"""`Model` and `Sequential`: layers put together, compiled and fitted."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ferroflow._src.base import nest, tf_logging
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.keras import hdf5, losses as losses_by_name, metrics as metrics_by_name, optimizers
from ferroflow._src.keras.backend import batch_get_value, get_session, learning_phase
from ferroflow._src.keras.base_layer import Call, Input, InputLayer, call_of, mask_of, note_call, set_weights, shape_of
from ferroflow._src.keras.batches import Average, as_arrays, batches_of, check_lengths, next_batch, places, with_column
from ferroflow._src.keras.callbacks import Callbacks, History
from ferroflow._src.keras.configurations import serialized
from ferroflow._src.layers.naming import to_snake_case, unique_layer_name
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import not_equal
from ferroflow._src.ops.math.reduction import reduce_mean

__all__ = ["Model", "Sequential"]


_VERSION = "2.1.5-tf"
_Batch = tuple[list[Any], list[Any], list[Any]]


def _as_list(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _one_or_list(x: list[Any]) -> Any:
    return x[0] if len(x) == 1 else x


class Model:
    """Layers between inputs and outputs.

    Args:
        inputs: Tensor that `Input` returned, of any dtype, of shape [batch, ...], or list of them.
        outputs: Tensor that layers made of them, of any dtype, of shape [batch, ...], or list of them.
        name: str, its name; made by default.

    Raises:
        ValueError: an input is not `Input`'s, or an output does not come from the inputs by layers.
    """

    # Whether its layers are trained; what a model trains is settled when it is compiled.
    trainable = True

    def __init__(self, inputs: Any, outputs: Any, name: str | None = None) -> None:
        self.name = name or unique_layer_name(to_snake_case(type(self).__name__), zero_based=True)
        self.stop_training = False
        self.optimizer: Any = None
        self._connect(_as_list(inputs), _as_list(outputs))

    def _connect(self, inputs: list[Tensor], outputs: list[Tensor]) -> None:
        for tensor in inputs:
            made = call_of(tensor)
            if made is None or not isinstance(made.layer, InputLayer):
                raise ValueError(
                    f"Input tensors to a {type(self).__name__} must come from `tf.keras.layers.Input`: {tensor}"
                )
        self.inputs, self.outputs = inputs, outputs
        self._calls: list[tuple[Tensor, Call]] = []
        seen = set(inputs)

        def follow(tensor: Tensor) -> None:
            if tensor in seen:
                return
            seen.add(tensor)
            made = call_of(tensor)
            if made is None or isinstance(made.layer, InputLayer):
                raise ValueError(
                    f"Output tensors to a {type(self).__name__} must be the output of layers of its inputs: {tensor} "
                    "is not. Put operations on tensors into a Lambda layer."
                )
            for source in nest.flatten(made.inputs):
                follow(source)
            self._calls.append((tensor, made))

        for output in outputs:
            follow(output)
        self.layers: list[Any] = []
        for layer in [made.layer for made in map(call_of, inputs) if made] + [made.layer for _, made in self._calls]:
            if layer not in self.layers:
                self.layers.append(layer)

    @property
    def graph(self) -> Graph:
        """The graph of its tensors."""
        return self.outputs[0].graph

    @property
    def input(self) -> Any:
        """The input, or the list of them."""
        return _one_or_list(self.inputs)

    @property
    def output(self) -> Any:
        """The output, or the list of them."""
        return _one_or_list(self.outputs)

    @property
    def input_shape(self) -> Any:
        """The shape of the input, as a tuple, or the list of them."""
        return shape_of(self.inputs)

    @property
    def output_shape(self) -> Any:
        """The shape of the output, as a tuple, or the list of them."""
        return shape_of(self.outputs)

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs' layers."""
        return [made.layer.name for made in map(call_of, self.inputs) if made]

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs' layers."""
        return [made.layer.name for made in map(call_of, self.outputs) if made]

    def _of_layers(self, attribute: str) -> list[Any]:
        return [x for layer in self.layers for x in getattr(layer, attribute)]

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained."""
        return self._of_layers("trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not trained."""
        fixed = self._of_layers("non_trainable_weights")
        return fixed if self.trainable else self._of_layers("trainable_weights") + fixed

    @property
    def weights(self) -> list[Any]:
        """The variables of all layers, layer by layer."""
        return self._of_layers("weights")

    @property
    def updates(self) -> list[Any]:
        """What is to run with each training step."""
        return self._of_layers("updates") if self.trainable else []

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates that depend on some inputs.

        Args:
            inputs: Tensor of any dtype and shape, or list of them; None for the updates that depend on no inputs.

        Returns:
            list of Operations.
        """
        return [x for layer in self.layers for x in layer.get_updates_for(inputs)] if self.trainable else []

    @property
    def losses(self) -> list[Any]:
        """The losses of variables and outputs."""
        return self._of_layers("losses")

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Finds a layer by its name or its place.

        Args:
            name: str, its name; None for the place alone.
            index: int, its place among `layers`.

        Returns:
            KerasLayer or other layer of the model.

        Raises:
            ValueError: there is none.
        """
        for i, layer in enumerate(self.layers):
            if layer.name == name or (name is None and i == index):
                return layer
        raise ValueError(f"No such layer: {name if name is not None else index}")

    def __call__(self, inputs: Any) -> Any:
        """The outputs for other inputs, with the same layers and variables.

        Args:
            inputs: Tensor, or list of them.

        Returns:
            Tensor, or list of them.
        """
        values: dict[Tensor, Any] = dict(zip(self.inputs, _as_list(inputs), strict=True))
        for tensor, made in self._calls:
            if tensor not in values:
                taken = nest.map_structure(lambda t: values[t], made.inputs)
                results = nest.flatten(made.layer(taken, **made.arguments))
                values.update(zip(made.outputs, results, strict=True))
        results = [values[t] for t in self.outputs]
        note_call(results, self, inputs, {})
        return _one_or_list(results)

    def get_config(self) -> Any:
        """What the model is made of: its layers, their arguments and how they are called.

        Returns:
            dict of `name`, `layers`, `input_layers` and `output_layers`, whose values JSON can hold.

        Raises:
            NotImplementedError: an argument is a function without a name.
        """
        calls: dict[int, list[Call]] = {id(layer): [] for layer in self.layers}
        of_tensor: dict[Tensor, list[Any]] = {}
        for tensor in self.inputs:
            made = call_of(tensor)
            assert made is not None  # checked when the model was made
            of_tensor[tensor] = [made.layer.name, 0, 0]
        for tensor, made in self._calls:
            known = calls[id(made.layer)]
            if made not in known:
                known.append(made)
            of_tensor[tensor] = [made.layer.name, known.index(made), made.outputs.index(tensor)]
        layers = []
        for layer in self.layers:
            nodes = [
                [[*of_tensor[t], serialized(made.arguments)] for t in nest.flatten(made.inputs)]
                for made in calls[id(layer)]
            ]
            layers.append({"name": layer.name, **_described(layer), "inbound_nodes": nodes})
        return {
            "name": self.name,
            "layers": layers,
            "input_layers": [of_tensor[t] for t in self.inputs],
            "output_layers": [of_tensor[t] for t in self.outputs],
        }

    # How a model is made of its description; `model_configurations`, which knows all layers, says it.
    _of_description: Callable[[dict[str, Any], Any], Any]

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """Makes a model of what `get_config` gives, with new variables.

        Args:
            config: dict, or list of a Sequential's layers.
            custom_objects: dict of classes and functions of the program by the names they have in the description; None
                for none.

        Returns:
            Model, or Sequential if the class is one.

        Raises:
            ValueError: a class or function is not known, or the layers do not follow from the inputs.
        """
        kind = "Sequential" if issubclass(cls, Sequential) else "Model"
        return Model._of_description({"class_name": kind, "config": config}, dict(custom_objects or {}))

    def to_json(self, **kwargs: Any) -> str:
        """What the model is made of, in JSON, for `model_from_json`; without the values of its variables.

        Args:
            **kwargs: arguments of `json.dumps`.

        Returns:
            str.

        Raises:
            NotImplementedError: as `get_config`.
        """
        return json.dumps({**_described(self), "keras_version": _VERSION, "backend": "tensorflow"}, **kwargs)

    def get_weights(self) -> list[Any]:
        """The values of the variables."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: list[Any]) -> None:
        """Gives the variables values.

        Args:
            weights: list of arrays, of the dtypes and shapes of the variables, in their order.

        Raises:
            ValueError: there are more or fewer, or one has another shape.
        """
        set_weights(self, weights)

    def save(self, filepath: str, overwrite: bool = True, include_optimizer: bool = True) -> None:
        """Saves the model as an HDF5 file, as `tf.keras.models.save_model` does.

        Args:
            filepath: str, the file.
            overwrite: bool, whether a file that is there is replaced.
            include_optimizer: bool, as `tf.keras.models.save_model` takes it.

        Raises:
            ImportError: h5py is not installed.
            FileExistsError: the file is there and may not be replaced.
            NotImplementedError: an argument of a layer is a function without a name.
        """
        hdf5.save_model(self, filepath, overwrite, include_optimizer)

    def save_weights(self, filepath: str, overwrite: bool = True, save_format: str | None = None) -> None:
        """Saves the variables, as an HDF5 file where its name ends with .h5, .hdf5 or .keras, else as a checkpoint.

        Args:
            filepath: str, the file, or the checkpoint's prefix.
            overwrite: bool, whether what is there is replaced.
            save_format: str, "h5" for a file, "tf" for a checkpoint; None for what the name says.

        Raises:
            ImportError: h5py is not installed, and a file is to be written.
            FileExistsError: the file or the checkpoint is there and may not be replaced.
        """
        path = str(filepath)
        is_file = hdf5.is_hdf5(path) if save_format is None else save_format != "tf"
        if not overwrite and os.path.exists(path if is_file else f"{path}.index"):
            raise FileExistsError(path)
        if is_file:
            hdf5.save_weights(self, path)
            return
        with self.graph.as_default():
            Saver(self.weights, max_to_keep=None).save(get_session(), path, write_meta_graph=False, write_state=False)

    def load_weights(self, filepath: str, by_name: bool = False) -> None:
        """Restores the variables that `save_weights` saved.

        Args:
            filepath: str, the file, or the checkpoint's prefix.
            by_name: bool, whether layers are found by their names, and not in their order; of files alone.

        Raises:
            ImportError: h5py is not installed, and it is a file.
            ValueError: the file is of other layers.
            tf.errors.OpError: the checkpoint cannot be read, or is of other variables.
        """
        if hdf5.is_hdf5(filepath):
            hdf5.load_weights(self, filepath, by_name)
            return
        with self.graph.as_default():
            Saver(self.weights).restore(get_session(), str(filepath))

    def count_params(self) -> int:
        """The number of elements of the variables."""
        return int(sum(np.prod(w.get_shape().as_list()) for w in self.weights))

    def summary(self, line_length: int = 65, print_fn: Callable[[str], Any] = print) -> None:
        """Prints a table of the layers.

        Args:
            line_length: int, the width.
            print_fn: callable of each line.
        """
        columns = [int(line_length * share) for share in (0.45, 0.85, 1.0)]

        def row(*cells: Any) -> None:
            line = ""
            for cell, end in zip(cells, columns, strict=True):
                line = f"{line}{cell}"[:end].ljust(end)
            print_fn(line.rstrip())

        print_fn("_" * line_length)
        row("Layer (type)", "Output Shape", "Param #")
        print_fn("=" * line_length)
        for layer in self.layers:
            count = sum(int(np.prod(w.get_shape().as_list())) for w in layer.weights)
            row(f"{layer.name} ({type(layer).__name__})", tuple(layer.output.get_shape().as_list()), count)
        print_fn("=" * line_length)
        trained = int(sum(np.prod(w.get_shape().as_list()) for w in self.trainable_weights))
        print_fn(f"Total params: {self.count_params():,}")
        print_fn(f"Trainable params: {trained:,}")
        print_fn(f"Non-trainable params: {self.count_params() - trained:,}")
        print_fn("_" * line_length)

    def compile(self, optimizer: Any, loss: Any, metrics: Any = None, loss_weights: Any = None) -> None:
        """Says what fitting means.

        Args:
            optimizer: one of Keras's, its name, or one of `tf.train`.
            loss: callable of labels and predictions, or its name; for several outputs a list or a dict by their names.
            metrics: list of callables of labels and predictions, or names, "accuracy" among them; dict of lists by the
                outputs' names.
            loss_weights: list of the weights of the outputs' losses, or dict by their names; 1 by default.

        Raises:
            ValueError: a name is not known, or there are more or fewer losses than outputs.
        """
        with self.graph.as_default():
            self.optimizer = optimizers.get(optimizer)
            names = self.output_names
            functions = [losses_by_name.get(x) for x in _by_output(loss, names, repeats=True)]
            scales = [1.0] * len(names) if loss_weights is None else _by_output(loss_weights, names, repeats=False)
            per_output = metrics if isinstance(metrics, dict) else dict.fromkeys(names, metrics or [])
            self.metrics_names = ["loss"]
            self._targets: list[Any] = []
            self._sample_weights: list[Any] = []
            shown, total = [], None
            several = len(names) > 1
            with name_scope("loss"):
                for name, output, function, scale in zip(names, self.outputs, functions, scales, strict=True):
                    is_sparse = function is losses_by_name.sparse_categorical_crossentropy
                    shape = output.get_shape().as_list()
                    shape = [*shape[:-1], 1] if is_sparse else [None] * len(shape)
                    target = placeholder(output.dtype, shape=shape, name=f"{name}_target")
                    weight = placeholder(output.dtype, shape=[None], name=f"{name}_sample_weights")
                    self._targets.append(target)
                    self._sample_weights.append(weight)
                    loss_of_output = _weighted(_masked(function(target, output), output), weight)
                    if several:
                        self.metrics_names.append(f"{name}_loss")
                        shown.append(loss_of_output)
                    total = scale * loss_of_output if total is None else total + scale * loss_of_output
                for term in self.losses:
                    total = total + term
            with name_scope("metrics"):
                for name, output, function, target in zip(names, self.outputs, functions, self._targets, strict=True):
                    for metric in _as_list(per_output.get(name, [])):
                        title, compute = _metric(metric, function, output)
                        self.metrics_names.append(f"{name}_{title}" if several else title)
                        shown.append(reduce_mean(compute(target, output)))
            self.total_loss = total
            self._fetches = [total, *shown]
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
                self._train_op = group(*steps, *updates)
        return self._train_op

    def _check_compiled(self) -> None:
        if self.optimizer is None:
            raise RuntimeError(
                "You must compile a model before training/testing. Use `model.compile(optimizer, loss)`."
            )

    def _run(self, training: bool, fetches: Any, x: list[Any], y: list[Any], weights: list[Any]) -> Any:
        with self.graph.as_default():
            feeds = dict(zip(self.inputs, x, strict=True))
            feeds.update(zip(self._targets, y, strict=True) if y else ())
            feeds.update(zip(self._sample_weights, weights, strict=True) if y else ())
            phase = learning_phase()
            if isinstance(phase, Tensor):
                feeds[phase] = training
            return get_session().run(fetches, feeds)

    def _batch(self, x: Any, y: Any, sample_weight: Any, class_weight: Any = None) -> _Batch:
        """Inputs, labels and weights as arrays.

        Raises:
            ValueError: there are more or fewer, they have different lengths, or other shapes than the model's.
        """
        inputs = as_arrays(x, self.input_names, "inputs")
        labels = [with_column(a) for a in as_arrays(y, self.output_names, "outputs")]
        for array, tensor in zip([*inputs, *labels], [*self.inputs, *(self._targets if labels else [])], strict=True):
            shape = tensor.get_shape()
            if not shape[1:].is_compatible_with(array.shape[1:]):
                raise ValueError(
                    f"{tensor.op.name} takes arrays of shape {tuple(shape.as_list())}, but got one of shape "
                    f"{array.shape}"
                )
        for array, output in zip(labels, self.outputs, strict=False):
            wide = output.get_shape()[-1].value
            if labels and array.shape[-1] not in (1, wide):
                raise ValueError(f"Labels have {array.shape[-1]} columns, but the output {output.op.name} has {wide}.")
        count = check_lengths([*inputs, *labels])
        weights = [np.ones(count, np.float32) for _ in labels]
        if sample_weight is not None:
            weights = as_arrays(sample_weight, self.output_names, "outputs")
        if class_weight is not None:
            classes = [a[:, 0] if a.shape[-1] == 1 else a.argmax(-1) for a in labels]
            weights = [
                w * np.array([class_weight[int(c)] for c in of_output], np.float32)
                for w, of_output in zip(weights, classes, strict=True)
            ]
        return inputs, labels, weights

    def train_on_batch(self, x: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Any:
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
        return _one_or_list(self._train_step(*batch))

    def _train_step(self, inputs: list[Any], labels: list[Any], weights: list[Any]) -> list[Any]:
        fetches = [*self._fetches, self._training_operation()]
        return list(self._run(True, fetches, inputs, labels, weights))[:-1]

    def test_on_batch(self, x: Any, y: Any, sample_weight: Any = None) -> Any:
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
        return _one_or_list(list(self._run(False, self._fetches, *self._batch(x, y, sample_weight))))

    def predict_on_batch(self, x: Any) -> Any:
        """Computes the predictions of a batch.

        Args:
            x: array, list of them, or dict by the inputs' names.

        Returns:
            numpy.ndarray of the output's dtype, of shape [batch, ...]; a list of them where there are several outputs.

        Raises:
            ValueError: arrays do not fit.
        """
        inputs = as_arrays(x, self.input_names, "inputs")
        return _one_or_list(list(self._run(False, list(self.outputs), inputs, [], [])))

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
            validation = _part(batch, slice(cut, None))
            batch = _part(batch, slice(cut))
        count = len(batch[0][0])

        def batches() -> Iterator[_Batch]:
            return (_part(batch, chosen) for chosen in places(count, batch_size, shuffle))

        def validate() -> list[float]:
            return self._evaluated(validation, batch_size) if validation else []

        params = {"batch_size": batch_size, "epochs": epochs, "samples": count, "verbose": verbose}
        return self._fitted(batches, validate if validation else None, params, callbacks, initial_epoch)

    def _fitted(
        self,
        batches: Callable[[], Iterator[_Batch]],
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

    def _yielded(self, batches: Iterator[Any], class_weight: Any = None) -> _Batch:
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

        def batches() -> Iterator[_Batch]:
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
        return _one_or_list(self._evaluated_by(*batches_of(generator, steps)))

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
            found.append(_as_list(self.predict_on_batch(given[0] if isinstance(given, tuple) else given)))
        return _one_or_list([np.concatenate(parts) for parts in zip(*found, strict=True)])

    def _evaluated(self, batch: _Batch, batch_size: int) -> list[float]:
        average = Average()
        for chosen in places(len(batch[0][0]), batch_size, False):
            average.add(self._run(False, self._fetches, *_part(batch, chosen)), len(chosen))
        return average.values()

    def evaluate(self, x: Any, y: Any, batch_size: int = 32, verbose: int = 1, sample_weight: Any = None) -> Any:
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
        return _one_or_list(self._evaluated(self._batch(x, y, sample_weight), batch_size))

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
        inputs = as_arrays(x, self.input_names, "inputs")
        found = [
            self._run(False, list(self.outputs), [a[chosen] for a in inputs], [], [])
            for chosen in places(check_lengths(inputs), batch_size, False)
        ]
        return _one_or_list([np.concatenate(parts) for parts in zip(*found, strict=True)])


class Sequential(Model):
    """Layers one after the other.

    Args:
        layers: list of layers, the first of which is an `InputLayer` or has an `input_shape`; None for none yet.
        name: str, its name; made by default.
    """

    def __init__(self, layers: Iterable[Any] | None = None, name: str | None = None) -> None:
        self.name = name or unique_layer_name(to_snake_case(type(self).__name__), zero_based=True)
        self.stop_training = False
        self.optimizer = None
        self.layers = []
        self.inputs, self.outputs = [], []
        for layer in layers or ():
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Adds a layer.

        Args:
            layer: a layer, or a Model.

        Raises:
            ValueError: the first layer has no input shape.
            ValueError: the layer has several outputs.
        """
        if not self.outputs:
            if isinstance(layer, InputLayer):
                self.inputs = self.outputs = [layer.output]
                return
            shape = getattr(layer, "batch_input_shape", None)
            if isinstance(layer, Model):
                shape = tuple(layer.inputs[0].get_shape().as_list())
            if shape is None:
                raise ValueError(
                    "The first layer in a Sequential model must get an `input_shape` or `batch_input_shape` argument."
                )
            start = Input(batch_shape=shape, dtype=getattr(layer, "_input_dtype", None), name=f"{layer.name}_input")
            self.inputs = self.outputs = [start]
        outputs = _as_list(layer(self.outputs[0]))
        if len(outputs) != 1:
            raise ValueError("All layers in a Sequential model should have a single output tensor.")
        self._connect(self.inputs, outputs)
        self.layers = [one for one in self.layers if not isinstance(one, InputLayer)]

    def get_config(self) -> Any:
        """What the model is made of: its layers and their arguments.

        Returns:
            list of dicts of `class_name` and `config`, whose values JSON can hold.

        Raises:
            NotImplementedError: an argument is a function without a name.
        """
        found = [_described(layer) for layer in self.layers]
        if found and self.inputs and "batch_input_shape" not in found[0]["config"]:
            start = self.inputs[0]
            found[0]["config"] = {**found[0]["config"], "batch_input_shape": start.get_shape().as_list()}
            found[0]["config"].pop("input_shape", None)
        return found

    def pop(self) -> None:
        """Removes the last layer.

        Raises:
            TypeError: there is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        made = call_of(self.outputs[0])
        assert made is not None  # a layer gave it
        self._connect(self.inputs, _as_list(made.inputs))
        self.layers = [one for one in self.layers if not isinstance(one, InputLayer)]

    def predict_classes(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Computes the number of each example's class: of the largest prediction, or whether the one prediction is
        above 0.5.

        Args:
            x: array, list of them, or dict by the inputs' names.
            batch_size: int, the number of examples of a batch.
            verbose: accepted; nothing is printed.

        Returns:
            numpy.ndarray of integers, of shape [examples], or [examples, 1] of int32.
        """
        found = self.predict(x, batch_size)
        return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")

    def predict_proba(self, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
        """Computes the predictions for all examples, as `predict` does.

        Args:
            x: array, list of them, or dict by the inputs' names.
            batch_size: int, the number of examples of a batch.
            verbose: accepted; nothing is printed.

        Returns:
            numpy.ndarray of the output's dtype, of shape [examples, ...].
        """
        return self.predict(x, batch_size)


def _described(layer: Any) -> dict[str, Any]:
    """The class of a layer or model and what it is made of."""
    return {"class_name": type(layer).__name__, "config": layer.get_config()}


def _part(batch: _Batch, chosen: Any) -> _Batch:
    """Some of the examples of inputs, labels and weights."""
    inputs, labels, weights = ([a[chosen] for a in arrays] for arrays in batch)
    return inputs, labels, weights


def _by_output(given: Any, names: list[str], repeats: bool) -> list[Any]:
    """What is given for outputs, in their order."""
    if isinstance(given, dict):
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise ValueError(f"Unknown outputs: {unknown}. The outputs are {names}.")
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError(f"The model has {len(names)} outputs, {names}, but {len(given)} were given: {given}")
        return list(given)
    return [given] * len(names) if repeats else [given]


def _metric(given: Any, loss: Any, output: Tensor) -> tuple[str, Callable[..., Any]]:
    """A metric's name and function."""
    if given in ("accuracy", "acc"):
        return "acc", metrics_by_name.accuracy_for(loss, output.get_shape()[-1].value)
    function = metrics_by_name.get(given)
    return function.__name__, function


def _masked(losses: Any, output: Tensor) -> Any:
    """The losses of the steps that count, scaled so that their mean is that of these steps."""
    mask = mask_of(output)
    if mask is None or (losses.get_shape().ndims or 0) < 2:
        return losses
    counts = cast(mask, losses.dtype)
    return losses * counts / reduce_mean(counts)


def _weighted(losses: Any, weights: Any) -> Any:
    """The mean of the examples' losses times their weights, over the examples whose weight is not 0."""
    extra = list(range(1, losses.get_shape().ndims or 1))
    of_examples = reduce_mean(losses, axis=extra) if extra else losses
    return reduce_mean(of_examples * weights / reduce_mean(cast(not_equal(weights, 0), weights.dtype)))
