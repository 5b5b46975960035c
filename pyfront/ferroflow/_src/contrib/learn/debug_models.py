"""Estimators of `tf.contrib.learn` that learn the labels' distribution alone: the least that a model must reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ferroflow._src.base.typing import DictLike, ListLike
from ferroflow._src.contrib.layers.optimize_loss import optimize_loss
from ferroflow._src.contrib.learn.canned import only
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.heads import multi_class_head, regression_head
from ferroflow._src.contrib.learn.model_ops import PredictionKey
from ferroflow._src.contrib.learn.model_parts import dict_of
from ferroflow._src.estimator.run_config import RunConfig
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.flow.checking import assert_equal

__all__ = ["DebugClassifier", "DebugRegressor", "debug_model_fn"]

_RATE: Final = 0.3


def debug_model_fn(features: Any, labels: Any, mode: str, params: DictLike, config: Any = None) -> Any:
    """Builds a model with logits of zero, to which a head adds its centered bias.

    Args:
        features: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
        labels: Tensor, or dict from str to Tensor, of any dtype, of shape [batch, ...].
        mode: str, of `ModeKeys`.
        params: dict with "head", a Head.
        config: RunConfig, accepted and not used.

    Returns:
        ModelFnOps.

    Raises:
        ValueError: if there are no features.
    """
    named, head = dict_of(features), params["head"]
    if not named:
        raise ValueError("Features cannot be empty.")
    sizes = [shape(feature)[0] for feature in named.values()]
    with control_dependencies([assert_equal(sizes[0], size) for size in sizes[1:]]):
        logits = zeros([sizes[0], head.logits_dimension])

    def step(loss: Any) -> Any:
        return optimize_loss(loss, global_step=None, learning_rate=_RATE, optimizer="Adagrad")

    return head.create_model_fn_ops(features=named, labels=labels, mode=mode, train_op_fn=step, logits=logits)


class DebugClassifier(Estimator):
    """A classifier that learns how often each class occurs.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        weight_column_name: str, the key of the examples' weights, or None.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        label_keys: list of str, the names of more than two classes; labels are then names.

    Raises:
        ValueError: if `n_classes` is less than 2, or `label_keys` does not fit it.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_keys: ListLike | None = None,
    ) -> None:
        head = multi_class_head(
            n_classes, weight_column_name=weight_column_name, enable_centered_bias=True, label_keys=label_keys
        )
        super().__init__(debug_model_fn, model_dir, config, {"head": head}, feature_engineering_fn)

    def predict_classes(self, input_fn: Callable[..., Any] | None = None, batch_size: int | None = None) -> Any:
        """Predicts the most frequent class for each example.

        Args:
            input_fn: function of no arguments that returns features.
            batch_size: int, accepted as by `predict`.

        Returns:
            iterator of int64.

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        return only(self, PredictionKey.CLASSES, None, input_fn, batch_size, True)

    def predict_proba(self, input_fn: Callable[..., Any] | None = None, batch_size: int | None = None) -> Any:
        """Predicts the frequencies of the classes for each example.

        Args:
            input_fn: function of no arguments that returns features.
            batch_size: int, accepted as by `predict`.

        Returns:
            iterator of arrays of float32, of shape [n_classes].

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        return only(self, PredictionKey.PROBABILITIES, None, input_fn, batch_size, True)


class DebugRegressor(Estimator):
    """A regression that learns the mean of the labels.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        label_dimension: int, how many numbers a label has.
        weight_column_name: str, the key of the examples' weights, or None.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column_name: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        head = regression_head(
            weight_column_name=weight_column_name, label_dimension=label_dimension, enable_centered_bias=True
        )
        super().__init__(debug_model_fn, model_dir, config, {"head": head}, feature_engineering_fn)

    def predict_scores(self, input_fn: Callable[..., Any] | None = None, batch_size: int | None = None) -> Any:
        """Predicts the mean of the labels for each example.

        Args:
            input_fn: function of no arguments that returns features.
            batch_size: int, accepted as by `predict`.

        Returns:
            iterator of float32, or of arrays of shape [label_dimension].

        Raises:
            NotFittedError: if there is no checkpoint.
        """
        return only(self, PredictionKey.SCORES, None, input_fn, batch_size, True)
