"""Results of the model functions of `tf.contrib.learn`, the keys of predictions, and metrics of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ferroflow._src.contrib.learn.learn_modes import ModeKeys
from ferroflow._src.estimator.spec import EstimatorSpec

__all__ = [
    "InputFnOps",
    "MetricSpec",
    "ModelFnOps",
    "NotFittedError",
    "PredictionKey",
    "ProblemType",
    "spec_of",
]


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


class ModelFnOps:
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
        ValueError: if `loss` or `train_op` is missing in a mode that needs it.
    """

    def __init__(
        self,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        output_alternatives: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
    ) -> None:
        if mode != ModeKeys.INFER and loss is None:
            raise ValueError("Missing loss.")
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode != ModeKeys.TRAIN and predictions is None:
            raise ValueError("Missing predictions.")
        self.mode = mode
        self.predictions = predictions
        self.loss = loss
        self.train_op = train_op
        self.eval_metric_ops = dict(eval_metric_ops or {})
        self.output_alternatives = output_alternatives
        self.training_chief_hooks = list(training_chief_hooks or ())
        self.training_hooks = list(training_hooks or ())
        self.scaffold = scaffold

    def estimator_spec(self, default_serving_output_alternative_key: str | None = None) -> EstimatorSpec:
        """Returns the `tf.estimator.EstimatorSpec` of these operations.

        Args:
            default_serving_output_alternative_key: str, accepted and not used.

        Returns:
            EstimatorSpec.
        """
        return EstimatorSpec(
            self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops={
                name: metric if isinstance(metric, tuple) else (metric, metric)
                for name, metric in self.eval_metric_ops.items()
            },
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


def spec_of(made: Any, mode: str) -> EstimatorSpec:
    """Returns the EstimatorSpec of what a model function returned.

    Args:
        made: `ModelFnOps`, EstimatorSpec, or a tuple of predictions, loss and train_op.
        mode: str, of `ModeKeys`.

    Returns:
        EstimatorSpec.

    Raises:
        ValueError: if `made` is something else, or lacks what the mode needs.
    """
    if isinstance(made, EstimatorSpec):
        return made
    if isinstance(made, ModelFnOps):
        return made.estimator_spec()
    if isinstance(made, (tuple, list)) and len(made) == 3:
        return ModelFnOps(mode, *made).estimator_spec()
    raise ValueError("Unrecognized value returned by model_fn: expected ModelFnOps, or predictions, loss and train_op.")


class MetricSpec:
    """A metric with the keys of the values that it compares.

    Args:
        metric_fn: function of predictions, labels and `weights` that returns a pair of a value and an update.
        prediction_key: str, key of the predictions; None where they are one Tensor.
        label_key: str, key of the labels; None where they are one Tensor.
        weight_key: str, key of the weights in the features, or None.
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        self.metric_fn = metric_fn
        self.prediction_key = prediction_key
        self.label_key = label_key
        self.weight_key = weight_key

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Adds the metric to the graph.

        Args:
            inputs: Tensor, or dict from str to Tensor, of any dtype and shape: the features.
            labels: Tensor, or dict from str to Tensor, of any dtype and shape.
            predictions: Tensor, or dict from str to Tensor, of any dtype and shape.

        Returns:
            The pair of a value and an update that `metric_fn` returns.

        Raises:
            ValueError: if a key is missing and there are several Tensors, or a key is not found.
        """
        chosen = _chosen(predictions, self.prediction_key, "prediction")
        wanted = _chosen(labels, self.label_key, "label")
        if self.weight_key is None:
            return self.metric_fn(chosen, wanted)
        return self.metric_fn(chosen, wanted, weights=_chosen(inputs, self.weight_key, "weight"))


def _chosen(values: Any, key: str | None, kind: str) -> Any:
    if not isinstance(values, Mapping):
        if key:
            raise ValueError(f"MetricSpec with {kind}_key {key} needs a dict of {kind}s, found {values}")
        return values
    if key is not None:
        if key not in values:
            raise ValueError(f"MetricSpec: {kind}_key {key} is not among {sorted(map(str, values))}")
        return values[key]
    if len(values) != 1:
        raise ValueError(f"MetricSpec without {kind}_key needs one {kind}, found {sorted(map(str, values))}")
    return next(iter(values.values()))
