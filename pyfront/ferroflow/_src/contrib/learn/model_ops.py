"""Results of the model functions of `tf.contrib.learn`, and the keys of predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.estimator.export_outputs import ClassificationOutput, PredictOutput, RegressionOutput
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.framework.composite import convert_to_tensor_or_sparse_tensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.supervision.session_run_hook import SessionRunHook

__all__ = [
    "COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS",
    "InputFnOps",
    "ModelFnOps",
    "NotFittedError",
    "PredictionKey",
    "ProblemType",
    "class_names_of",
    "model_fn_ops_of",
    "scores_of",
    "spec_of",
]


# The collection of the keys of an exported model's features.
COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS: Final = "input_feature_keys"


class NotFittedError(ValueError):
    """An estimator is used that has no checkpoint yet."""


class PredictionKey:
    """Keys of predictions."""

    CLASSES: Final = "classes"
    PROBABILITIES: Final = "probabilities"
    LOGITS: Final = "logits"
    LOGISTIC: Final = "logistic"
    SCORES: Final = "scores"
    TOP_K: Final = "top_k"
    GENERIC: Final = "output"


class ProblemType:
    """Kinds of problems that models solve."""

    UNSPECIFIED: Final = 0
    CLASSIFICATION: Final = 1
    LINEAR_REGRESSION: Final = 2
    LOGISTIC_REGRESSION: Final = 3


class InputFnOps(NamedTuple):
    """Inputs of an exported model.

    Args:
        features: dict from str to Tensor of any dtype and shape.
        labels: Tensor or dict of Tensors, of any dtypes and shapes, or None.
        default_inputs: dict from str to the Tensors that are fed, of any dtypes and shapes.
    """

    features: Any
    labels: Any
    default_inputs: Any


class _Parts(NamedTuple):
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    output_alternatives: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    mode: str


class ModelFnOps(_Parts):
    """The operations that a model function builds for a mode.

    Args:
        mode: str, of `ModeKeys`.
        predictions: Tensor, or dict from str to Tensor, of any dtype and shape.
        loss: scalar Tensor of a float dtype.
        train_op: Operation, or Tensor of any dtype and shape, that makes a step.
        eval_metric_ops: dict from str to pairs of a value and an update, or to values that need no update.
        output_alternatives: dict from str to pairs of a `ProblemType` and a dict of Tensors of any dtype and shape.
        training_chief_hooks: list of SessionRunHook, for the chief.
        training_hooks: list of SessionRunHook.
        scaffold: tf.train.Scaffold.

    Raises:
        ValueError: if `mode` is unknown, something is missing that the mode needs, or `loss` is no scalar.
        TypeError: if a hook is no SessionRunHook.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        output_alternatives: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
    ) -> ModelFnOps:
        if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
            raise ValueError(f"Invalid mode {mode}.")
        if train_op is None and mode == ModeKeys.TRAIN:
            raise ValueError("Missing train_op.")
        if loss is None and mode != ModeKeys.INFER:
            raise ValueError("Missing loss.")
        if predictions is None and mode != ModeKeys.TRAIN:
            raise ValueError("Missing predictions.")
        if eval_metric_ops is not None and not isinstance(eval_metric_ops, dict):
            raise ValueError("eval_metric_ops must be a dict.")
        chief_hooks, hooks = list(training_chief_hooks or ()), list(training_hooks or ())
        for hook in (*hooks, *chief_hooks):
            if not isinstance(hook, SessionRunHook):
                raise TypeError(
                    f"All hooks returned from model_fn must be SessionRunHook instances, got instance of {type(hook)}: "
                    f"{hook}"
                )
        return super().__new__(
            cls,
            predictions=_tensors(predictions),
            loss=None if loss is None else _scalar(loss),
            train_op=_operation(train_op),
            eval_metric_ops={} if eval_metric_ops is None else eval_metric_ops,
            output_alternatives=output_alternatives,
            training_chief_hooks=chief_hooks,
            training_hooks=hooks,
            scaffold=scaffold,
            mode=mode,
        )

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.mode, *self[:-1])

    def _replace(self, **changes: Any) -> ModelFnOps:
        return ModelFnOps(**{**self._asdict(), **changes})

    def estimator_spec(self, default_serving_output_alternative_key: str | None = None) -> EstimatorSpec:
        """Returns the `tf.estimator.EstimatorSpec` of these operations.

        Args:
            default_serving_output_alternative_key: str, the output alternative that is exported under the default
                name, if there are several and none has that name.

        Returns:
            EstimatorSpec, without the metric "loss", which the estimator adds.

        Raises:
            ValueError: if an output alternative has an unknown `ProblemType`.
            KeyError: if there are several output alternatives and no default one.
        """
        alternatives = self.output_alternatives
        exported = None
        if alternatives:
            if len(alternatives) > 1 and DEFAULT_SERVING_SIGNATURE_DEF_KEY not in alternatives:
                default = alternatives[default_serving_output_alternative_key]
                alternatives = {**alternatives, DEFAULT_SERVING_SIGNATURE_DEF_KEY: default}
            exported = {key: _exported(*alternative) for key, alternative in alternatives.items()}
        metrics = {name: metric for name, metric in self.eval_metric_ops.items() if name != "loss"}
        return self._spec(metrics, exported)

    def _spec(self, metrics: Mapping[str, Any], exported: Any) -> EstimatorSpec:
        return EstimatorSpec(
            self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=exported,
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


def _tensors(predictions: Any) -> Any:
    if isinstance(predictions, Mapping):
        return {key: convert_to_tensor_or_sparse_tensor(value) for key, value in predictions.items()}
    return None if predictions is None else convert_to_tensor_or_sparse_tensor(predictions)


def _scalar(loss: Any) -> Tensor:
    tensor = convert_to_tensor(loss)
    shape = tensor.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar: {tensor}.")
    return tensor if shape.is_compatible_with([]) else reshape(tensor, [])


def _operation(train_op: Any) -> Any:
    return train_op if train_op is None or isinstance(train_op, Operation) else convert_to_tensor(train_op).op


def scores_of(outputs: Mapping[str, Any]) -> Any:
    """Returns the scores or the probabilities among outputs by their keys, or None."""
    return outputs.get(PredictionKey.SCORES, outputs.get(PredictionKey.PROBABILITIES))


def class_names_of(outputs: Mapping[str, Any]) -> Any:
    """Returns the classes among outputs by their keys, if they are texts, or None."""
    classes = outputs.get(PredictionKey.CLASSES)
    return classes if classes is not None and classes.dtype == dtypes.string else None


def _exported(problem_type: int, outputs: Any) -> Any:
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return RegressionOutput(scores_of(outputs))
    if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        return ClassificationOutput(scores=scores_of(outputs), classes=class_names_of(outputs))
    if problem_type == ProblemType.UNSPECIFIED:
        return PredictOutput(outputs)
    raise ValueError(f"Unknown problem_type={problem_type}")


def model_fn_ops_of(made: Any, mode: str) -> Any:
    """Returns the ModelFnOps of what a model function returned, or its EstimatorSpec.

    Args:
        made: `ModelFnOps`, EstimatorSpec, or a tuple of predictions, loss and train_op.
        mode: str, of `ModeKeys`.

    Returns:
        `ModelFnOps` or EstimatorSpec.

    Raises:
        ValueError: if `made` is something else, or lacks what the mode needs.
    """
    if isinstance(made, (EstimatorSpec, ModelFnOps)):
        return made
    if isinstance(made, (tuple, list)) and len(made) == 3:
        return ModelFnOps(mode, *made)
    raise ValueError("Unrecognized value returned by model_fn: expected ModelFnOps, or predictions, loss and train_op.")


def spec_of(made: Any, mode: str) -> EstimatorSpec:
    """Returns the EstimatorSpec of what a model function returned, with all its metrics and nothing to export.

    Args:
        made: `ModelFnOps`, EstimatorSpec, or a tuple of predictions, loss and train_op.
        mode: str, of `ModeKeys`.

    Returns:
        EstimatorSpec.

    Raises:
        ValueError: if `made` is something else, or lacks what the mode needs.
    """
    ops = model_fn_ops_of(made, mode)
    if isinstance(ops, EstimatorSpec):
        return ops
    pairs = {
        name: metric if isinstance(metric, tuple) else (metric, metric) for name, metric in ops.eval_metric_ops.items()
    }
    spec: EstimatorSpec = ops._spec(pairs, None)
    return spec
