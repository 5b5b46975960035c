"""`Network`: layers between inputs and outputs, their variables and their configuration."""

from __future__ import annotations

import collections
import contextlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import BoolLike, NestedTensors
from ferroflow._src.framework.default_graph import get_default_graph, name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.trackable import TrackableReference
from ferroflow._src.keras import named
from ferroflow._src.keras.added_metrics import AddsMetrics, metrics_of
from ferroflow._src.keras.backend import learning_phase
from ferroflow._src.keras.base_layer import check_weight_options, use_resources, variables_in
from ferroflow._src.keras.described_network import DescribedNetwork
from ferroflow._src.keras.input_layer import Input, InputLayer
from ferroflow._src.keras.layer_of_layers import LayerOfLayers
from ferroflow._src.keras.layer_table import print_table
from ferroflow._src.keras.model_sources import layers_in_order
from ferroflow._src.keras.network_parts import NetworkParts
from ferroflow._src.keras.op_layers import make_layers
from ferroflow._src.keras.stored_network import StoredNetwork
from ferroflow._src.layers.call_context import called_with, with_training
from ferroflow._src.layers.layer import Layer
from ferroflow._src.layers.naming import to_snake_case, unique_layer_name
from ferroflow._src.layers.nodes import Call, call_of, calls_of, mask_of, one_or_list, set_layer_maker, shape_of
from ferroflow._src.layers.sessions import track_variable
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization, resolve_trainable
from ferroflow._src.variables.variable import Variable


def as_list(x: NestedTensors | None) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


class Network(AddsMetrics, NetworkParts, DescribedNetwork, StoredNetwork, LayerOfLayers):
    """Layers between inputs and outputs; or a subclass that makes layers in its constructor and calls them in `call`.

    Args:
        inputs: Tensor that `Input` returned, of any dtype, of shape [batch, ...], or list of them; None for `call`.
        outputs: Tensor that layers made of them, of any dtype, of shape [batch, ...], or list of them; None for `call`.
        name: str, its name; made by default.

    Raises:
        ValueError: if an input is not `Input`'s, or an output does not come from the inputs by layers.
    """

    def __init__(
        self, inputs: NestedTensors | None = None, outputs: NestedTensors | None = None, name: str | None = None
    ) -> None:
        self._is_graph_network = outputs is not None
        self._name = name or unique_layer_name(to_snake_case(type(self).__name__), zero_based=True)
        self.stop_training = False
        self.optimizer: Any = None
        self._added_losses: list[Any] = []
        self._added_updates: list[Any] = []
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self._connected: list[Any] = []
        self._calls: list[tuple[Tensor, Call]] = []
        # The first call is the model itself, between its inputs and outputs.
        self._inbound_nodes = []
        self._outbound_nodes = []
        # `_is_building` is True during and after a subclass's own `build`; `_weights_to_load` is the checkpoint to load
        # once there are variables.
        self._is_building = False
        self._weights_to_load: str | None = None
        # Variables that `add_weight` made, and whether they are trained. From here on, variables in public attributes
        # are added to them.
        self._own_weights: list[tuple[Any, bool]] = []
        if self._is_graph_network:
            self._connect(nest.flatten(inputs), nest.flatten(outputs))

    def __repr__(self) -> str:
        count = len(self.layers) if "_own_weights" in vars(self) else 0
        return f"<{type(self).__name__} {vars(self).get('_name')!r} with {count} layer{'' if count == 1 else 's'}>"

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute; one that is a layer is a part of a subclass's model."""
        if isinstance(value, (Layer, Network)) and "_is_graph_network" not in vars(self):
            raise RuntimeError(
                f"{type(self).__name__} sets a layer before `super().__init__()`, which a subclass of Model calls "
                "first."
            )
        use_resources(value)
        is_own = name[0] != "_" and "_own_weights" in vars(self) and not type(self).__module__.startswith("ferroflow.")
        if is_own:
            for variable in variables_in(value, self.weights):
                self._own_weights.append((variable, variable.trainable))
        super().__setattr__(name, value)

    def _connect(self, inputs: list[Tensor], outputs: list[Tensor]) -> None:
        for tensor in inputs:
            made = call_of(tensor)
            if made is None or not isinstance(made.layer, InputLayer):
                raise ValueError(
                    f"Input tensors to a {type(self).__name__} must come from `tf.keras.layers.Input`: {tensor}"
                )
        self._calls = []
        seen = set(inputs)
        if len(seen) < len(inputs):
            raise ValueError(
                "The list of inputs passed to the model is redundant. All inputs should only appear once. Found: "
                f"{inputs}"
            )

        def follow(tensor: Tensor) -> None:
            if tensor in seen:
                return
            seen.add(tensor)
            made = calls_of([tensor])[0]
            if made is None or isinstance(made.layer, InputLayer):
                if made is not None:
                    before = [call.layer.name for _, call in self._calls]
                    raise ValueError(
                        f'Graph disconnected: cannot obtain value for tensor {tensor} at layer "{made.layer.name}". '
                        f"The following previous layers were accessed without issue: {before}"
                    )
                raise ValueError(
                    f"Output tensors to a {type(self).__name__} must be the output of layers of its inputs: {tensor} "
                    "is not. Put operations on tensors into a Lambda layer."
                )
            for source in nest.flatten(made.inputs):
                follow(source)
            self._calls.append((tensor, made))

        for output in outputs:
            follow(output)
        self._set_ends(inputs, outputs)
        self._connected = layers_in_order(inputs, outputs)
        names = collections.Counter(layer.name for layer in self._connected)
        twice = [f'"{name}" is used {count} times' for name, count in names.items() if count > 1]
        if twice:
            raise ValueError(f"The name {', '.join(twice)} in the model. All layer names should be unique.")

    def _set_ends(self, inputs: list[Tensor], outputs: list[Tensor]) -> None:
        self.inputs, self.outputs = inputs, outputs
        self._inbound_nodes[:1] = [Call(self, one_or_list(inputs), {}, outputs, one_or_list(outputs))]

    def _call_on(self, inputs: list[Tensor], scope: str | None = None) -> None:
        """Makes tensors the inputs of a subclass's model, and what `call` gives for them the outputs."""
        # TF 1.x: a call opens the model's name scope; `build` alone opens none.
        # None stands for the learning phase, which layers take by default.
        options: dict[str, Any] = {}
        if "training" in inspect.signature(self.call).parameters:
            # TF 1.x: fitting calls the model with the learning phase, which is made before the variables.
            options["training"] = learning_phase() if scope else None
        with name_scope(scope) if scope else contextlib.nullcontext():
            self._run_own_build(one_or_list(inputs))
            outputs = as_list(self.call(one_or_list(inputs), **options))
        self._set_ends(inputs, outputs)
        self._load_waiting()

    def _run_own_build(self, inputs: Any) -> None:
        """Runs what a subclass says in `build`, once, before its first call."""
        if not self._is_graph_network and not self._is_building and type(self).build is not Network.build:
            self._is_building = True
            self.build(nest.map_structure(lambda tensor: tensor.get_shape(), inputs))

    def _layer_edges(self) -> list[TrackableReference]:
        """Returns the edges of a model of inputs and outputs: layers by their places, also among those with weights."""
        if not self._is_graph_network:
            return []
        found, count = [], 0
        for i, layer in enumerate(self._tracked_layers()):
            if layer.weights:
                found.append(TrackableReference(f"layer_with_weights-{count}", layer))
                count += 1
            found.append(TrackableReference(f"layer-{i}", layer))
        return found

    def _tracked_layers(self) -> list[Any]:
        return self.layers

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [*self._layer_edges(), *super()._checkpoint_dependencies]

    def _lookup_dependency(self, name: str) -> Any:
        return dict(self._layer_edges()).get(name) or super()._lookup_dependency(name)

    def _restore_layers(self) -> None:
        """Restores layers from the checkpoints that were restored before the model had them."""
        if self._deferred_dependencies:
            for name, layer in self._layer_edges():
                self._handle_deferred_dependencies(name, layer)

    def _load_waiting(self) -> None:
        """Loads the values that were requested before the variables existed."""
        self._restore_layers()
        if self._weights_to_load is not None:
            path, self._weights_to_load = self._weights_to_load, None
            self.load_weights(path)

    def _make_inputs(self, shapes: Sequence[Any], dtypes: Sequence[Any]) -> list[Tensor]:
        """Returns placeholders of a model that has learnt the shapes of its inputs."""
        made: list[Tensor] = []
        for i, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
            made.append(Input(batch_shape=tuple(shape), dtype=dtype, name=f"input_{i + 1}"))
        return made

    def build(self, input_shape: Any = None) -> None:
        """Makes the inputs of a model that has none, and with them the variables; a subclass may override it to make
        layers.

        Args:
            input_shape: tuple of int and None, the shape of the input with the batch; list of them for several inputs.

        Raises:
            ValueError: if no shape is given.
        """
        if self.built or self._is_building:
            return
        if input_shape is None:
            raise ValueError("A model without inputs is built for an `input_shape`, with the batch: (None, 10).")
        shapes = input_shape if isinstance(input_shape, list) else [input_shape]
        self._build_for([tuple(shape) for shape in shapes], [None] * len(shapes))

    def _build_for(self, shapes: Sequence[Any], dtypes: Sequence[Any], scope: str | None = None) -> None:
        self._call_on(self._make_inputs(shapes, dtypes), scope)

    @property
    def built(self) -> bool:
        """True if the network has outputs, and therefore its variables."""
        return bool(self.outputs)

    @built.setter
    def built(self, value: bool) -> None:
        # Subclasses set it at the end of `build`, without effect: the presence of outputs decides.
        pass

    @property
    def layers(self) -> list[Any]:
        """The layers between inputs and outputs, or those that a subclass's attributes hold."""
        if self._is_graph_network:
            return self._connected
        found: list[Any] = []
        for name, value in vars(self).items():
            if name not in _NO_PARTS:
                for layer in _layers_in(value):
                    if layer not in found and layer is not self:
                        found.append(layer)
        return found

    @property
    def graph(self) -> Graph:
        """The graph of its tensors; the default graph before there are any."""
        return self.outputs[0].graph if self.outputs else get_default_graph()

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs' layers."""
        if not self._is_graph_network:
            return [f"input_{i + 1}" for i in range(len(self.inputs))]
        return [made.layer.name for made in map(call_of, self.inputs) if made]

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs' layers."""
        if not self._is_graph_network:
            return [f"output_{i + 1}" for i in range(len(self.outputs))]
        return [made.layer.name for made in map(call_of, self.outputs) if made]

    def _of_layers(self, attribute: str) -> list[Any]:
        return [x for layer in self.layers for x in getattr(layer, attribute)]

    def _own(self, trained: bool) -> list[Any]:
        return [v for v, is_trained in self._own_weights if is_trained == trained]

    def _inner_layers(self) -> list[Any]:
        return self.layers

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained."""
        return self._of_layers("trainable_weights") + self._own(True) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not trained."""
        fixed = self._of_layers("non_trainable_weights") + self._own(False)
        return fixed if self.trainable else self._of_layers("trainable_weights") + self._own(True) + fixed

    @property
    def weights(self) -> list[Any]:
        """The variables of all layers, layer by layer, and those that `add_weight` made."""
        return self._of_layers("weights") + [v for v, _ in self._own_weights]

    @property
    def updates(self) -> list[Any]:
        """The operations to run with each training step."""
        return [*self._of_layers("updates"), *self._added_updates] if self.trainable else []

    def get_updates_for(self, inputs: NestedTensors | None) -> list[Any]:
        """Returns the updates that depend on some inputs.

        Args:
            inputs: Tensor of any dtype and shape, or list of them; None for the updates that depend on no inputs.

        Returns:
            list of Operations.
        """
        if not self.trainable:
            return []
        own = self._added_updates if inputs is None else []
        return [*(x for layer in self.layers for x in layer.get_updates_for(inputs)), *own]

    @property
    def metrics(self) -> list[Any]:
        """The metrics of its layers, those that are its attributes, and those that it added."""
        return list({id(metric): metric for metric in [*self._metrics_of_layers(), *metrics_of(self)]}.values())

    def _metrics_of_layers(self) -> list[Any]:
        """Returns the metrics of layers; those that a model inside has for itself depend on its own inputs."""
        found: list[Any] = []
        for layer in self.layers:
            found += layer._metrics_of_layers() if isinstance(layer, Network) else getattr(layer, "metrics", ())
        return found

    @property
    def losses(self) -> list[Any]:
        """The losses of variables and outputs, and what was added."""
        return [*self._added_losses, *self._of_layers("losses")]

    def add_loss(self, losses: NestedTensors, inputs: Any = None) -> None:
        """Adds losses to the loss that `fit` minimizes; compile the model afterwards.

        Args:
            losses: Tensor of a float dtype, of shape [], or list of them.
            inputs: accepted, as layers take it.
        """
        self._added_losses += as_list(losses)

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Finds a layer by its name or its place.

        Args:
            name: str, its name; None for the place alone.
            index: int, its place among `layers`.

        Returns:
            KerasLayer or other layer of the model.

        Raises:
            ValueError: if there is no such layer.
        """
        for i, layer in enumerate(self.layers):
            if layer.name == name or (name is None and i == index):
                return layer
        raise ValueError(f"No such layer: {name if name is not None else index}")

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns the outputs for other inputs, with the same layers and variables.

        Args:
            inputs: Tensor, or list of them.
            *args: further arguments of `call`.
            **kwargs: further arguments of `call`, by their names.

        Returns:
            Tensor, or list of them.
        """
        if "mask" in inspect.signature(self.call).parameters and "mask" not in kwargs and not args:
            masks = [mask_of(x) for x in nest.flatten(inputs)]
            if any(mask is not None for mask in masks):
                kwargs["mask"] = one_or_list(masks)
        with name_scope(self._name):
            if self._is_graph_network and not self.built:
                self.build(shape_of(inputs))
            if not self.built:
                self._run_own_build(inputs)
            given, training = with_training(self.call, args, kwargs)
            with called_with(inputs, training):
                outputs = self.call(inputs, *args, **given)
            self._keep_call(outputs, inputs, {} if self._is_graph_network else kwargs)
        if not self.built:
            self._set_ends(nest.flatten(inputs), as_list(outputs))
            self._load_waiting()
        return outputs

    def call(self, inputs: NestedTensors, training: BoolLike | None = None, mask: NestedTensors | None = None) -> Any:
        """Calls the layers one after the other; a subclass without inputs overrides it.

        Args:
            inputs: Tensor of any dtype, of shape [batch, ...], or list of them.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.
            mask: Tensor of bool, accepted; tensors keep their masks.

        Returns:
            Tensor of any dtype, of shape [batch, ...], or list of them.

        Raises:
            NotImplementedError: if the model is a subclass's that does not define `call`.
        """
        if not self._is_graph_network:
            raise NotImplementedError("When subclassing the `Model` class, you should implement a `call` method.")
        values: dict[Tensor, Any] = dict(zip(self.inputs, nest.flatten(inputs), strict=True))
        for tensor, made in self._calls:
            if tensor not in values:
                taken = nest.map_structure(lambda t: values[t], made.inputs)
                arguments = dict(made.arguments)
                if training is not None and "training" in inspect.signature(made.layer.call).parameters:
                    arguments.setdefault("training", training)
                results = nest.flatten(made.layer(taken, **arguments))
                values.update(zip(made.outputs, results, strict=True))
        return one_or_list([values[t] for t in self.outputs])

    def add_weight(
        self,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        partitioner: Callable[..., Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        **kwargs: Any,
    ) -> Any:
        """Creates a model variable.

        Args:
            name: str, its name; "Variable" by default.
            shape: tuple of ints; None for a scalar.
            dtype: DType; float32 by default.
            initializer: initializer, or its name; "glorot_uniform" by default, "zeros" for integers and bools.
            regularizer: callable of the variable that gives a loss, or its name, or None.
            trainable: bool. If True, the variable is trained with the model; None for True, but for a variable that is
                synchronized on reads.
            constraint: callable of the value after each update, or its name, or None.
            partitioner: None; a model's own variables are not divided.
            use_resource: bool. If False, the variable is not behind a handle; None for True.
            synchronization: a `tf.VariableSynchronization`.
            aggregation: a `tf.VariableAggregation`.
            **kwargs: `collections` and `experimental_autocast`, accepted; `getter`, None.

        Returns:
            Variable of `dtype` and `shape`.

        Raises:
            ValueError: if a name is not known, or the weight is trained and synchronized on reads.
            NotImplementedError: if a partitioner or a getter is given.
            TypeError: if another argument is given.
        """
        check_weight_options(kwargs)
        is_trained = resolve_trainable(synchronization, aggregation, trainable, name)
        shape = () if shape is None else shape
        if partitioner is not None:
            raise NotImplementedError("A model's own variables are not divided; give the partitioner to a layer.")
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        made = named.initializer(initializer or ("glorot_uniform" if dtype.is_floating else "zeros"))
        variable = Variable(
            lambda: made(shape, dtype=dtype),
            trainable=is_trained,
            name=name,
            constraint=named.constraint(constraint),
            use_resource=use_resource is None or use_resource,
        )
        self._own_weights.append((variable, is_trained))
        track_variable(variable)
        if regularizer is not None:
            self.add_loss(named.regularizer(regularizer)(variable))
        return variable

    add_variable = add_weight

    def count_params(self) -> int:
        """Returns the number of elements of the variables."""
        return int(sum(np.prod(w.get_shape().as_list()) for w in self.weights))

    def summary(
        self,
        line_length: int | None = None,
        positions: Sequence[float] | None = None,
        print_fn: Callable[[str], Any] | None = None,
    ) -> None:
        """Prints a table of the layers.

        Args:
            line_length: int, the width; None for 65, or 98 where layers have several inputs.
            positions: list of float, where the columns end: parts of the width up to 1, or numbers of characters.
            print_fn: callable of each line; None for `print`.

        Raises:
            ValueError: if the model has no variables yet.
        """
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or calling `fit()` with "
                "some data, or specify an `input_shape` argument in the first layer(s) for automatic build."
            )
        print_table(self, self._calls, line_length, positions, print_fn or print)


def check_copied(model: Network) -> None:
    """Checks that the parts of a model can be copied.

    Raises:
        ValueError: if the model is a subclass's.
        NotImplementedError: if the model has losses that `add_loss` added.
    """
    if not model._is_graph_network:
        raise ValueError(
            "Expected `model` argument to be a functional `Model` instance, but got a subclass model instead."
        )
    if model._added_losses:
        raise NotImplementedError("The losses of `add_loss` are not copied. Copy the model before it has such losses.")


# Attributes of a subclass's model whose layers are no part of it.
_NO_PARTS = frozenset(
    (
        "_added_metrics",
        "_calls",
        "_metrics_at",
        "compile_metrics",
        "_connected",
        "_inbound_nodes",
        "_outbound_nodes",
        "history",
        "loss",
        "optimizer",
        "weighted_metrics",
    )
)


def _layers_in(value: Any) -> list[Any]:
    """Returns the layers that an attribute is or holds."""
    if isinstance(value, (Layer, Network)):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [layer for one in value for layer in _layers_in(one)] if isinstance(value, (list, tuple)) else []


set_layer_maker(make_layers)
