"""`Connected`: the base of layers and models, with the inputs and outputs of their calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import nest
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.framework.trackable import Trackable
from ferroflow._src.layers.nodes import Call, calls_of, masks_of, note_call
from ferroflow._src.variables.module import Module
from ferroflow._src.variables.variable import Variable

# The attributes of layers and models that no checkpoint holds.
_OWN = frozenset(
    (
        *(
            "_added_losses",
            "_added_metrics",
            "compile_metrics",
            "_added_updates",
            "_call_result",
            "_calls",
            "_connected",
        ),
        *(
            "_examples",
            "_given",
            "_inbound_nodes",
            "_losses",
            "_non_trainable_weights",
            "_outbound_nodes",
            "_own_weights",
        ),
        *("_trainable_weights", "_updates", "_waiting", "batch_input_shape", "history", "input_spec"),
        *("inputs", "loss", "loss_weights", "metrics", "outputs", "weighted_metrics"),
    )
)

# The attributes among them that hold no variable or layer.
_NO_PARTS = _OWN - {"_connected", "_non_trainable_weights", "_own_weights", "_trainable_weights", "_waiting"}


def _in_structure(found: Any) -> Any:
    """Returns the only element of a list with one element; otherwise the argument, in its structure."""
    return found[0] if isinstance(found, list) and len(found) == 1 else found


class Connected(Module):
    """Base of layers and models, which are called on tensors.

    It is a module whose name scope is opened by its calls, not by its constructor.
    """

    _TF_MODULE_IGNORED_PROPERTIES = Module._TF_MODULE_IGNORED_PROPERTIES | _NO_PARTS
    _name: str
    # Its calls on tensors of models, and those of others on what it gave.
    _inbound_nodes: list[Call]
    _outbound_nodes: list[Call]
    # The first call on tensors that are of no model.
    _call_outside: Call | None = None
    _trainable = True

    @property
    def trainable(self) -> bool:
        """True if the variables are trained. Setting it sets that of the layers inside, too."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = value
        for layer in self._inner_layers():
            layer.trainable = value

    def _inner_layers(self) -> list[Any]:
        """Returns the layers that it is made of."""
        return []

    def compute_output_signature(self, input_signature: Any) -> Any:
        """Returns the dtype and shape of the output for those of the input.

        Args:
            input_signature: TensorSpec, or structure of them: dtypes and shapes of the inputs.

        Returns:
            TensorSpec, or structure of them.

        Raises:
            NotImplementedError: if the layer does not define `compute_output_shape`.
            TypeError: if a leaf of `input_signature` is not a TensorSpec.
        """
        specs = nest.flatten(input_signature)
        for spec in specs:
            if not isinstance(spec, TensorSpec):
                raise TypeError(f"Only TensorSpec signature types are supported, but saw signature entry: {spec}.")
        own: Any = self
        shapes = own.compute_output_shape(nest.map_structure(lambda s: s.shape, input_signature))
        dtype = own.dtype or specs[0].dtype
        return nest.map_structure(lambda s: TensorSpec(s, dtype), shapes)

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute, and adds its edge: of this library's layers to layers, of a program's to all it can."""
        if name in _OWN or hasattr(type(self), name) or not self._has_edge(name, value):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def _has_edge(self, name: str, value: Any) -> bool:
        if type(self).__module__.startswith("ferroflow."):
            return name[0] != "_" and isinstance(value, Trackable) and not isinstance(value, Variable)
        return not isinstance(value, Tensor)

    @property
    def name(self) -> str:
        """Its name; that of a layer's variable scope is `scope_name`."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A context manager that opens a name scope of its name."""
        return name_scope(self._name)

    @property
    def dynamic(self) -> bool:
        """False: calls add operations to a graph."""
        return False

    def _keep_call(self, outputs: Any, inputs: Any, arguments: dict[str, Any]) -> None:
        """Keeps a call, for models and for accesses to inputs and outputs."""
        leaves = nest.flatten(inputs)
        sources = [found.layer for found in calls_of(leaves) if found]
        if not leaves or len(sources) < len(leaves):
            if self._call_outside is None:
                tensors = [x for x in nest.flatten(outputs) if isinstance(x, Tensor)]
                self._call_outside = Call(self, inputs, arguments, tensors, outputs)
            return
        call = note_call(outputs, self, inputs, arguments)
        self._inbound_nodes.append(call)
        for source in sources:
            source._outbound_nodes.append(call)

    def _node(self, node_index: int, what: str) -> Call:
        nodes = self._inbound_nodes or [x for x in [self._call_outside] if x is not None]
        if not nodes:
            raise RuntimeError(f"The layer has never been called and thus has no defined {what}.")
        if not len(nodes) > node_index:
            raise ValueError(
                f"Asked to get {what} at node {node_index}, but the layer has only {len(nodes)} inbound nodes."
            )
        return nodes[node_index]

    def _first_node(self, reason: str) -> Call:
        try:
            return self._node(0, "input")
        except RuntimeError:
            raise AttributeError(reason) from None

    def _one_shape(self, what: str, shapes: Callable[[Call], Any]) -> Any:
        self._first_node(f"The layer has never been called and thus has no defined {what} shape.")
        found = [shapes(node) for node in self._inbound_nodes or [self._node(0, what)]]
        if any(shape != found[0] for shape in found):
            raise AttributeError(
                f'The layer "{self.name}" has multiple inbound nodes, with different {what} shapes. Hence the notion '
                f'of "{what} shape" is ill-defined for the layer. Use `get_{what}_shape_at(node_index)` instead.'
            )
        return found[0]

    @property
    def inbound_nodes(self) -> list[Any]:
        """The calls on tensors of models: list of objects with `input_tensors`, `output_tensors` and their shapes."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Any]:
        """The list of other layers' calls on what this one gave."""
        return self._outbound_nodes

    @property
    def input(self) -> Any:
        """The input of the first call: a Tensor of any dtype and shape, or a list of them.

        Raises:
            AttributeError: if the layer has not been called yet.
        """
        node = self._first_node(f"Layer {self.name} is not connected, no input to return.")
        return _in_structure(node.input_tensors)

    @property
    def output(self) -> Any:
        """The output of the first call: a Tensor of any dtype and shape, or a list of them.

        Raises:
            AttributeError: if the layer has not been called yet.
        """
        return _in_structure(self._first_node(f"Layer {self.name} has no inbound nodes.").output_tensors)

    @property
    def input_mask(self) -> Any:
        """The mask of `input`: Tensor of bool; None if all steps count; a list of them for several inputs."""
        return masks_of(self.input)

    @property
    def output_mask(self) -> Any:
        """The mask of `output`: Tensor of bool; None if all steps count; a list of them for several outputs."""
        return masks_of(self.output)

    @property
    def input_shape(self) -> Any:
        """The shape of the input as a tuple, or the list of those of several.

        Raises:
            AttributeError: if the layer has not been called yet, or on inputs of different shapes.
        """
        return self._one_shape("input", lambda node: node.input_shapes)

    @property
    def output_shape(self) -> Any:
        """The shape of the output as a tuple, or the list of those of several.

        Raises:
            AttributeError: if the layer has not been called yet, or returned outputs of different shapes.
        """
        return self._one_shape("output", lambda node: node.output_shapes)

    def get_input_at(self, node_index: int) -> Any:
        """Returns the input of a call.

        Args:
            node_index: int, the number of the call, from 0 on.

        Returns:
            Tensor of any dtype and shape, or list of them.

        Raises:
            RuntimeError: if the layer has not been called yet.
            ValueError: if the layer has been called fewer times.
        """
        return _in_structure(self._node(node_index, "input").input_tensors)

    def get_output_at(self, node_index: int) -> Any:
        """Returns the output of a call.

        Args:
            node_index: int, the number of the call, from 0 on.

        Returns:
            Tensor of any dtype and shape, or list of them.

        Raises:
            RuntimeError: if the layer has not been called yet.
            ValueError: if the layer has been called fewer times.
        """
        return _in_structure(self._node(node_index, "output").output_tensors)

    def get_input_shape_at(self, node_index: int) -> Any:
        """Returns the shape of the input of a call.

        Args:
            node_index: int, the number of the call, from 0 on.

        Returns:
            tuple, or list of them.

        Raises:
            RuntimeError: if the layer has not been called yet.
            ValueError: if the layer has been called fewer times.
        """
        return _in_structure(self._node(node_index, "input shape").input_shapes)

    def get_output_shape_at(self, node_index: int) -> Any:
        """Returns the shape of the output of a call.

        Args:
            node_index: int, the number of the call, from 0 on.

        Returns:
            tuple, or list of them.

        Raises:
            RuntimeError: if the layer has not been called yet.
            ValueError: if the layer has been called fewer times.
        """
        return _in_structure(self._node(node_index, "output shape").output_shapes)

    def get_input_mask_at(self, node_index: int) -> Any:
        """Returns the mask of a call's inputs.

        Args:
            node_index: int, the number of the call, from 0 on.

        Returns:
            Tensor of bool, of shape [batch, steps], or None for all; list of them for several inputs.

        Raises:
            RuntimeError: if the layer has not been called yet.
            ValueError: if the layer has been called fewer times.
        """
        return masks_of(self.get_input_at(node_index))

    def get_output_mask_at(self, node_index: int) -> Any:
        """Returns the mask of a call's outputs.

        Args:
            node_index: int, the number of the call, from 0 on.

        Returns:
            Tensor of bool, of shape [batch, steps], or None for all; list of them for several outputs.

        Raises:
            RuntimeError: if the layer has not been called yet.
            ValueError: if the layer has been called fewer times.
        """
        return masks_of(self.get_output_at(node_index))
