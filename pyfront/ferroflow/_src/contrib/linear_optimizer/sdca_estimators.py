"""Estimators of linear models that are trained by stochastic dual coordinate ascent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.contrib.learn.canned import columns_of, only
from ferroflow._src.contrib.learn.dual_ascent import has_loss, model_params, sdca_model_fn
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.heads import multi_class_head, regression_head
from ferroflow._src.contrib.learn.model_ops import PredictionKey
from ferroflow._src.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer


class _SDCAEstimator(Estimator):
    """A linear model that ends in a head, trained by dual coordinate ascent.

    Args:
        example_id_column: str, the feature with the examples' ids, strings.
        feature_columns: list of feature columns.
        weight_column_name: str, the key of the examples' weights, or None.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        head: Head of one logit.
        l1_regularization: float, the factor of the absolute values of weights.
        l2_regularization: float, the factor of the squares of weights.
        num_loss_partitions: int, how many workers train at a time; None for the number in `config`.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns, or the head has another loss than those of two classes and of a number.
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Any,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        head: Any = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        num_loss_partitions: int | None = None,
        config: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        if not has_loss(head):
            raise ValueError(
                f"head type: {type(head)} is not supported. Supported head types: _BinaryLogisticHead, _BinarySvmHead "
                "and _RegressionHead."
            )

        def optimizer(config: Any) -> SDCAOptimizer:
            return SDCAOptimizer(
                example_id_column=example_id_column,
                num_loss_partitions=num_loss_partitions or max(1, config.num_worker_replicas),
                symmetric_l1_regularization=l1_regularization,
                symmetric_l2_regularization=l2_regularization,
            )

        params = model_params(head, columns_of(feature_columns), optimizer, weight_column_name)
        super().__init__(sdca_model_fn, model_dir, config, params, feature_engineering_fn)


class SDCALogisticClassifier(_SDCAEstimator):
    """A linear model of two classes, trained by stochastic dual coordinate ascent.

    Args:
        example_id_column: str, the feature with the examples' ids, strings.
        feature_columns: list of feature columns.
        weight_column_name: str, the key of the examples' weights, or None.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        l1_regularization: float, the factor of the absolute values of weights.
        l2_regularization: float, the factor of the squares of weights.
        num_loss_partitions: int, how many workers train at a time; None for the number in `config`.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Any,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        num_loss_partitions: int | None = None,
        config: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(
            example_id_column,
            feature_columns,
            weight_column_name,
            model_dir,
            multi_class_head(n_classes=2, weight_column_name=weight_column_name),
            l1_regularization,
            l2_regularization,
            num_loss_partitions,
            config,
            feature_engineering_fn,
        )

    def predict_classes(self, input_fn: Callable[..., Any] | None = None) -> Any:
        """Predicts the class of each example.

        Args:
            input_fn: callable of no arguments that returns features.

        Returns:
            iterator of int64.
        """
        return only(self, PredictionKey.CLASSES, None, input_fn, None, True)

    def predict_proba(self, input_fn: Callable[..., Any] | None = None) -> Any:
        """Predicts the probabilities of both classes.

        Args:
            input_fn: callable of no arguments that returns features.

        Returns:
            iterator of arrays of float32, of shape [2].
        """
        return only(self, PredictionKey.PROBABILITIES, None, input_fn, None, True)


class SDCALinearRegressor(_SDCAEstimator):
    """A linear model of numbers, trained by stochastic dual coordinate ascent.

    Args:
        example_id_column: str, the feature with the examples' ids, strings.
        feature_columns: list of feature columns.
        weight_column_name: str, the key of the examples' weights, or None.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        l1_regularization: float, the factor of the absolute values of weights.
        l2_regularization: float, the factor of the squares of weights.
        num_loss_partitions: int, how many workers train at a time; None for the number in `config`.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Any,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        num_loss_partitions: int | None = None,
        config: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(
            example_id_column,
            feature_columns,
            weight_column_name,
            model_dir,
            regression_head(weight_column_name=weight_column_name),
            l1_regularization,
            l2_regularization,
            num_loss_partitions,
            config,
            feature_engineering_fn,
        )

    def predict_scores(self, input_fn: Callable[..., Any]) -> Any:
        """Predicts the number of each example.

        Args:
            input_fn: callable of no arguments that returns features.

        Returns:
            iterator of float32.
        """
        return only(self, PredictionKey.SCORES, None, input_fn, None, True)
