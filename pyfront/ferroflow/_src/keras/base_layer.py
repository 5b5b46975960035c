"""`KerasLayer`: additions of models' layers to those of `tf.layers`: shapes given in advance, and recorded calls."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from ferroflow._src.base import dtypes, nest
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.composite import is_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.trackable import track
from ferroflow._src.keras import named
from ferroflow._src.keras.added_metrics import AddsMetrics, metrics_of
from ferroflow._src.keras.configurations import arguments_of, defaults_of, required_of, serialized
from ferroflow._src.layers.call_context import is_inside_call
from ferroflow._src.layers.input_spec import numbers_as_tensors
from ferroflow._src.layers.layer import Layer, unbuilt_copy, use_resource_variables
from ferroflow._src.layers.naming import to_snake_case, unique_layer_name
from ferroflow._src.layers.nodes import call_of, calls_of, mask_of, note_masks
from ferroflow._src.layers.reachability import reachable_operations
from ferroflow._src.layers.sessions import track_variable
from ferroflow._src.ops.array.making import identity, placeholder
from ferroflow._src.variables.synchronization import VariableAggregation, VariableSynchronization, resolve_trainable
from ferroflow._src.variables.variable import Variable

# The ends of the names of arguments that take what is known by names.
_STANDS_FOR = ("activation", "_initializer", "_regularizer", "_constraint")


def check_weight_options(kwargs: dict[str, Any]) -> None:
    """Raises NotImplementedError for a getter, TypeError for an argument that `add_weight` of TensorFlow lacks, too."""
    if kwargs.pop("getter", None) is not None:
        raise NotImplementedError("getter: give a custom_getter to the tf.variable_scope around the first call.")
    unknown = sorted(set(kwargs) - {"collections", "experimental_autocast"})
    if unknown:
        raise TypeError(f"Unknown keyword argument: {unknown[0]}")


def use_resources(value: Any) -> None:
    """Makes layers of `tf.layers`, also in lists and dicts, put their variables behind handles."""
    # TF 1.x: this is so for the attributes of models and layers of `tf.keras`.
    for layer in _layers_in([value]):
        if isinstance(layer, Layer):
            use_resource_variables(layer)


def variables_in(value: Any, known: list[Any]) -> list[Any]:
    """Returns the variables that an attribute is or holds in lists, without known ones; sessions initialize them."""
    leaves = [value] if isinstance(value, Variable) else []
    if isinstance(value, (list, tuple, dict)):
        leaves = [leaf for leaf in nest.flatten(value) if isinstance(leaf, Variable)]
    found = [variable for variable in leaves if all(variable is not one for one in known)]
    for variable in found:
        track_variable(variable)
    return found


def is_layer(value: Any) -> bool:
    """Returns True for a layer, and for a model."""
    return isinstance(value, Layer) or "_is_graph_network" in getattr(value, "__dict__", ())


def _layers_in(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if is_layer(value):
            yield value
        elif isinstance(value, list):
            yield from _layers_in(value)
        elif isinstance(value, dict):
            yield from _layers_in(value.values())


class KerasLayer(AddsMetrics, Layer):
    """Base of the layers of a model; it precedes the layer of `tf.layers` among a class's bases.

    Args:
        *args: arguments of that layer.
        **kwargs: `input_shape`, tuple without the batch; `batch_input_shape`, tuple with the batch; `input_dim`, int,
            for `input_shape=(input_dim,)`. `batch_size`, int, and `dtype` of the input; `weights`, list of the
            variables' initial values; arguments of that layer.
    """

    # The classes of this library by their names.
    _known: ClassVar[dict[str, Any]] = {}
    _given: dict[str, Any]
    # Arguments that its signature does not name, with their defaults, and those that are included only if they are
    # given.
    _OPTIONS: ClassVar[dict[str, Any]] = {}
    _NOT_TOLD: ClassVar[frozenset[str]] = frozenset()
    # The attributes of a class of this library that hold layers inside, and those that never do.
    _WITH_LAYERS: ClassVar[tuple[str, ...]] = ()
    _WITHOUT_LAYERS: ClassVar[frozenset[str]] = frozenset(("_given", "_added_metrics"))

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("ferroflow."):
            KerasLayer._known[cls.__name__] = cls

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Keeps the arguments, which `get_config` returns."""
        made = super().__new__(cls)
        try:
            # The class's own signature is that of this method in Python 3.10.
            made._given = arguments_of(functools.partial(cls.__init__, made), args, kwargs)
        except TypeError:
            made._given = {}  # the constructor raises the error
        return made

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal layer, and its name.

        Returns:
            dict, whose values JSON can hold.

        Raises:
            ValueError: if an argument is an object without `get_config` and without a name.
        """
        found = {name: serialized(value) for name, value in self._arguments().items()}
        if self.batch_input_shape is not None:
            for name in ("input_shape", "batch_size", *(() if hasattr(self, "input_dim") else ("input_dim",))):
                found.pop(name, None)
            found["batch_input_shape"] = serialized(self.batch_input_shape)
        if self.dtype is not None:
            found["dtype"] = self.dtype
        return {**found, "name": self.name, "trainable": self.trainable}

    def _arguments(self) -> dict[str, Any]:
        """Returns the arguments in the configuration: those of the nearest class of this library.

        A program's own class of `Layer` has those that its constructor was given.
        """
        kind: Any = next(cls for cls in type(self).__mro__ if cls.__module__.startswith("ferroflow."))
        if kind is KerasLayer:
            return {name: value for name, value in self._given.items() if name != "weights"}
        is_of_library = kind is type(self)
        if not is_of_library:
            return self._arguments_of(kind)
        found = {}
        for name, value in {**defaults_of(kind), **self._OPTIONS, **self._given}.items():
            if name == "weights" or (name in self._NOT_TOLD and name not in self._given):
                continue
            now = getattr(self, name, value)
            is_settled = value is None and name in ("data_format", "strides")
            is_sizes = isinstance(now, tuple) and isinstance(value, (int, list, tuple))
            # Names and numbers are shown as the objects that they stand for.
            found[name] = now if is_settled or is_sizes or name.endswith(_STANDS_FOR) else value
        return found

    def _arguments_of(self, kind: type) -> dict[str, Any]:
        """Returns the arguments of a class of this library that a program's class derives from.

        The program's constructor chooses them; so they are the attributes.
        """
        found = {}
        for name, value in {**dict.fromkeys(required_of(kind)), **defaults_of(kind), **self._OPTIONS}.items():
            if name != "weights" and not (name in self._NOT_TOLD and name not in self._given):
                found[name] = getattr(self, name, self._given.get(name, value))
        return found

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a layer from the result of `get_config`.

        Args:
            config: dict of arguments.

        Returns:
            KerasLayer of this class.
        """
        return cls(**config)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        shape = kwargs.pop("batch_input_shape", None)
        size, width = kwargs.pop("batch_size", None), kwargs.pop("input_dim", None)
        inner = kwargs.pop("input_shape", None if width is None else (width,))
        if shape is None and inner is not None:
            shape = (size, *inner)
        self._initial_weights = kwargs.pop("weights", None)
        self._input_dtype = kwargs.get("dtype")
        super().__init__(*args, **kwargs)
        # TF 1.x: only layers of `tf.layers` put their updates into a collection.
        self._updates_collection = None
        self.batch_input_shape: tuple[int | None, ...] | None = None if shape is None else tuple(shape)

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute; a variable becomes a weight, and layers of `tf.layers` use resource variables."""
        old = vars(self).get(name)
        if isinstance(old, Variable) and old is not value:
            self._drop_weight(name, old)
        is_of_program = isinstance(value, Variable) or not type(self).__module__.startswith("ferroflow.")
        if name != "_given" and is_of_program:
            use_resources(value)
            if "_non_trainable_weights" in vars(self) and name[0] != "_":
                for variable in variables_in(value, self._trainable_weights + self._non_trainable_weights):
                    (self._trainable_weights if variable.trainable else self._non_trainable_weights).append(variable)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        """Deletes an attribute; a variable that no other attribute is stops being a weight."""
        old = vars(self).get(name)
        if isinstance(old, Variable):
            self._drop_weight(name, old)
        super().__delattr__(name)

    def _drop_weight(self, name: str, variable: Variable) -> None:
        """Takes a variable out of the weights, unless another attribute than `name` is it, too."""
        if not any(value is variable and key != name for key, value in vars(self).items()):
            for key in ("_trainable_weights", "_non_trainable_weights"):
                vars(self)[key][:] = [kept for kept in vars(self)[key] if kept is not variable]

    def _default_names(self) -> tuple[str, str]:
        # TF 1.x: numbers of these layers begin with 0, which is not written; those of `tf.layers` with 1.
        name = unique_layer_name(to_snake_case(type(self).__name__), zero_based=True)
        return name, name

    def _name_scope(self) -> str:
        # TF 1.x: each call opens a name scope of its own. Variable scopes and their getters have no effect.
        return self._name

    def __call__(self, inputs: NestedTensors, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; the first call makes the variables."""
        inputs = numbers_as_tensors(inputs)
        was_built = self.built
        masks = [mask_of(x) for x in nest.flatten(inputs)]
        taken = any(mask is not None for mask in masks)
        mask = (masks if isinstance(inputs, (list, tuple)) else masks[0]) if taken else None
        given = kwargs
        if taken and "mask" not in kwargs and "mask" in inspect.signature(self.call).parameters:
            given = {**kwargs, "mask": mask}
        leaves = nest.flatten(inputs)
        if not is_inside_call():
            # Layers of a program's operations on models are made before this one.
            calls_of(leaves)
        self._check_graph(leaves)
        with name_scope(self._name_scope()):
            self._take_dtype(leaves)
            if not self.built:
                self.build(self._shapes_to_build(inputs, leaves))
            outputs = self._result_of_call(inputs, args, given)
            if not was_built and self._initial_weights is not None:
                self.set_weights(self._initial_weights)
            outputs = self._own_outputs(outputs, inputs)
            self._keep_call(outputs, inputs, kwargs)
            self._regularize_activity(inputs, outputs)
            note_masks(outputs, self._mask_of_outputs(inputs, mask))
        return outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of the output for that of the input, without changes to the layer or the graph.

        Args:
            input_shape: TensorShape or tuple with the batch, or list of them: the shapes of the inputs.

        Returns:
            TensorShape, or structure of them.

        Raises:
            NotImplementedError: if a program's own class does not define it.
        """
        known: Any = next(cls for cls in type(self).__mro__ if cls.__module__.startswith("ferroflow."))
        try:
            return super().compute_output_shape(input_shape)
        except NotImplementedError:
            if known.call is Layer.call:
                raise
        is_structure = isinstance(input_shape, (list, tuple)) and bool(input_shape)
        several = is_structure and all(isinstance(s, (tuple, list, TensorShape)) for s in input_shape)
        shapes = [TensorShape(shape) for shape in (input_shape if several else [input_shape])]
        copied = unbuilt_copy(self)
        with Graph().as_default():
            given = [placeholder(self.dtype or dtypes.float32, shape) for shape in shapes]
            known.build(copied, shapes if several else shapes[0])
            return nest.map_structure(lambda x: x.get_shape(), known.call(copied, given if several else given[0]))

    def _inner_layers(self) -> list[Any]:
        """Returns the layers and models inside: those of its class, and those that a program's class has as attributes.

        Attributes may hold them in lists and dicts.
        """
        if type(self).__module__.startswith("ferroflow."):
            return list(_layers_in(getattr(self, name) for name in self._WITH_LAYERS))
        return list(_layers_in([value for name, value in vars(self).items() if name not in self._WITHOUT_LAYERS]))

    @property
    def metrics(self) -> list[Any]:
        """The metrics that are attributes or were added, then those of the layers inside."""
        return list({id(metric): metric for metric in [*metrics_of(self), *super().metrics]}.values())

    def _with_inner(self, own: list[Any], of: Callable[[Any], list[Any]]) -> list[Any]:
        """`own` and what the inner layers have, each thing once."""
        inner = self._inner_layers()
        if not inner:
            return own
        found = {id(x): x for x in own}
        for layer in inner:
            found.update((id(x), x) for x in of(layer) if id(x) not in found)
        return list(found.values())

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained: its own, then those of the layers inside."""
        own = super().trainable_weights
        return self._with_inner(own, lambda layer: layer.trainable_weights) if self.trainable else own

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that are not trained: its own, then those of the layers inside."""
        if self.trainable:
            return self._with_inner(super().non_trainable_weights, lambda layer: layer.non_trainable_weights)
        return self._with_inner(super().non_trainable_weights, lambda layer: layer.weights)

    @property
    def losses(self) -> list[Any]:
        """The losses of its outputs and variables, then those of the layers inside.

        The losses of variables are computed anew at each access.
        """
        return self._with_inner([loss for loss, _ in self._computed_losses()], lambda layer: layer.losses)

    def _computed_losses(self) -> list[tuple[Any, bool]]:
        """Returns its own losses, and True for each that depends on the inputs of a call."""
        fixed = [(loss, is_conditional) for loss, is_conditional in self._losses if not callable(loss)]
        computed = [(loss(), is_conditional) for loss, is_conditional in self._losses if callable(loss)]
        return [*fixed, *((loss, is_conditional) for loss, is_conditional in computed if loss is not None)]

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses, which no collection gets.

        Args:
            losses: Tensor of a float dtype, of shape [], or callable without arguments that returns one, or list of
                them.
            inputs: anything but None if they depend on the inputs of a call.
        """
        for loss in nest.flatten(losses):
            if loss is not None:
                is_made = callable(loss) or is_tensor(loss)
                self._losses.append((loss if is_made else convert_to_tensor(loss, "float32"), inputs is not None))

    @property
    def updates(self) -> list[Any]:
        """The updates that run with each training step, also those of the layers inside."""
        own = super().updates
        return self._with_inner(own, lambda layer: layer.updates) if self.trainable or self.stateful else own

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """Returns the losses that depend on some inputs, also those of the layers inside.

        Args:
            inputs: Tensor of any dtype and shape, or list of them; None for the losses that depend on no inputs.

        Returns:
            list of Tensors of float dtypes, of shape [].
        """
        found = self._computed_losses()
        if inputs is None:
            own = [loss for loss, is_conditional in found if not is_conditional]
        else:
            reachable = reachable_operations(nest.flatten(inputs))
            own = [loss for loss, is_conditional in found if is_conditional and loss.op in reachable]
        return self._with_inner(own, lambda layer: layer.get_losses_for(inputs))

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """Returns the updates that depend on some inputs, also those of the layers inside.

        Args:
            inputs: Tensor of any dtype and shape, or list of them; None for the updates that depend on no inputs.

        Returns:
            list of Operations.
        """
        own = super().get_updates_for(inputs)
        if not self.trainable and not self.stateful:
            return own
        return self._with_inner(own, lambda layer: layer.get_updates_for(inputs))

    def _own_outputs(self, outputs: Any, inputs: Any) -> Any:
        """Returns the outputs with copies of those that are inputs, whose call and mask would be overwritten."""
        leaves = nest.flatten(inputs)
        if not leaves or any(call_of(x) is None for x in leaves):
            return outputs
        taken = {id(x) for x in leaves}
        if not any(id(x) in taken for x in nest.flatten(outputs)):
            return outputs
        with name_scope(self._name):
            return nest.map_structure(lambda x: identity(x) if id(x) in taken else x, outputs)

    def _mask_of_outputs(self, inputs: Any, mask: Any) -> Any:
        # TF 1.x: a layer without support for masks drops them; its `compute_mask` raises an error.
        if mask is not None and not self.supports_masking and type(self).compute_mask is Layer.compute_mask:
            return None
        return self.compute_mask(inputs, mask)

    def add_weight(  # type: ignore[override]  # TF 1.x: the order differs from that of `tf.layers.Layer`
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
        """Makes a variable of the layer.

        Args:
            name: str, its name in the current name scope, which in a call is the layer's; None for "Variable".
            shape: tuple of ints or Dimensions; None for a scalar.
            dtype: DType; None for the layer's.
            initializer: initializer, or its name; None for "glorot_uniform", or "zeros" for integers and bools.
            regularizer: callable of the variable that gives a loss, or its name, or None.
            trainable: bool. If True, it is trained, if the layer is; None for True, but for a variable that is
                synchronized on reads.
            constraint: callable of the value after each update, or its name, or None.
            partitioner: accepted; variables of layers are not divided.
            use_resource: bool. If False, the variable is not behind a handle; None for True.
            synchronization: a `tf.VariableSynchronization`.
            aggregation: a `tf.VariableAggregation`.
            **kwargs: `collections` and `experimental_autocast`, accepted; `getter`, None.

        Returns:
            Variable of `dtype` and `shape`.

        Raises:
            ValueError: if a name is unknown, or the weight is trained and synchronized on reads.
            NotImplementedError: if a getter is given.
            TypeError: if another argument is given.
        """
        check_weight_options(kwargs)
        trainable = resolve_trainable(synchronization, aggregation, trainable, name)
        dtype = dtypes.as_dtype(dtype or self.dtype or dtypes.float32)
        self._dtype = self._dtype or dtype.base_dtype.name
        made = named.initializer(initializer or ("glorot_uniform" if dtype.is_floating else "zeros"))
        variable = Variable(
            lambda: made(() if shape is None else TensorShape(shape).as_list(), dtype=dtype),
            trainable=trainable,
            name=name,
            dtype=dtype.base_dtype,
            constraint=named.constraint(constraint),
            use_resource=use_resource is None or use_resource,
        )
        if regularizer is not None:
            self._losses.append((_loss_of_weight(variable, named.regularizer(regularizer)), False))
        (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)
        track(self._owner_of_weights(), variable, name or variable.op.name.rpartition("/")[2])
        track_variable(variable)
        return variable


def _loss_of_weight(variable: Any, regularizer: Callable[[Any], Any]) -> Callable[[], Any]:
    """Returns a function that computes the regularizer's loss for a variable."""

    def compute() -> Any:
        with name_scope(f"{variable.op.name}/Regularizer"):
            return regularizer(variable)

    return compute
