"""The names of the estimators of boosted trees, whose operations are not offered."""

from __future__ import annotations

from typing import Any

from ferroflow._src.estimator.estimator import Estimator

_UNSET: Any = object()
_INSTEAD = (
    "{} is not offered: its operations grow trees inside a graph. Use scikit-learn's HistGradientBoosting models or "
    "XGBoost, which grow the same kind of trees, on the arrays that the input function makes."
)


class BoostedTreesClassifier(Estimator):
    """Cannot be made: boosted trees are not offered.

    Args:
        feature_columns: accepted.
        n_batches_per_layer: accepted.
        model_dir: accepted.
        n_classes: accepted.
        weight_column: accepted.
        label_vocabulary: accepted.
        n_trees: accepted.
        max_depth: accepted.
        learning_rate: accepted.
        l1_regularization: accepted.
        l2_regularization: accepted.
        tree_complexity: accepted.
        min_node_weight: accepted.
        config: accepted.
        center_bias: accepted.
        pruning_mode: accepted.
        quantile_sketch_epsilon: accepted.
        train_in_memory: accepted.

    Raises:
        NotImplementedError: on every call.
    """

    def __init__(
        self,
        feature_columns: Any,
        n_batches_per_layer: Any,
        model_dir: Any = None,
        n_classes: Any = _UNSET,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        raise NotImplementedError(_INSTEAD.format(type(self).__name__))


class BoostedTreesRegressor(Estimator):
    """Cannot be made: boosted trees are not offered.

    Args:
        feature_columns: accepted.
        n_batches_per_layer: accepted.
        model_dir: accepted.
        label_dimension: accepted.
        weight_column: accepted.
        n_trees: accepted.
        max_depth: accepted.
        learning_rate: accepted.
        l1_regularization: accepted.
        l2_regularization: accepted.
        tree_complexity: accepted.
        min_node_weight: accepted.
        config: accepted.
        center_bias: accepted.
        pruning_mode: accepted.
        quantile_sketch_epsilon: accepted.
        train_in_memory: accepted.

    Raises:
        NotImplementedError: on every call.
    """

    def __init__(
        self,
        feature_columns: Any,
        n_batches_per_layer: Any,
        model_dir: Any = None,
        label_dimension: Any = _UNSET,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        raise NotImplementedError(_INSTEAD.format(type(self).__name__))
