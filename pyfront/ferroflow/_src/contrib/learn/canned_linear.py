"""Linear models of `tf.contrib.learn` over feature columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import ListLike
from ferroflow._src.contrib.learn.canned import Classifier, Regressor, columns_of
from ferroflow._src.contrib.learn.dual_ascent import UpdateWeightsHook, sdca_model_fn
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.heads import multi_class_head, regression_head
from ferroflow._src.contrib.learn.model_parts import linear_model_fn
from ferroflow._src.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer
from ferroflow._src.estimator.run_config import RunConfig


def _model_fn(
    params: dict[str, Any], weight_column_name: str | None, is_joint: bool
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Returns the model function for an optimizer, and its parameters."""
    if not isinstance(params["optimizer"], SDCAOptimizer):
        return linear_model_fn, {**params, "joint_weights": is_joint}
    if is_joint:
        raise ValueError("_joint_weights is incompatible with the SDCAOptimizer.")
    return sdca_model_fn, {
        **params,
        "weight_column_name": weight_column_name,
        "update_weights_hook": UpdateWeightsHook(),
    }


class LinearClassifier(Classifier):
    """A linear model that classifies.

    Args:
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes; labels are 0 to `n_classes` - 1.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one; or
            tf.contrib.linear_optimizer.SDCAOptimizer.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest.
        _joint_weight: bool. If True, all columns share one variable.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.
        label_keys: list of str, the names of more than two classes; labels are then names.

    Raises:
        ValueError: if there are no columns, `n_classes` is less than 2, or `label_keys` does not fit it. With an
            SDCAOptimizer, also if `n_classes` is not 2, a bias is centered, or weights are joint.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_keys: ListLike | None = None,
    ) -> None:
        is_dual = isinstance(optimizer, SDCAOptimizer)
        if is_dual and enable_centered_bias:
            raise ValueError("enable_centered_bias is not supported with SDCA")
        if is_dual and n_classes != 2:
            raise ValueError("SDCA only applies to binary classification.")
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        params = {
            "head": head,
            "feature_columns": columns_of(feature_columns),
            "optimizer": optimizer,
            "gradient_clip_norm": gradient_clip_norm,
        }
        model_fn, params = _model_fn(params, weight_column_name, _joint_weight)
        super().__init__(model_fn, model_dir, config, params, feature_engineering_fn)


class LinearRegressor(Regressor):
    """A linear model that regresses.

    Args:
        feature_columns: list of feature columns.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        weight_column_name: str, the key of the examples' weights, or None.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one; or
            tf.contrib.linear_optimizer.SDCAOptimizer.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        enable_centered_bias: bool. If True, a bias is trained apart from the model, which learns the rest; an
            SDCAOptimizer ignores it with a warning.
        label_dimension: int, how many numbers a label has.
        _joint_weights: bool. If True, all columns share one variable.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns; with an SDCAOptimizer also if `label_dimension` is not 1, or weights are
            joint.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        is_dual = isinstance(optimizer, SDCAOptimizer)
        if is_dual and enable_centered_bias:
            tf_logging.warn("centered_bias is not supported with SDCA, please disable it explicitly.")
            enable_centered_bias = False
        if is_dual and label_dimension != 1:
            raise ValueError("SDCA only applies for label_dimension=1.")
        head = regression_head(
            weight_column_name=weight_column_name,
            label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )
        params = {
            "head": head,
            "feature_columns": columns_of(feature_columns),
            "optimizer": optimizer,
            "gradient_clip_norm": gradient_clip_norm,
        }
        model_fn, params = _model_fn(params, weight_column_name, _joint_weights)
        super().__init__(model_fn, model_dir, config, params, feature_engineering_fn)


class LinearEstimator(Estimator):
    """A linear model that ends in a given head.

    Args:
        feature_columns: list of feature columns.
        head: Head.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        weight_column_name: str, accepted and not used: the head has its own.
        optimizer: tf.train.Optimizer, a function that returns one, or the name of one.
        gradient_clip_norm: float, the greatest norm of the gradients; None for no bound.
        _joint_weights: bool. If True, all columns share one variable.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns, or the optimizer is an SDCAOptimizer.
    """

    def __init__(
        self,
        feature_columns: Any,
        head: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        if isinstance(optimizer, SDCAOptimizer):
            raise ValueError("LinearEstimator does not support SDCA optimizer.")
        params = {
            "head": head,
            "feature_columns": columns_of(feature_columns),
            "optimizer": optimizer,
            "gradient_clip_norm": gradient_clip_norm,
            "joint_weights": _joint_weights,
        }
        super().__init__(linear_model_fn, model_dir, config, params, feature_engineering_fn)
