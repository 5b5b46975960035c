"""The support vector machine of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.contrib.learn.canned import only
from ferroflow._src.contrib.learn.dual_ascent import model_params, sdca_model_fn
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.heads import binary_svm_head
from ferroflow._src.contrib.learn.model_ops import PredictionKey
from ferroflow._src.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer

__all__ = ["SVM"]


class SVM(Estimator):
    """A linear support vector machine, trained by stochastic dual coordinate ascent.

    Args:
        example_id_column: str, the feature with the examples' ids, strings.
        feature_columns: list of feature columns.
        weight_column_name: str, the key of the examples' weights, or None.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        l1_regularization: float, the factor of the sum of absolute weights.
        l2_regularization: float, the factor of the sum of squared weights; less than 1 counts as 1 in training.
        num_loss_partitions: int, how many workers train at a time.
        kernels: None.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if `kernels` is given.
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Any,
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        num_loss_partitions: int = 1,
        kernels: Any = None,
        config: Any = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        if kernels is not None:
            raise ValueError("Kernel SVMs are not currently supported.")
        optimizer = SDCAOptimizer(
            example_id_column=example_id_column,
            num_loss_partitions=num_loss_partitions,
            symmetric_l1_regularization=l1_regularization,
            symmetric_l2_regularization=l2_regularization,
        )
        head = binary_svm_head(weight_column_name=weight_column_name, enable_centered_bias=False)
        params = model_params(head, feature_columns, optimizer, weight_column_name)
        super().__init__(sdca_model_fn, model_dir, config, params, feature_engineering_fn)

    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: int | None = None, as_iterable: bool = True
    ) -> Any:
        """Predicts the class of each example.

        Args:
            x: array, or dict of arrays; None where `input_fn` is given.
            input_fn: callable of no arguments that returns features.
            batch_size: int; None for all of `x` at once.
            as_iterable: bool. If True, an iterator is returned, and otherwise an array.

        Returns:
            iterator of int64, or an array.
        """
        return only(self, PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)
