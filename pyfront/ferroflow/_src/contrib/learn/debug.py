"""`DebugClassifier` and `DebugRegressor`: estimators that learn one number for each output and ignore the features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ferroflow._src.contrib.layers.optimize_loss import optimize_loss
from ferroflow._src.contrib.learn.estimator import Estimator
from ferroflow._src.contrib.learn.heads import Head, multi_class_head, regression_head
from ferroflow._src.contrib.learn.model_ops import ModelFnOps, PredictionKey
from ferroflow._src.contrib.learn.run_config import RunConfig
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import shape
from ferroflow._src.ops.flow.checking import assert_equal

__all__ = ["DebugClassifier", "DebugRegressor", "debug_model_fn"]


def debug_model_fn(features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any = None) -> ModelFnOps:
    """Makes a model whose logits are zeros, to which its head adds a centered bias.

    Args:
        features: Tensor, or dict of Tensors, all of one first dimension.
        labels: Tensor, or dict of Tensors.
        mode: str, of ModeKeys.
        params: dict with the Head under "head".
        config: RunConfig, not used.

    Returns:
        ModelFnOps.

    Raises:
        ValueError: if there are no features.
    """
    del config
    tensors = features if isinstance(features, Mapping) else {"": features}
    if not tensors:
        raise ValueError("Features cannot be empty.")
    head: Head = params["head"]
    size, *others = [shape(tensor)[0] for tensor in tensors.values()]
    with control_dependencies([assert_equal(size, other) for other in others]):
        logits = zeros([size, head.logits_dimension])

    def train_op_fn(loss: Any) -> Any:
        return optimize_loss(loss, global_step=None, learning_rate=0.3, optimizer="Adagrad")

    return head.create_model_fn_ops(features=tensors, labels=labels, mode=mode, train_op_fn=train_op_fn, logits=logits)


class _DebugEstimator(Estimator):
    def _only(self, key: str, input_fn: Any, batch_size: int | None) -> Iterator[Any]:
        found = self.predict(input_fn=input_fn, batch_size=batch_size, outputs=[key])
        return (one[key] for one in found)


class DebugClassifier(_DebugEstimator):
    """A classifier that learns how frequent the classes are, and ignores the features.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        n_classes: int, the number of classes.
        weight_column_name: str, the key of the examples' weights among the features, or None.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns those for the model.
        label_keys: list of str, the names of the classes, or None.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_keys: Any = None,
    ) -> None:
        head = multi_class_head(
            n_classes=n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=True,
            label_keys=label_keys,
        )
        super().__init__(
            model_fn=debug_model_fn,
            model_dir=model_dir,
            config=config,
            params={"head": head},
            feature_engineering_fn=feature_engineering_fn,
        )

    def predict_classes(self, input_fn: Any = None, batch_size: int | None = None) -> Iterator[Any]:
        """Predicts the class of each example.

        Args:
            input_fn: callable of no arguments that returns features.
            batch_size: int, or None.

        Returns:
            iterator of int64.
        """
        return self._only(PredictionKey.CLASSES, input_fn, batch_size)

    def predict_proba(self, input_fn: Any = None, batch_size: int | None = None) -> Iterator[Any]:
        """Predicts the probabilities of the classes.

        Args:
            input_fn: callable of no arguments that returns features.
            batch_size: int, or None.

        Returns:
            iterator of float32 arrays, of shape [classes].
        """
        return self._only(PredictionKey.PROBABILITIES, input_fn, batch_size)


class DebugRegressor(_DebugEstimator):
    """A regressor that learns the mean of the labels, and ignores the features.

    Args:
        model_dir: str, the folder of checkpoints and summaries; None for a temporary one.
        label_dimension: int, the numbers of a label.
        weight_column_name: str, the key of the examples' weights among the features, or None.
        config: RunConfig; None for the usual one.
        feature_engineering_fn: function of features and labels that returns those for the model.
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
        super().__init__(
            model_fn=debug_model_fn,
            model_dir=model_dir,
            config=config,
            params={"head": head},
            feature_engineering_fn=feature_engineering_fn,
        )

    def predict_scores(self, input_fn: Any = None, batch_size: int | None = None) -> Iterator[Any]:
        """Predicts the score of each example.

        Args:
            input_fn: callable of no arguments that returns features.
            batch_size: int, or None.

        Returns:
            iterator of float32.
        """
        return self._only(PredictionKey.SCORES, input_fn, batch_size)
