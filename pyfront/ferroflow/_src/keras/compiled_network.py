"""`CompiledNetwork`: a network with a loss and an optimizer, which runs one batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import DictLike, Identifier, ListLike, NestedTensors
from ferroflow._src.data.dataset import Dataset
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import optimizers
from ferroflow._src.keras.added_metrics import result_of
from ferroflow._src.keras.backend import get_session, learning_phase
from ferroflow._src.keras.batches import (
    Batch,
    as_arrays,
    check_lengths,
    check_shape,
    in_order,
    weights_of,
    with_column,
)
from ferroflow._src.keras.compiling import Compilation
from ferroflow._src.keras.feeding import Arrays, Drawn, is_symbolic, next_of, pair_of
from ferroflow._src.keras.generators import yields_batches
from ferroflow._src.keras.losses import LOSSES, categorical_crossentropy
from ferroflow._src.keras.metric_base import reset_states
from ferroflow._src.keras.network import Network
from ferroflow._src.keras.replicas import ReplicaPart, compiling_strategy
from ferroflow._src.layers.learning_phase import known_learning_phase
from ferroflow._src.layers.nodes import mask_of, one_or_list
from ferroflow._src.layers.reachability import reachable_operations
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.state.assigning import assign


class CompiledNetwork(Network):
    """Base of `Model`: compiles a network, and trains, evaluates and predicts with one batch."""

    _compilation: Compilation | None = None
    # The graph's version at the last search for metrics of layers and the model, and the metrics.
    _metrics_at: tuple[int, list[Any]] | None = None
    # The argument `metrics` of `compile`.
    compile_metrics: Any = None
    # Functions of the values of tensors, which each batch of an evaluation computes.
    _watched: Mapping[Tensor, Callable[[Any], None]] = MappingProxyType({})
    # By whether weights are fed: the operation of a training step, and the loss and the metrics.
    _steps: dict[bool, Any]
    _train_fetches: dict[bool, list[Any]]
    # Of a model that is compiled in the scope of a strategy with several replicas.
    _replica_part: ReplicaPart | None = None

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Identifier | ListLike | None = None,
        metrics: ListLike | None = None,
        loss_weights: ListLike | None = None,
        sample_weight_mode: Any = None,
        weighted_metrics: Any = None,
        target_tensors: NestedTensors | None = None,
        distribute: None = None,
        **kwargs: Any,
    ) -> None:
        """Sets the optimizer, losses and metrics for fitting.

        In the scope of a strategy of `tf.distribute`, the processes train the model together. Each computes its part of
        every batch, and `batch_size` is the size for all together.

        Args:
            optimizer: one of Keras's, its name, or one of `tf.train`; list of two for a `WideDeepModel`.
            loss: callable of labels and predictions, or its name; for several outputs a list or a dict by their names.
                An output without a loss takes no labels. None if `add_loss` adds all losses.
            metrics: list of callables of labels and predictions, or names, "accuracy" among them; dict of lists by the
                outputs' names.
            loss_weights: list of the weights of the outputs' losses, or dict by their names; 1 by default.
            sample_weight_mode: "temporal" for weights of steps, of shape [batch, steps]; None for weights of examples;
                for several outputs a list or a dict by their names.
            weighted_metrics: as `metrics`, of metrics that use the weights of examples.
            target_tensors: Tensors of numbers, the labels if they are not to be fed, in a list or a dict by the
                outputs' names; None if they are.
            distribute: None; make and compile the model in the scope of a strategy.
            **kwargs: arguments of `Session.run` are not offered.

        Raises:
            ValueError: if a name is unknown, there are more or fewer losses than outputs, or there is no loss.
            NotImplementedError: if `distribute` or further arguments are given.
        """
        if distribute is not None:
            raise NotImplementedError("distribute: make and compile the model in `with strategy.scope():`.")
        if kwargs:
            raise NotImplementedError(
                f"compile does not take arguments of Session.run: {sorted(kwargs)}. Run `model.total_loss` with "
                "them in a session."
            )
        with self.graph.as_default():
            several = isinstance(optimizer, (list, tuple))
            self.optimizer = [optimizers.get(one) for one in optimizer] if several else optimizers.get(optimizer)
            strategy = compiling_strategy()
            self._replica_part = None if strategy is None else ReplicaPart(strategy)
        self.loss, self.compile_metrics, self.loss_weights = loss, metrics or [], loss_weights
        self.sample_weight_mode, self.weighted_metrics = sample_weight_mode, weighted_metrics
        self._target_tensors = target_tensors
        self._compilation = None
        if self.built:
            self._compile()

    def _compile(self) -> None:
        # TF 1.x: the outputs of a subclass's model have no masks.
        masks = [mask_of(output) if self._is_graph_network else None for output in self.outputs]
        with self.graph.as_default():
            made = Compilation(
                self.outputs,
                self.output_names,
                masks,
                [*self._added_losses, *self.get_losses_for(None), *self.get_losses_for(self.inputs)],
                self.loss,
                self.compile_metrics,
                self.loss_weights,
                self.sample_weight_mode,
                self.weighted_metrics,
                self._target_tensors,
            )
        self._compilation = made
        self.targets, self.loss_functions = made.targets, made.functions
        # Attributes of the usual kind would be parts of checkpoints.
        vars(self)["_steps"] = {}
        vars(self)["_train_fetches"] = {}
        self._show_loss()
        # TF 1.x: a model that is made not trainable after this, for a part of another one, still trains itself.
        self._collected_trainable_weights = self.trainable_weights

    def _show_loss(self) -> None:
        made = self._compiled()
        self.total_loss, self.sample_weights = made.total_loss, made.weights
        self._is_weighted = any(weights is not None for weights in made.weights)
        self._compiled_fetches = [made.total_loss, *made.tensors]

    def _use_weights(self, weights: list[Any]) -> bool:
        """Makes losses and metrics use the weights of a batch; returns False for a batch without weights."""
        weighted = bool(weights)
        if weighted != self._is_weighted:
            with self.graph.as_default():
                self._compiled().use_weights(weighted)
            self._show_loss()
        return weighted

    @property
    def run_eagerly(self) -> bool:
        """False: the steps of a model are those of a graph."""
        return False

    @property
    def metrics(self) -> list[Any]:
        """The metrics of `compile`, those of its layers, and those that it added."""
        compiled = [] if self._compilation is None else self._compilation.stateful
        return [*compiled, *self._other_metrics()]

    @property
    def metrics_names(self) -> list[str]:
        """The names of the loss and the metrics, in the order in which `evaluate` returns them."""
        compiled = ["loss"] if self._compilation is None else self._compilation.names
        added = self._added_results() if self.built else self._other_metrics()
        return [*compiled, *(metric.name for metric in added)]

    @property
    def metrics_tensors(self) -> list[Tensor]:
        """The values of the metrics, Tensors of shape [], in the order of their names."""
        return [*self._compiled().tensors, *self._added_results().values()]

    def _other_metrics(self) -> list[Any]:
        """Returns the metrics that layers and the model have or added; the search is repeated when the graph grows."""
        version = self.graph.version
        if self._metrics_at is None or self._metrics_at[0] != version or not self.built:
            self._metrics_at = version, super().metrics
        return self._metrics_at[1]

    def _added_results(self) -> dict[Any, Tensor]:
        """Returns the values of the metrics that layers and the model have or added, by the metrics."""
        found = ((metric, result_of(metric)) for metric in self._other_metrics())
        return {metric: result for metric, result in found if result is not None}

    @property
    def _fetches(self) -> list[Any]:
        return [*self._compiled_fetches, *self._added_results().values()]

    def _training_operation(self) -> Any:
        if len(self._collected_trainable_weights) != len(self.trainable_weights):
            tf_logging.warning(
                "Discrepancy between trainable weights and collected trainable weights: `trainable` was set after "
                "`compile`, and counts from the next one on."
            )
        weighted = self._is_weighted
        if weighted not in self._steps:
            with self.graph.as_default(), name_scope("training"):
                steps = self._optimizer_steps()
                # Updates from calls of its layers elsewhere would need other feeds.
                updates = [*self.get_updates_for(None), *self.get_updates_for(self.inputs)]
                steps, also = [_as_operation(step) for step in steps], list(updates)
            with self.graph.as_default(), name_scope("training"):
                learning_phase()
                self._steps[weighted] = group(*steps, *also)
        return self._steps[weighted]

    def _optimizer_steps(self) -> list[Any]:
        part, weights = self._replica_part, self._collected_trainable_weights
        self._train_fetches[self._is_weighted] = self._compiled_fetches
        if isinstance(self.optimizer, list):
            raise ValueError("Only a `WideDeepModel` is trained by several optimizers.")
        if part is None:
            return list(self.optimizer.get_updates(self.total_loss, weights))
        steps = part.training(lambda: self.optimizer.get_updates(part.scaled(self.total_loss), weights))
        self._train_fetches[self._is_weighted] = part.together(self._compiled_fetches)
        return steps

    def _run(
        self,
        training: bool,
        fetches: Any,
        x: list[Any],
        y: list[Any],
        weights: list[Any],
        more: Mapping[Any, Any] | None = None,
    ) -> Any:
        with self.graph.as_default():
            feeds = {**dict(zip(self._fed_inputs(), x, strict=True)), **(more or {})}
            if y:
                fed = self._compiled().fed
                feeds.update(zip([self.targets[i] for i in fed], y, strict=True))
                if weights:
                    feeds.update(zip([self.sample_weights[i] for i in fed], weights, strict=True))
            phase = learning_phase() if training else known_learning_phase()
            if isinstance(phase, Tensor):
                feeds[phase] = training
            if training:
                return get_session().run(fetches, feeds)
            return get_session().run((fetches, self._state_step("evaluation" if y else "predict")), feeds)[0]

    def _state_step(self, mode: str) -> Any:
        """Returns the operation that updates the states between batches; it is sought again when the graph grows."""
        known = vars(self).setdefault("_state_steps", {})
        version, updates, step = known.get(mode, (-1, None, None))
        if version != self.graph.version:
            found = self.state_updates
            if updates != found:
                with name_scope(mode):
                    step = group(*found)
            known[mode] = self.graph.version, found, step
        return step

    def _fed_inputs(self) -> list[Tensor]:
        """Returns the inputs that are fed: those that are not values of a program."""
        return [tensor for tensor in self.inputs if tensor.op.type == "Placeholder"]

    def _fed_names(self) -> list[str]:
        fed = self._fed_inputs()
        return [name for name, tensor in zip(self.input_names, self.inputs, strict=True) if tensor in fed]

    @property
    def uses_learning_phase(self) -> bool:
        """True if the outputs differ between training and testing."""
        with self.graph.as_default():
            phase = learning_phase()
        if not isinstance(phase, Tensor):
            return False
        depending = reachable_operations([phase])
        return any(output.op in depending for output in self.outputs)

    def reset_metrics(self) -> None:
        """Sets the states of metrics that add up over batches to zeros."""
        with self.graph.as_default():
            reset_states([*(self._compilation.loss_means if self._compilation else ()), *self.metrics])

    @property
    def stateful_metric_names(self) -> list[str]:
        """The names of the metrics, which add up over batches."""
        return self.metrics_names[1:]

    def _stateful_places(self) -> list[int]:
        return list(range(1, len(self.metrics_names)))

    def _compiled(self) -> Compilation:
        if self._compilation is None:
            raise RuntimeError(
                "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`."
            )
        return self._compilation

    def _prepare(self, x: Any) -> None:
        """Builds and compiles a model whose input shapes come from the first data.

        Raises:
            ValueError: if the inputs have no order.
        """
        if not self.built or (not self._is_graph_network and not self._fed_inputs()):
            if x is None or isinstance(x, dict):
                raise ValueError(
                    "Please provide an array or a list of arrays: the model has no inputs yet that a name could stand "
                    "for."
                )
            several = isinstance(x, (list, tuple)) and all(hasattr(one, "shape") for one in x)
            given = [one if isinstance(one, Tensor) else np.asarray(one) for one in (x if several else [x])]
            shapes = [_example_shape(one) for one in given]
            dtypes = [one.dtype if isinstance(one, Tensor) else None for one in given]
            self._build_for(shapes, dtypes, self.name)
            self._compilation = None
        if self.optimizer is not None and self._compilation is None:
            self._compile()

    def _given(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, labelled: bool = True
    ) -> Arrays | Drawn:
        """Returns the program's data as batches; without labels for predictions.

        Raises:
            RuntimeError: if the model is not compiled, and labels are needed.
            ValueError: if the arrays do not match the model's inputs and outputs.
        """
        if labelled and self.optimizer is None:
            self._compiled()
        if yields_batches(x):
            raise ValueError("Generators and Sequences go to fit_generator, evaluate_generator and predict_generator.")
        start = None
        with self.graph.as_default():
            if isinstance(x, Dataset):
                x, start = self._started(x)
            x, y, sample_weight = next_of(x, y, sample_weight, labelled)
        self._prepare(x)
        if y is None:
            labels = self.output_names if self._compilation is None else self._compilation.fed
            x, y = pair_of(x, len(self._fed_names()), len(labels))
        if not is_symbolic(x) and not is_symbolic(y):
            return Arrays(self._batch(x, y, sample_weight, class_weight, labelled))
        tensors = [in_order(x, self._fed_names(), "inputs")]
        if labelled:
            fed = [self.output_names[i] for i in self._compiled().fed]
            tensors.append(in_order(y, fed, "outputs"))
            tensors.append([] if sample_weight is None else in_order(sample_weight, fed, "outputs"))
        if not all(isinstance(one, Tensor) for part in tensors for one in part):
            raise ValueError("Do not pass inputs that mix Numpy arrays and TensorFlow tensors.")

        def draw() -> Batch:
            with self.graph.as_default():
                values = get_session().run(tensors)
            labels, weights = values[1:] if labelled else ([], [])
            return self._batch(values[0], labels, weights or None, class_weight, labelled)

        return Drawn(draw, start)

    def _started(self, dataset: Dataset) -> tuple[Any, Callable[[], Any]]:
        """Returns an iterator of a dataset, and a function that takes it to the first element."""
        iterator = dataset.make_initializable_iterator()

        def start() -> None:
            with self.graph.as_default():
                get_session().run(iterator.initializer)

        return iterator, start

    def _batch(self, x: Any, y: Any, sample_weight: Any, class_weight: Any = None, labelled: bool = True) -> Batch:
        """Returns inputs, labels and weights as arrays.

        Raises:
            ValueError: if the number of arrays is wrong, their lengths differ, or their shapes do not match the
                model's.
        """
        fed = self._fed_inputs()
        inputs = as_arrays(x, self._fed_names(), "inputs")
        for i, (tensor, name) in enumerate(zip(fed, self._fed_names(), strict=True)):
            if inputs[i].ndim == 1 and (tensor.get_shape().ndims or 0) > 1:
                inputs[i] = with_column(inputs[i])
            check_shape(inputs[i], tensor, name, "input")
        if not labelled:
            check_lengths(inputs)
            return inputs, [], []
        compilation = self._compiled()
        names = [self.output_names[i] for i in compilation.fed]
        labels = [with_column(a) for a in as_arrays(y, names, "outputs")]
        for array, i in zip(labels, compilation.fed, strict=True):
            check_shape(array, self.targets[i], self.output_names[i], "target")
            wide = self.outputs[i].get_shape()[-1].value
            # A program's own losses may take labels of any shape.
            fits = (wide,) if self.loss_functions[i] is categorical_crossentropy else (1, wide)
            if wide and self.loss_functions[i] in LOSSES.values() and array.shape[-1] not in fits:
                shape = tuple(self.outputs[i].get_shape().as_list())
                raise ValueError(
                    f"A target array with shape {array.shape} was passed for an output of shape {shape} while using "
                    f"as loss `{self.loss_functions[i].__name__}`. This loss expects targets to have the same shape as "
                    "the output."
                )
        check_lengths(inputs, labels)
        modes = [compilation.modes[i] for i in compilation.fed]
        return inputs, labels, weights_of(labels, names, modes, sample_weight, class_weight)

    def _one_batch(self, given: Arrays | Drawn) -> Batch:
        batch, _ = next(given.batches(None, 1))
        return batch

    def train_on_batch(
        self,
        x: NestedTensors,
        y: NestedTensors | None = None,
        sample_weight: NestedTensors | None = None,
        class_weight: DictLike | None = None,
        reset_metrics: bool = True,
    ) -> Any:
        """Returns one step of training.

        Args:
            x: array or Tensor of numbers, list of them, or dict by the inputs' names; or a dataset's iterator.
            y: array or Tensor of numbers, list of them, or dict by the outputs' names; None for an iterator.
            sample_weight: array of the examples' weights; None for 1.
            class_weight: dict from the numbers of classes to weights; None for 1.
            reset_metrics: bool. If True, metrics begin anew after this batch.

        Returns:
            The loss before the step; with metrics a list of it and them.

        Raises:
            RuntimeError: if the model is not compiled.
            ValueError: if the arrays do not match the model's inputs and outputs.
        """
        values = self._train_step(*self._one_batch(self._given(x, y, sample_weight, class_weight)))
        if reset_metrics:
            self.reset_metrics()
        return one_or_list(values)

    def _train_step(self, inputs: list[Any], labels: list[Any], weights: list[Any]) -> list[Any]:
        weighted = self._use_weights(weights)
        step = self._training_operation()
        fetches = [*self._train_fetches[weighted], *self._added_results().values(), step]
        part, share = self._replica_part, None
        if part is not None:
            (inputs, labels, weights), value = part.of_batch((inputs, labels, weights))
            share = {part.share: value}
        return list(self._run(True, fetches, inputs, labels, weights, share))[:-1]

    def _test_step(self, batch: Batch) -> list[Any]:
        """Returns the loss and the metrics of a batch, and calls the functions of tensors that callbacks watch."""
        self._use_weights(batch[2])
        fetches, watched = self._fetches, list(self._watched.items())
        values = list(self._run(False, [*fetches, *(tensor for tensor, _ in watched)], *batch))
        for (_, function), value in zip(watched, values[len(fetches) :], strict=True):
            function(value)
        return values[: len(fetches)]

    def _make_train_function(self) -> None:
        """Builds the step of training, with the optimizer's variables, before the first batch."""
        self._compiled()
        self._training_operation()

    def _make_test_function(self) -> None:
        """Checks that the model is compiled: the session plans the step at the first batch."""
        self._compiled()

    def _make_predict_function(self) -> None:
        """Initializes the variables: the session plans the step at the first batch."""
        with self.graph.as_default():
            get_session()

    def test_on_batch(
        self,
        x: NestedTensors,
        y: NestedTensors | None = None,
        sample_weight: NestedTensors | None = None,
        reset_metrics: bool = True,
    ) -> Any:
        """Computes the loss of a batch.

        Args:
            x: as `train_on_batch`.
            y: as `train_on_batch`.
            sample_weight: array of the examples' weights; None for 1.
            reset_metrics: bool. If True, metrics begin anew after this batch.

        Returns:
            The loss, a float; with metrics a list of it and them.

        Raises:
            RuntimeError: if the model is not compiled.
            ValueError: if the arrays do not match the model's inputs and outputs.
        """
        batch = self._one_batch(self._given(x, y, sample_weight))
        values = self._test_step(batch)
        if reset_metrics:
            self.reset_metrics()
        return one_or_list(values)

    def predict_on_batch(self, x: NestedTensors) -> Any:
        """Computes the predictions of a batch.

        Args:
            x: as `train_on_batch`.

        Returns:
            numpy.ndarray of the output's dtype, of shape [batch, ...]; a list of them if there are several outputs.

        Raises:
            ValueError: if the arrays do not match the model's inputs and outputs.
        """
        batch = self._one_batch(self._given(x, labelled=False))
        return one_or_list(list(self._run(False, list(self.outputs), *batch)))


def _example_shape(given: Any) -> tuple[int | None, ...]:
    """Returns the shape of an input for an array or tensor of examples: numbers are rows of one number."""
    if isinstance(given, Tensor):
        return (None, *given.get_shape().as_list()[1:])
    return (None, *(given.shape[1:] or (1,)))


def _as_operation(update: Any) -> Any:
    """Returns a step of an optimizer, which may be a variable and its new value."""
    return assign(*update) if isinstance(update, tuple) else update


def training_operation(model: CompiledNetwork) -> Any:
    """Returns the operation of one training step of a compiled model, made at the first call."""
    return model._training_operation()


def watch_tests(model: CompiledNetwork, tensor: Tensor, function: Callable[[Any], None] | None) -> None:
    """Makes each batch of an evaluation compute a tensor, and calls a function of its value; None ends this."""
    watched = {known: of_known for known, of_known in model._watched.items() if known is not tensor}
    model._watched = watched if function is None else {**watched, tensor: function}


def fed_inputs(model: CompiledNetwork, data: NestedTensors) -> tuple[list[Tensor], list[Any]]:
    """Returns the inputs of a model that are fed, and the arrays of a program's data for them."""
    return model._fed_inputs(), list(model._batch(data, None, None, labelled=False)[0])
