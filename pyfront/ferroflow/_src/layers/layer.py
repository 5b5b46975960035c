"""`Layer`: a function of tensors that makes its variables when it is first called, and uses them ever after."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.typing import DTypeLike, Initializer, ShapeLike, ShapeTensorLike, TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import (
    colocate_with,
    get_collection_ref,
    get_default_graph,
    graph_of,
    init_scope,
    name_scope,
)
from ferroflow._src.framework.function import graphs_around
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.trackable import Trackable, forget_edges, track
from ferroflow._src.layers.call_context import called_with, inputs_of_call, with_training
from ferroflow._src.layers.connected import Connected
from ferroflow._src.layers.input_spec import assert_input_compatibility, numbers_as_tensors
from ferroflow._src.layers.naming import to_snake_case, unique_layer_name
from ferroflow._src.layers.reachability import reachable_operations
from ferroflow._src.layers.sessions import batch_get_value, batch_set_value
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.variables.collections import global_variables
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.scope import variable_scope
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization, resolve_trainable
from ferroflow._src.variables.variable import Variable
from ferroflow._src.variables.variable_scope import VariableScope

_KNOWN_ARGUMENTS = frozenset(("activity_regularizer", "batch_input_shape", "batch_size", "input_shape"))


def _as_list(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _argument_names(cls: type) -> list[str]:
    constructor = cls.__dict__.get("__init__")
    if constructor is None or cls is object:
        return []
    given = inspect.signature(constructor).parameters.values()
    return [p.name for p in given if p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in ("self", "name", "dtype")]


def _parts(variable: Any) -> list[Any]:
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def _is_among(variable: Any, variables: Iterable[Any]) -> bool:
    known = {id(v) for v in variables}
    return all(id(part) in known for part in _parts(variable))


def _add_new_ones_to_collection(key: str, elements: list[Any]) -> None:
    collection = get_collection_ref(key)
    known = set(collection)
    collection.extend(x for x in elements if x not in known)


class Layer(Connected):
    """A function of tensors with variables of its own.

    A subclass makes its variables with `add_variable` in `build`, which gets the shapes of the inputs and ends with
    `self.built = True`, and computes its outputs in `call`.

    Args:
        trainable: bool. If True, its variables are put into `GraphKeys.TRAINABLE_VARIABLES`.
        name: str, its variable scope, made unique; None for the name of the class in snake case.
        dtype: DType of its variables; None for that of its first input.
        **kwargs: `activity_regularizer`, a callable of each output that gives a loss; `input_shape`, `batch_size` and
            `batch_input_shape`, accepted; `dynamic`, False; `_scope`, the variable scope to open; `_reuse`, as
            `tf.variable_scope`.

    Raises:
        TypeError: if a keyword argument is unknown.
        NotImplementedError: if `dynamic` is given and True.
    """

    # True for a layer of `tf.layers` that is an attribute of a model or layer of `tf.keras`.
    _uses_resources = False

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        scope = kwargs.pop("_scope", None)
        self._reuse = kwargs.pop("_reuse", None)
        if kwargs.pop("dynamic", False):
            raise NotImplementedError(
                "dynamic: layers compute tensors of a graph. Use tf.py_func in `call` for Python's control flow."
            )
        for argument in kwargs:
            if argument not in _KNOWN_ARGUMENTS:
                raise TypeError("Keyword argument not understood:", argument)
        # A program's class may define `trainable` otherwise.
        self._trainable = trainable
        self.stateful = False
        self.built = False
        self.input_spec: Any = None
        self.supports_masking = False
        if name:
            self._base_name = self._name = name.name if isinstance(name, VariableScope) else name
        else:
            self._base_name, self._name = self._default_names()
        self._activity_regularizer = kwargs.get("activity_regularizer")
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        # The added losses or updates, and whether each depends on the inputs of a call.
        self._updates: list[tuple[Any, bool]] = []
        self._losses: list[tuple[Any, bool]] = []
        # Collection for the updates of calls, or None.
        self._updates_collection: str | None = GraphKeys.UPDATE_OPS
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self._graph: Graph | None = None
        self._inbound_nodes = []
        self._outbound_nodes = []
        self._call_takes_scope = "scope" in inspect.signature(self.call).parameters
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        if scope:
            self._open(variable_scope(scope))

    def _default_names(self) -> tuple[str, str]:
        """Returns the default names of the variable scope and of the layer; the scope's name is made unique when it
        is opened.
        """
        kind = to_snake_case(type(self).__name__)
        return kind, unique_layer_name(kind)

    def _open(self, opening: variable_scope) -> None:
        with opening as scope:
            self._scope = scope

    @property
    def dtype(self) -> Any:
        """The name of its DType; None before it is known."""
        return self._dtype

    @property
    def graph(self) -> Graph | None:
        """The graph of its inputs; None before the first call."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The name of its variable scope.

        Raises:
            ValueError: if the layer has not been called yet.
        """
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been used yet. The scope '
                "name is determined the first time the layer instance is called. You must therefore call the layer "
                "before querying `scope_name`."
            )
        return self._scope.name

    @property
    def activity_regularizer(self) -> Callable[..., Any] | None:
        """The callable that gives a loss for each output."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Callable[..., Any] | None) -> None:
        self._activity_regularizer = regularizer

    @property
    def trainable_weights(self) -> list[Any]:
        """Its variables that are trained."""
        return self._trainable_weights if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Its variables that are not trained."""
        return self._non_trainable_weights if self.trainable else self._trainable_weights + self._non_trainable_weights

    @property
    def weights(self) -> list[Any]:
        """All its variables, the trained ones first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list[Any]:  # type: ignore[override]  # TF 1.x: a list, not a tuple
        """`trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """`non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:  # type: ignore[override]  # TF 1.x: a list, not a tuple
        """`weights`."""
        return self.weights

    @property
    def updates(self) -> list[Any]:
        """The operations that are to run with each training step."""
        return [x for x, _ in self._updates] if self.trainable or self.stateful else []

    @property
    def losses(self) -> list[Any]:
        """The losses of its variables and outputs."""
        return [x for x, _ in self._losses]

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds operations that are to run with each training step; a call puts them into `GraphKeys.UPDATE_OPS`.

        Args:
            updates: Operation, or Tensor of any dtype and shape, or list of them.
            inputs: True if they depend on the inputs of a call. Otherwise the graph decides: those that the inputs do
                not lead to run for all inputs.
        """
        # TF 1.x: a program's `inputs` have no effect.
        found = None
        for update in _as_list(updates):
            op = update if isinstance(update, Operation) else getattr(update, "op", None) or convert_to_tensor(update)
            if inputs is not True and found is None:
                found = reachable_operations(self._inputs_for_updates())
            self._updates.append((op, found is None or getattr(op, "op", op) in found))

    def _inputs_for_updates(self) -> list[Any]:
        """Returns the inputs of the open call; outside of calls, those of all calls of the layer."""
        inputs = inputs_of_call()
        given = [call.inputs for call in self._inbound_nodes] if inputs is None else inputs
        return [x for x in nest.flatten(given) if hasattr(x, "op")]

    def add_loss(self, losses: TensorLike, inputs: Any = None) -> None:
        """Adds losses, and puts them into `GraphKeys.REGULARIZATION_LOSSES`.

        Args:
            losses: Tensor of a float dtype, of shape [], or list of them.
            inputs: anything but None if they depend on the inputs of a call.
        """
        losses = _as_list(losses)
        self._losses.extend((loss, inputs is not None) for loss in losses)
        _add_new_ones_to_collection(GraphKeys.REGULARIZATION_LOSSES, losses)

    def get_updates_for(self, inputs: TensorLike | None) -> list[Any]:
        """Returns the updates that depend on some inputs.

        Args:
            inputs: Tensor of any dtype and shape, or list of them; None for the updates that depend on no inputs.

        Returns:
            list of Operations.
        """
        return _depending_on(inputs, self._updates) if self.trainable or self.stateful else []

    def get_losses_for(self, inputs: TensorLike | None) -> list[Any]:
        """Returns the losses that depend on some inputs.

        Args:
            inputs: Tensor of any dtype and shape, or list of them; None for the losses that depend on no inputs.

        Returns:
            list of Tensors of float dtypes, of shape [].
        """
        return _depending_on(inputs, self._losses)

    def build(self, input_shape: Any) -> None:
        """Makes the variables; a subclass overrides it.

        Args:
            input_shape: TensorShape, or structure of them: the shapes of the inputs.
        """
        del input_shape
        self.built = True

    def call(self, inputs: TensorLike, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; a subclass overrides it.

        Args:
            inputs: Tensor of the layer's dtype, of shape [batch, ...], or structure of them.
            *args: the other arguments of a call.
            **kwargs: the arguments given by name.

        Returns:
            Tensor of the layer's dtype, of shape [batch, ...], or structure of them.
        """
        return inputs

    def compute_output_shape(self, input_shape: ShapeTensorLike) -> Any:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape, or structure of them: the shapes of the inputs.

        Returns:
            TensorShape, or structure of them.

        Raises:
            NotImplementedError: if the layer does not define it.
        """
        raise NotImplementedError

    @property
    def metrics(self) -> list[Any]:
        """The metrics among its attributes, a list."""
        return [layer for layer in self.submodules if hasattr(layer, "update_state")]

    def _set_scope(self, scope: Any = None) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            self._open(variable_scope(self._base_name if scope is None else scope))
        else:
            self._open(variable_scope(scope, default_name=self._base_name))

    def _reuse_of_variables(self) -> Any:
        """Returns True if `add_weight` reuses variables, with the meaning of `reuse` in `tf.variable_scope`."""
        return True if self.built else self._reuse

    def _name_scope(self) -> str:
        assert self._current_scope is not None  # a call or the making of a variable has opened it
        return self._current_scope.original_name_scope

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable, as `add_weight` does.

        Args:
            *args: the arguments of `add_weight`.
            **kwargs: the arguments given by name.

        Returns:
            Variable, or PartitionedVariable, of the requested dtype and shape.
        """
        return self.add_weight(*args, **kwargs)

    def add_weight(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: Initializer | None = None,
        regularizer: Callable[..., Any] | None = None,
        trainable: bool | None = None,
        constraint: Callable[..., Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        partitioner: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable in the layer's scope, or finds it where the scope reuses.

        Args:
            name: str, its name in the layer.
            shape: its shape.
            dtype: its DType; None for the layer's, or float32.
            initializer: an initializer; None for the scope's.
            regularizer: a callable of the variable that gives a loss; called when the variable is made.
            trainable: bool. If True, it is trained, if the layer is; None for True, but for a variable that is
                synchronized on reads.
            constraint: a callable that optimizers apply after updates.
            use_resource: bool. If True, the variable is behind a handle, as a `ResourceVariable`; None for the scope's
                setting.
            synchronization: a `tf.VariableSynchronization`.
            aggregation: a `tf.VariableAggregation`.
            partitioner: a callable of shape and dtype to the number of slices of each dimension.
            **kwargs: `experimental_autocast`, accepted.

        Returns:
            Variable, or PartitionedVariable if there is a partitioner.

        Raises:
            TypeError: if a keyword argument is unknown.
            ValueError: if the weight is trained and synchronized on reads; also on the same conditions as
                `tf.get_variable`.
        """
        for argument in kwargs.keys() - {"experimental_autocast"}:
            raise TypeError("Unknown keyword argument:", argument)
        trainable = resolve_trainable(synchronization, aggregation, trainable, name)
        wanted = dtypes.as_dtype(dtype or self.dtype or dtypes.float32)
        self._dtype = self._dtype or wanted.base_dtype.name
        self._set_scope()
        existing = global_variables() if regularizer else []
        with init_scope():
            existing = existing + (global_variables() if regularizer else [])
        with variable_scope(self._scope, reuse=self._reuse_of_variables(), auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with name_scope(self._name_scope()):
                variable = get_variable(
                    name,
                    shape=shape,
                    dtype=wanted,
                    initializer=initializer or scope.initializer,
                    trainable=trainable and self.trainable,
                    constraint=constraint,
                    partitioner=partitioner,
                    use_resource=use_resource or self._uses_resources or scope.use_resource,
                )
                if regularizer and not _is_among(variable, existing):
                    self._regularize(name, variable, regularizer)
        # A variable that is found may have been made not to be trained.
        of_its_graph = _parts(variable)[0].graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        is_trained = trainable and (not self.trainable or _is_among(variable, of_its_graph))
        (self._trainable_weights if is_trained else self._non_trainable_weights).append(variable)
        if isinstance(variable, Variable):
            track(self._owner_of_weights(), variable, name)
        return variable

    def _owner_of_weights(self) -> Trackable:
        """Returns the object whose edges in a checkpoint lead to the variables."""
        return self

    def _regularize(self, name: str, variable: Any, regularizer: Callable[..., Any]) -> None:
        for part in _parts(variable):
            with colocate_with(part.op), name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    def __call__(self, inputs: TensorLike, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; the first call makes the variables.

        Args:
            inputs: Tensor, or structure of them.
            *args: further arguments of `call`.
            **kwargs: further arguments of `call`; `scope` is the variable scope to open in the first call.

        Returns:
            The result of `call`.

        Raises:
            ValueError: if the inputs belong to another graph than earlier ones, do not match `input_spec`, or `call`
                returns None.
        """
        outputs = self._outputs_of(inputs, *args, **kwargs)
        self._keep_call(outputs, inputs, kwargs)
        return outputs

    def _check_graph(self, leaves: list[Any]) -> None:
        """Sets the graph of this layer, or checks that inputs are of that graph or of a function in it."""
        around = graphs_around(get_default_graph())
        if around and self._graph in (None, *around):
            # Functions call the layers of the graphs around, where they also make variables.
            self._graph = self._graph or around[-1]
            return
        try:
            self._graph = graph_of(leaves, self._graph)
        except ValueError as error:
            raise ValueError(f"Input graph and Layer graph are not the same: {error}") from None

    def _outputs_of(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        inputs = numbers_as_tensors(inputs)
        self._set_scope(kwargs.pop("scope", None))
        leaves = nest.flatten(inputs)
        self._check_graph(leaves)
        with variable_scope(self._scope, reuse=self._reuse_of_variables(), auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            if self._call_takes_scope:
                kwargs["scope"] = scope
            with name_scope(self._name_scope()):
                self._take_dtype(leaves)
                if not self.built:
                    self.build(self._shapes_to_build(inputs, leaves))
                outputs = self._result_of_call(inputs, args, kwargs)
                self._regularize_activity(inputs, outputs)
        if self._updates_collection is not None:
            _add_new_ones_to_collection(self._updates_collection, self.updates)
        return outputs

    def _take_dtype(self, leaves: list[Any]) -> None:
        # A layer may have been built by its `build` alone, before its inputs were known.
        dtype = getattr(leaves[0], "dtype", None) if leaves and self._dtype is None else None
        if dtype is not None:
            self._dtype = dtypes.as_dtype(dtype).base_dtype.name

    def _shapes_to_build(self, inputs: Any, leaves: list[Any]) -> Any:
        """Returns the shapes of the first inputs, None if one has none."""
        assert_input_compatibility(self._name, self.input_spec, inputs)
        if not all(hasattr(x, "get_shape") for x in leaves):
            return None
        return nest.map_structure(lambda x: x.get_shape(), inputs)

    def _result_of_call(self, inputs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns the result of `call`, in which inner layers have this call's `training`."""
        assert_input_compatibility(self._name, self.input_spec, inputs)
        given, training = with_training(self.call, args, kwargs)
        with called_with(inputs, training):
            outputs = self.call(inputs, *args, **given)
        if outputs is None:
            raise ValueError(
                f"A layer's `call` method should return a Tensor or a list of Tensors, not None (layer: {self._name})."
            )
        self.built = True
        return outputs

    def compute_mask(self, inputs: TensorLike, mask: TensorLike | None = None) -> Any:
        """Returns the mask of the outputs: the inputs' mask if the layer sets `supports_masking`.

        Args:
            inputs: Tensor of any dtype and shape, or list of them.
            mask: Tensor of bool, of shape [batch, steps], or list of them with None for all; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps]; None for all.

        Raises:
            TypeError: if there is a mask, and the layer does not support it.
        """
        if self.supports_masking:
            return mask
        if any(x is not None for x in (mask if isinstance(mask, list) else [mask])):
            raise TypeError(f"Layer {self.name} does not support masking, but was passed an input_mask: {mask}")
        return None

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal layer: of this library's layers all that they keep, else those of
        any layer.

        Returns:
            dict by the arguments' names.
        """
        found: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if self.dtype is not None:
            found["dtype"] = self.dtype
        if type(self).__module__.startswith("ferroflow."):
            names = (name for cls in type(self).__mro__ for name in _argument_names(cls))
            found = {**{name: getattr(self, name) for name in names if hasattr(self, name)}, **found}
        return found

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates a layer from the result of `get_config`, with new variables.

        Args:
            config: dict of arguments.

        Returns:
            Layer of this class.
        """
        return cls(**config)

    def get_weights(self) -> list[Any]:
        """Returns the values of its variables."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: list[Any]) -> None:
        """Assigns values to the layer's variables.

        Args:
            weights: list of arrays, of the dtypes and shapes of its variables, in their order.

        Raises:
            ValueError: if the number of arrays is wrong, or an array has another shape.
        """
        set_weights(self, weights)

    def apply(self, inputs: TensorLike, *args: Any, **kwargs: Any) -> Any:
        """Calls the layer.

        Args:
            inputs: Tensor of the layer's dtype, of shape [batch, ...], or structure of them.
            *args: the other arguments of `call`.
            **kwargs: the arguments given by name.

        Returns:
            Tensor of the layer's dtype, of shape [batch, ...], or structure of them: the result of `call`.
        """
        return self(inputs, *args, **kwargs)

    def _regularize_activity(self, inputs: Any, outputs: Any) -> None:
        if self._activity_regularizer is None:
            return
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = convert_to_tensor(self._activity_regularizer(output))
                # TF 1.x: the loss is the mean over the batch, whatever the regularizer adds up.
                batch_size = cast(shaping.shape(output)[0], loss.dtype)
                self.add_loss(loss / batch_size, inputs=inputs)

    def count_params(self) -> int:
        """Returns the number of elements of its variables.

        Raises:
            ValueError: if the layer is not built.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self._name}, but the layer isn't built. You can build it "
                f"manually via: `{self._name}.build(batch_input_shape)`."
            )
        return int(sum(np.prod(w.get_shape().as_list()) for w in self.weights))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        # Objects of the graph are shared with the original: a copy would no longer belong to the graph.
        added = [x for x, _ in self._updates + self._losses]
        kept = [*self.weights, *added, *(x for x in self.__dict__.values() if isinstance(x, Tensor))]
        for of_graph in [self._graph, self._scope, self._current_scope, self._call_outside, *kept]:
            memo[id(of_graph)] = of_graph
        for nodes in (self._inbound_nodes, self._outbound_nodes):
            memo[id(nodes)] = list(nodes)
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        for key, value in self.__dict__.items():
            setattr(result, key, copy.deepcopy(value, memo))
        return result


def set_weights(layer: Any, values: list[Any]) -> None:
    """Assigns values to the variables of a layer or model."""
    if len(values) != len(layer.weights):
        raise ValueError(
            f'You called `set_weights(weights)` on layer "{layer.name}" with a  weight list of length {len(values)}, '
            f"but the layer was expecting {len(layer.weights)} weights. Provided weights: {str(values)[:50]}..."
        )
    for variable, value in zip(layer.weights, values, strict=True):
        if not variable.get_shape().is_compatible_with(getattr(value, "shape", ())):
            raise ValueError(
                f"Layer weight shape {variable.get_shape()} not compatible with provided weight shape "
                f"{getattr(value, 'shape', ())}"
            )
    batch_set_value(list(zip(layer.weights, values, strict=True)))


def _depending_on(inputs: Any, added: list[tuple[Any, bool]]) -> list[Any]:
    if inputs is None:
        return [x for x, is_conditional in added if not is_conditional]
    reachable = reachable_operations(nest.flatten(inputs))
    return [x for x, is_conditional in added if is_conditional and getattr(x, "op", x) in reachable]


def settle_inner(layer: Layer, dtype: str | None, scope: VariableScope | None = None) -> None:
    """Gives a layer inside another its dtype, unless it has one, and a variable scope to build in."""
    if layer._dtype is None:
        layer._dtype = dtype
    if scope is not None:
        layer._scope = scope


def use_resource_variables(layer: Layer) -> None:
    """Makes a layer put the variables that it makes from now on behind handles."""
    layer._uses_resources = True


def rename(layer: Layer, name: str) -> None:
    """Gives a layer another name, also as that of the variable scope that it will open."""
    layer._base_name = layer._name = name


def unbuilt_copy(layer: Layer) -> Any:
    """Returns a layer of the same options that belongs to no graph yet."""
    made = copy_without_variables(layer)
    made._graph = made._scope = None
    return made


def copy_without_variables(layer: Layer, name: str | None = None) -> Any:
    """Returns a layer of the same options, without variables, updates and losses.

    Args:
        layer: Layer.
        name: str, the name of the copy, which then has no calls either; None for that of `layer`.

    Returns:
        Layer.
    """
    made = copy.copy(layer)
    made._trainable_weights, made._non_trainable_weights = [], []
    made._updates, made._losses = [], []
    forget_edges(made, lambda ref: isinstance(ref, Connected))
    if name is not None:
        made._base_name = made._name = name
        made._inbound_nodes, made._outbound_nodes = [], []
    return made
