"""The support vector machine of `tf.contrib.learn`, whose training is not offered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.contrib.learn.estimator import Estimator

__all__ = ["SVM"]


class SVM(Estimator):
    """A linear support vector machine, which is trained by stochastic dual coordinate ascent.

    Args:
        example_id_column: str, the feature with the examples' ids.
        feature_columns: list of feature columns.
        weight_column_name: str, the key of the examples' weights, or None.
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        l1_regularization: float, the factor of the sum of absolute weights.
        l2_regularization: float, the factor of the sum of squared weights.
        num_loss_partitions: int, how many workers train at a time.
        kernels: dict of kernels by column, which TensorFlow does not offer either, or None.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns the model's.

    Raises:
        ValueError: if `kernels` is given.
        NotImplementedError: if `kernels` is None.
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
        raise NotImplementedError(
            "tf.contrib.learn.SVM is not offered: stochastic dual coordinate ascent has no operation here. Minimize "
            "the same loss with tf.contrib.learn.LinearEstimator(feature_columns, tf.contrib.learn.binary_svm_head()), "
            "and with the penalties of tf.train.FtrlOptimizer as its optimizer."
        )
