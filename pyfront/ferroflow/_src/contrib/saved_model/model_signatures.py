"""The signature of a model of `tf.keras`: a function of its inputs that returns its outputs by their names."""

from __future__ import annotations

from typing import Any

from ferroflow._src.contrib.eager.function import function
from ferroflow._src.framework.tensor_spec import TensorSpec
from ferroflow._src.keras.network import Network
from ferroflow._src.layers.nodes import one_or_list


def model_function(obj: Any) -> Any:
    """Returns the function of a model that computes its predictions.

    Args:
        obj: Trackable.

    Returns:
        `tf.function` of a Tensor for each input to a dict of the outputs; None if `obj` is no model with inputs.
    """
    if not isinstance(obj, Network) or not obj.built or not obj.inputs:
        return None
    specs = [
        TensorSpec([None, *tensor.get_shape()[1:]], tensor.dtype, name=name)
        for name, tensor in zip(obj.input_names, obj.inputs, strict=True)
    ]

    def predicted(*inputs: Any) -> dict[str, Any]:
        outputs = obj(one_or_list(list(inputs)), training=False)
        listed = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        return dict(zip(obj.output_names, listed, strict=True))

    return function(predicted, input_signature=specs, autograph=False)
