"""Inputs of a served model: placeholders of serialized examples or of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.estimator.export_outputs import ExportOutput
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.parsing.examples import parse_example
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY


class _Fields(NamedTuple):
    features: dict[str, Any]
    receiver_tensors: dict[str, Tensor]
    receiver_tensors_alternatives: dict[str, dict[str, Tensor]] | None


class ServingInputReceiver(_Fields):
    """The features of a served model, and the tensors through which they are fed.

    Args:
        features: dict of Tensors or SparseTensors of any dtypes and shapes, or one of them, which is named "feature".
        receiver_tensors: dict of the Tensors that are fed, of any dtypes and shapes, or one of them, which is named
            "input".
        receiver_tensors_alternatives: dict from names of signatures to other such dicts, or None.

    Raises:
        ValueError: if a part is missing, a name is not a str, or a value is not a tensor.
    """

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> ServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        if not isinstance(features, dict):
            features = {"feature": features}
        for name, tensor in features.items():
            if not isinstance(name, str):
                raise ValueError(f"feature keys must be strings: {name}.")
            if not isinstance(tensor, (Tensor, SparseTensor)):
                raise ValueError(f"feature {name} must be a Tensor or SparseTensor.")
        if receiver_tensors is None:
            raise ValueError("receiver_tensors must be defined.")
        receiver_tensors = _checked_receivers(receiver_tensors)
        if receiver_tensors_alternatives is not None:
            if not isinstance(receiver_tensors_alternatives, dict):
                raise ValueError(f"receiver_tensors_alternatives must be a dict: {receiver_tensors_alternatives}.")
            receiver_tensors_alternatives = {
                name: _checked_receivers(tensors) for name, tensors in receiver_tensors_alternatives.items()
            }
        return super().__new__(cls, features, receiver_tensors, receiver_tensors_alternatives)


class _TensorFields(NamedTuple):
    features: Any
    receiver_tensors: dict[str, Tensor]
    receiver_tensors_alternatives: dict[str, dict[str, Tensor]] | None


class TensorServingInputReceiver(_TensorFields):
    """The single feature of a served model, passed unchanged to the model function, and the tensors that are fed for
    it.

    Args:
        features: Tensor or SparseTensor of any dtype and shape.
        receiver_tensors: as `ServingInputReceiver`.
        receiver_tensors_alternatives: as `ServingInputReceiver`.

    Raises:
        ValueError: if a part is missing, a name is not a str, or a value is not a tensor.
    """

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Any = None
    ) -> TensorServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        if not isinstance(features, (Tensor, SparseTensor)):
            raise ValueError("feature must be a Tensor or SparseTensor.")
        checked = ServingInputReceiver(features, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(cls, features, checked.receiver_tensors, checked.receiver_tensors_alternatives)


def _checked_receivers(tensors: Any) -> dict[str, Tensor]:
    named: dict[str, Any] = tensors if isinstance(tensors, dict) else {"input": tensors}
    for name, tensor in named.items():
        if not isinstance(name, str):
            raise ValueError(f"receiver_tensors keys must be strings: {name}.")
        if not isinstance(tensor, Tensor):
            raise ValueError(f"receiver_tensor {name} must be a Tensor.")
    return named


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function that makes a placeholder of serialized examples and parses them.

    Args:
        feature_spec: the features to parse, as `tf.parse_example` takes them.
        default_batch_size: int, the number of examples; None for any.

    Returns:
        A callable for `Estimator.export_savedmodel`.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        serialized = placeholder(dtypes.string, shape=[default_batch_size], name="input_example_tensor")
        return ServingInputReceiver(parse_example(serialized, feature_spec), {"examples": serialized})

    return serving_input_receiver_fn


def build_raw_serving_input_receiver_fn(
    features: Mapping[str, Tensor], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Returns a function that makes a placeholder for each feature.

    Args:
        features: dict of Tensors by name; the placeholders have their dtypes, and their shapes after the first
            dimension.
        default_batch_size: int, the first dimension; None for any.

    Returns:
        A callable for `Estimator.export_savedmodel`.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        receivers = {}
        for name, tensor in features.items():
            shape: TensorShape = tensor.get_shape()
            if shape.ndims is not None:
                shape = TensorShape([default_batch_size]).concatenate(shape[1:])
            receivers[name] = placeholder(tensor.dtype, shape=shape, name=tensor.op.name)
        return ServingInputReceiver(dict(receivers), receivers)

    return serving_input_receiver_fn


def build_all_signature_defs(receiver: Any, export_outputs: Mapping[str, ExportOutput]) -> dict[str, Any]:
    """Returns the SignatureDefs of all outputs that the inputs fit.

    Args:
        receiver: `ServingInputReceiver`, or a receiver without alternatives, such as one of features and labels.
        export_outputs: dict from names to `ExportOutput`s.

    Raises:
        ValueError: if there is no default output, or it does not fit the inputs.
    """
    if not isinstance(export_outputs, Mapping):
        raise ValueError("export_outputs must be a dict.")
    signatures: dict[str, Any] = {}
    failures: dict[str, ValueError] = {}
    inputs = {"": receiver.receiver_tensors, **(getattr(receiver, "receiver_tensors_alternatives", None) or {})}
    for prefix, tensors in inputs.items():
        for key, output in export_outputs.items():
            name = f"{prefix}:{key}" if prefix else key
            try:
                signatures[name] = output.as_signature_def(tensors)
            except ValueError as error:
                failures[name] = error
    default = DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if default not in signatures:
        raise ValueError(f"The default signature cannot be made: {failures.get(default, 'there is no default output')}")
    return signatures
