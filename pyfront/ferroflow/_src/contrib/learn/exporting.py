"""Exports of `tf.contrib.learn`: the inputs, outputs and signatures of exported models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import DictLike
from ferroflow._src.contrib.learn.model_ops import (
    InputFnOps,
    ModelFnOps,
    PredictionKey,
    ProblemType,
    class_names_of,
    scores_of,
)
from ferroflow._src.ops.array.making import placeholder
from ferroflow._src.ops.parsing.examples import parse_example
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.saved_model.signatures import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)

__all__ = [
    "DEFAULT_INPUT_ALTERNATIVE_KEY",
    "FEATURES_INPUT_ALTERNATIVE_KEY",
    "build_all_signature_defs",
    "build_default_serving_input_fn",
    "build_parsing_serving_input_fn",
    "build_standardized_signature_def",
    "get_input_alternatives",
    "get_output_alternatives",
]

DEFAULT_INPUT_ALTERNATIVE_KEY: Final = "default_input_alternative"
FEATURES_INPUT_ALTERNATIVE_KEY: Final = "features_input_alternative"
_DEFAULT_OUTPUTS: Final = "default_output_alternative"


def build_parsing_serving_input_fn(
    feature_spec: DictLike, default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Returns a function that makes a placeholder of serialized examples and parses them.

    Args:
        feature_spec: dict of the features to parse, as `tf.parse_example` takes it.
        default_batch_size: int, the number of examples; None for any.

    Returns:
        callable without arguments that gives InputFnOps, for `export_savedmodel`.
    """

    def input_fn() -> InputFnOps:
        serialized = placeholder(dtypes.string, shape=[default_batch_size], name="input_example_tensor")
        return InputFnOps(parse_example(serialized, dict(feature_spec)), None, {"examples": serialized})

    return input_fn


def build_default_serving_input_fn(
    features: DictLike, default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Returns a function that makes a placeholder for each feature.

    Args:
        features: dict from str to Tensor of any dtype, of shape [batch, ...].
        default_batch_size: int, the number of examples; None for any.

    Returns:
        callable without arguments that gives InputFnOps, for `export_savedmodel`.
    """

    def input_fn() -> InputFnOps:
        placeholders = {}
        for name, feature in dict(features).items():
            shape = [default_batch_size, *feature.get_shape().as_list()[1:]]
            placeholders[name] = placeholder(feature.dtype, shape=shape, name=feature.op.name)
        return InputFnOps(placeholders, None, placeholders)

    return input_fn


def get_output_alternatives(
    model_fn_ops: ModelFnOps, default_output_alternative_key: str | None = None
) -> tuple[dict[Any, Any], Any]:
    """Returns the output alternatives of a model, and the key of the default one.

    Args:
        model_fn_ops: ModelFnOps.
        default_output_alternative_key: str, the key that is requested for the default one; None for the only one.

    Returns:
        dict from keys to pairs of a `ProblemType` and a dict of Tensors of any dtypes and shapes; and a key of it.

    Raises:
        ValueError: if there is no alternative of that key, or there are several and no key is given.
    """
    alternatives, default_key = model_fn_ops.output_alternatives, default_output_alternative_key
    available = sorted(map(str, alternatives or ()))
    if default_key and default_key not in (alternatives or ()):
        raise ValueError(
            f"Requested default_output_alternative: {default_key}, but available output_alternatives are: {available}"
        )
    if not alternatives:
        outputs = model_fn_ops.predictions
        named = dict(outputs) if isinstance(outputs, Mapping) else {PredictionKey.GENERIC: outputs}
        return {_DEFAULT_OUTPUTS: (ProblemType.UNSPECIFIED, named)}, _DEFAULT_OUTPUTS
    if default_key:
        return alternatives, default_key
    if len(alternatives) > 1:
        raise ValueError(
            f"Please specify a default_output_alternative.  Available output_alternatives are: {available}"
        )
    return alternatives, next(iter(alternatives))


def build_standardized_signature_def(
    input_tensors: Mapping[str, Any], output_tensors: Mapping[str, Any], problem_type: int
) -> Any:
    """Returns the signature for a kind of problem, or that of a prediction if the outputs do not fit it.

    Args:
        input_tensors: dict from str to the Tensors that are fed, of any dtypes and shapes.
        output_tensors: dict from str to Tensor of any dtype and shape.
        problem_type: int, of `ProblemType`.

    Returns:
        SignatureDef message.

    Raises:
        ValueError: if there are no inputs or no outputs.
    """
    inputs, outputs = input_tensors, output_tensors
    if not inputs:
        raise ValueError("input_tensors must be provided.")
    if not outputs:
        raise ValueError("output_tensors must be provided.")
    if len(inputs) == 1:
        (examples,) = inputs.values()
        if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
            classes, scores = class_names_of(outputs), scores_of(outputs)
            if classes is None and scores is None and len(outputs) == 1:
                (only,) = outputs.values()
                classes, scores = (only, None) if only.dtype == dtypes.string else (None, only)
            if classes is not None or scores is not None:
                return classification_signature_def(examples, classes, scores)
        if problem_type == ProblemType.LINEAR_REGRESSION and len(outputs) == 1:
            return regression_signature_def(examples, next(iter(outputs.values())))
    return predict_signature_def(inputs, outputs)


def get_input_alternatives(input_ops: Any) -> tuple[dict[str, Any], Any]:
    """Returns the input alternatives of an exported model, and its features.

    Args:
        input_ops: InputFnOps, or a pair of features and labels, which has no input alternative.

    Returns:
        dict with the Tensors that are fed, by their keys, under the default key; and the features.

    Raises:
        ValueError: if there are no features.
    """
    features = input_ops[0]
    if not features:
        raise ValueError("Features must be defined.")
    is_fed = isinstance(input_ops, InputFnOps) or len(input_ops) == 3
    return ({DEFAULT_INPUT_ALTERNATIVE_KEY: input_ops[2]} if is_fed else {}), features


def build_all_signature_defs(
    input_alternatives: Mapping[str, Any],
    output_alternatives: Mapping[Any, Any],
    actual_default_output_alternative_key: Any,
) -> dict[str, Any]:
    """Returns the signatures of all input and output alternatives, and the default one.

    Args:
        input_alternatives: dict from str to dicts of the Tensors that are fed, of any dtypes and shapes.
        output_alternatives: dict from keys to pairs of a `ProblemType` and a dict of Tensors of any dtypes and shapes.
        actual_default_output_alternative_key: the key of the default one.

    Returns:
        dict of SignatureDef messages.

    Raises:
        ValueError: if the default inputs are missing, or there are no inputs or outputs.
    """
    defaults = input_alternatives.get(DEFAULT_INPUT_ALTERNATIVE_KEY)
    if not defaults:
        raise ValueError("A default input_alternative must be provided.")
    found = {
        f"{input_key}:{key or None}": build_standardized_signature_def(inputs, outputs, problem_type)
        for input_key, inputs in input_alternatives.items()
        for key, (problem_type, outputs) in output_alternatives.items()
    }
    problem_type, outputs = output_alternatives[actual_default_output_alternative_key]
    found[DEFAULT_SERVING_SIGNATURE_DEF_KEY] = build_standardized_signature_def(defaults, outputs, problem_type)
    return found
