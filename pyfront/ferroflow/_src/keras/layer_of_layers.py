"""`LayerOfLayers`: the attributes of a model that make it a layer of another model."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import NestedTensors
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation
from ferroflow._src.layers.connected import Connected
from ferroflow._src.layers.input_spec import InputSpec
from ferroflow._src.layers.nodes import one_or_list


class LayerOfLayers(Connected):
    """Base of models: attributes of layers that follow from the layers inside."""

    inputs: list[Any]
    outputs: list[Any]
    _is_graph_network: bool
    _calls: list[Any]
    _added_updates: list[Any]

    @property
    def _model(self) -> Any:
        """The model, whose class defines its layers and weights."""
        return self

    @property
    def trainable_variables(self) -> list[Any]:  # type: ignore[override]  # TF 1.x: a list, not a tuple
        """The same as `trainable_weights`."""
        found: list[Any] = self._model.trainable_weights
        return found

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The same as `non_trainable_weights`."""
        found: list[Any] = self._model.non_trainable_weights
        return found

    @property
    def variables(self) -> list[Any]:  # type: ignore[override]  # TF 1.x: a list, not a tuple
        """The same as `weights`."""
        found: list[Any] = self._model.weights
        return found

    @property
    def dtype(self) -> Any:
        """The name of the dtype of the first variable; None if there is none."""
        weights = self._model.weights
        return weights[0].dtype.base_dtype.name if weights else None

    @property
    def activity_regularizer(self) -> Any:
        """None: the regularizers of activations belong to layers."""
        return None

    @property
    def stateful(self) -> bool:
        """True if a layer keeps states between batches."""
        return any(getattr(layer, "stateful", False) for layer in self._model.layers)

    @property
    def state_updates(self) -> list[Any]:
        """The operations that keep the states of stateful layers."""
        return [x for layer in self._model.layers if getattr(layer, "stateful", False) for x in layer.updates]

    def reset_states(self) -> None:
        """Resets the states of stateful layers."""
        for layer in self._model.layers:
            if getattr(layer, "stateful", False) and hasattr(layer, "reset_states"):
                layer.reset_states()

    @property
    def input_spec(self) -> Any:
        """The shapes of the inputs: an InputSpec, or a list of them for several inputs; None without known inputs."""
        if not self._is_graph_network or not self.inputs:
            return None
        return one_or_list([InputSpec(shape=(None, *tensor.get_shape().as_list()[1:])) for tensor in self.inputs])

    def add_update(self, updates: NestedTensors, inputs: Any = None) -> None:
        """Adds operations that run with each training step.

        Args:
            updates: Operation, or Tensor of any dtype and shape, or list of them.
            inputs: accepted, as layers take it.
        """
        del inputs
        given: Any = updates
        for update in given if isinstance(given, (list, tuple)) else [given]:
            op = update if isinstance(update, Operation) else getattr(update, "op", None)
            self._added_updates.append(op or convert_to_tensor(update).op)

    def get_losses_for(self, inputs: NestedTensors | None) -> list[Any]:
        """Returns the losses of the layers that depend on some inputs.

        Args:
            inputs: Tensor of any dtype and shape, or list of them; None for the losses that depend on no inputs.

        Returns:
            list of Tensors of float dtypes, of shape [].
        """
        return [x for layer in self._model.layers for x in layer.get_losses_for(inputs)]

    def apply(self, inputs: NestedTensors, *args: Any, **kwargs: Any) -> Any:
        """Calls the model.

        Args:
            inputs: Tensor of any dtype, of shape [batch, ...], or list of them.
            *args: the other arguments of `call`.
            **kwargs: the arguments given by name.

        Returns:
            Tensor of any dtype, of shape [batch, ...], or list of them.
        """
        return self._model(inputs, *args, **kwargs)

    def compute_mask(self, inputs: NestedTensors, mask: NestedTensors | None = None) -> Any:
        """Returns the masks of the outputs for masks of the inputs.

        Args:
            inputs: Tensor of any dtype, of shape [batch, ...], or list of them.
            mask: Tensor of bool, of shape [batch, steps], or list of them with None for all; None for all.

        Returns:
            Tensor of bool, of shape [batch, steps], or list of them; None for all.
        """
        if not self._is_graph_network:
            return None
        given: Any = inputs
        tensors = given if isinstance(given, (list, tuple)) else [given]
        masks = mask if isinstance(mask, (list, tuple)) else [mask] * len(tensors)
        known: dict[Any, Any] = dict(zip(self.inputs, zip(tensors, masks, strict=True), strict=True))
        for tensor, made in self._calls:
            if tensor not in known:
                pairs = [known[source] for source in made.sources]
                values, of_values = (one_or_list([pair[i] for pair in pairs]) for i in (0, 1))
                found = made.layer.compute_mask(values, of_values)
                found = found if isinstance(found, list) else [found] * len(made.outputs)
                known.update(zip(made.outputs, zip(made.outputs, found, strict=True), strict=True))
        return one_or_list([known[tensor][1] for tensor in self.outputs])

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shapes of the outputs for shapes of the inputs.

        Args:
            input_shape: tuple of int and None, with the batch; list of them for several inputs.

        Returns:
            TensorShape, or list of them.

        Raises:
            NotImplementedError: if the model is a subclass's, or a layer does not define it for these shapes.
        """
        if not self._is_graph_network:
            raise NotImplementedError
        shapes = input_shape if isinstance(input_shape, list) else [input_shape]
        known = dict(zip(self.inputs, map(TensorShape, shapes), strict=True))
        for tensor, made in self._calls:
            if tensor not in known:
                given = [known[source] for source in made.sources]
                made_of = [source.get_shape() for source in made.sources]
                if [x.as_list() for x in given] == [x.as_list() for x in made_of]:
                    found = [output.get_shape() for output in made.outputs]
                else:
                    of_layer = made.layer.compute_output_shape(one_or_list(given))
                    found = of_layer if isinstance(of_layer, list) else [of_layer]
                known.update(zip(made.outputs, map(TensorShape, found), strict=True))
        return one_or_list([known[tensor] for tensor in self.outputs])
