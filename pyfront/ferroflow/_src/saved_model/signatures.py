"""`SignatureDef` messages: the inputs and outputs of a graph, by names for callers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.base.dtypes import DType, as_dtype
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.tensor import Tensor
from ferroflow._src.saved_model import signature_constants as names
from ferroflow._src.saved_model.tensor_info import build_tensor_info


def build_signature_def(
    inputs: Mapping[str, Any] | None = None, outputs: Mapping[str, Any] | None = None, method_name: str | None = None
) -> Any:
    """Makes a signature.

    Args:
        inputs: dict of TensorInfo messages by names.
        outputs: dict of TensorInfo messages by names.
        method_name: str, the method's name.

    Returns:
        A SignatureDef message.
    """
    signature = proto.SignatureDef()
    for name, info in (inputs or {}).items():
        signature.inputs[name].CopyFrom(info)
    for name, info in (outputs or {}).items():
        signature.outputs[name].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def _typed_info(tensor: Any, dtype: int, complaint: str) -> Any:
    info = build_tensor_info(tensor)
    if info.dtype != dtype:
        raise ValueError(complaint)
    return info


def _examples_info(examples: Any, method: str) -> Any:
    if examples is None:
        raise ValueError(f"{method} examples cannot be None.")
    complaint = f"{method} examples must be a string Tensor."
    if not isinstance(examples, Tensor):
        raise ValueError(complaint)
    return _typed_info(examples, proto.DT_STRING, complaint)


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """Returns the signature of a regression.

    Args:
        examples: string Tensor of serialized `tf.train.Example`s, of shape [batch].
        predictions: float32 Tensor of any shape.

    Returns:
        A SignatureDef message.

    Raises:
        ValueError: if a tensor is missing or has a wrong type.
    """
    inputs = {names.REGRESS_INPUTS: _examples_info(examples, "Regression")}
    if predictions is None:
        raise ValueError("Regression predictions cannot be None.")
    output = _typed_info(predictions, proto.DT_FLOAT, "Regression output must be a float Tensor.")
    return build_signature_def(inputs, {names.REGRESS_OUTPUTS: output}, names.REGRESS_METHOD_NAME)


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """Returns the signature of a classification.

    Args:
        examples: string Tensor of serialized `tf.train.Example`s, of shape [batch].
        classes: string Tensor of any shape, or None if there are scores.
        scores: float32 Tensor of any shape, or None if there are classes.

    Returns:
        A SignatureDef message.

    Raises:
        ValueError: if a tensor is missing or has a wrong type.
    """
    inputs = {names.CLASSIFY_INPUTS: _examples_info(examples, "Classification")}
    if classes is None and scores is None:
        raise ValueError("Classification classes and scores cannot both be None.")
    outputs = {}
    if classes is not None:
        complaint = "Classification classes must be a string Tensor."
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = _typed_info(classes, proto.DT_STRING, complaint)
    if scores is not None:
        complaint = "Classification scores must be a float Tensor."
        outputs[names.CLASSIFY_OUTPUT_SCORES] = _typed_info(scores, proto.DT_FLOAT, complaint)
    return build_signature_def(inputs, outputs, names.CLASSIFY_METHOD_NAME)


def predict_signature_def(inputs: Mapping[str, Any] | None, outputs: Mapping[str, Any] | None) -> Any:
    """Returns the signature of any prediction.

    Args:
        inputs: dict of Tensors of any dtypes and shapes by names.
        outputs: dict of Tensors of any dtypes and shapes by names.

    Returns:
        A SignatureDef message.

    Raises:
        ValueError: if there are no inputs or no outputs.
    """
    if not inputs:
        raise ValueError("Prediction inputs cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction outputs cannot be None or empty.")
    return build_signature_def(
        {name: build_tensor_info(tensor) for name, tensor in inputs.items()},
        {name: build_tensor_info(tensor) for name, tensor in outputs.items()},
        names.PREDICT_METHOD_NAME,
    )


def _takes_examples(signature: Any, name: str) -> bool:
    return set(signature.inputs) == {name} and signature.inputs[name].dtype == proto.DT_STRING


def _is_valid_regression_signature(signature: Any) -> bool:
    return (
        _takes_examples(signature, names.REGRESS_INPUTS)
        and set(signature.outputs) == {names.REGRESS_OUTPUTS}
        and signature.outputs[names.REGRESS_OUTPUTS].dtype == proto.DT_FLOAT
    )


def _is_valid_classification_signature(signature: Any) -> bool:
    wanted = {names.CLASSIFY_OUTPUT_CLASSES: proto.DT_STRING, names.CLASSIFY_OUTPUT_SCORES: proto.DT_FLOAT}
    return (
        _takes_examples(signature, names.CLASSIFY_INPUTS)
        and bool(signature.outputs)
        and all(wanted.get(name) == info.dtype for name, info in signature.outputs.items())
    )


def _is_valid_predict_signature(signature: Any) -> bool:
    return bool(signature.inputs) and bool(signature.outputs)


_VALIDATORS = {
    names.CLASSIFY_METHOD_NAME: _is_valid_classification_signature,
    names.REGRESS_METHOD_NAME: _is_valid_regression_signature,
    names.PREDICT_METHOD_NAME: _is_valid_predict_signature,
}


def is_valid_signature(signature_def: Any) -> bool:
    """Returns True if a server can offer a signature: its method, inputs and outputs go together.

    Args:
        signature_def: a SignatureDef message, or None, which is not valid.

    Returns:
        bool.
    """
    if signature_def is None:
        return False
    validator = _VALIDATORS.get(signature_def.method_name)
    return validator is not None and validator(signature_def)


def get_signature_def_by_key(meta_graph_def: Any, signature_def_key: str) -> Any:
    """Returns a signature of a MetaGraphDef.

    Args:
        meta_graph_def: `MetaGraphDef` message.
        signature_def_key: str, the signature's name.

    Returns:
        A SignatureDef message.

    Raises:
        ValueError: if no signature has that key.
    """
    if signature_def_key not in meta_graph_def.signature_def:
        raise ValueError(f"No SignatureDef with key '{signature_def_key}' found in MetaGraphDef.")
    return meta_graph_def.signature_def[signature_def_key]


def _shapes(infos: Mapping[str, Any]) -> dict[str, TensorShape]:
    return {name: TensorShape(info.tensor_shape) for name, info in infos.items()}


def _types(infos: Mapping[str, Any]) -> dict[str, DType]:
    return {name: as_dtype(info.dtype) for name, info in infos.items()}


def get_signature_def_input_shapes(signature: Any) -> dict[str, TensorShape]:
    """Returns the shapes of the inputs of a SignatureDef message, by name."""
    return _shapes(signature.inputs)


def get_signature_def_input_types(signature: Any) -> dict[str, DType]:
    """Returns the types of the inputs of a SignatureDef message, by name."""
    return _types(signature.inputs)


def get_signature_def_output_shapes(signature: Any) -> dict[str, TensorShape]:
    """Returns the shapes of the outputs of a SignatureDef message, by name."""
    return _shapes(signature.outputs)


def get_signature_def_output_types(signature: Any) -> dict[str, DType]:
    """Returns the types of the outputs of a SignatureDef message, by name."""
    return _types(signature.outputs)
