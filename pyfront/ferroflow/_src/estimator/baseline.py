"""Baseline estimators, which ignore the features: a model has to be better than these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.estimator.classification_heads import classification_head
from ferroflow._src.estimator.estimator import Estimator
from ferroflow._src.estimator.heads import BaseHead
from ferroflow._src.estimator.optimizers import optimizer_of
from ferroflow._src.estimator.regression_heads import regression_head
from ferroflow._src.estimator.spec import EstimatorSpec
from ferroflow._src.feature_column.numeric import NumericColumn
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.flow.checking import assert_equal
from ferroflow._src.ops.math.arithmetic import multiply
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.scope import variable_scope

_LEARNING_RATE = 0.3


def _logits(features: Mapping[str, Any], units: int, weight_column: Any) -> Tensor:
    """Returns one variable for each output, the same for all examples: of shape [batch, units]."""
    weight_key = weight_column.key if isinstance(weight_column, NumericColumn) else weight_column
    sizes = [shaping.shape(feature)[0] for key, feature in features.items() if key != weight_key]
    if not sizes:
        raise ValueError(
            "features must have at least one key other than the weight: the number of examples is taken from it."
        )
    with control_dependencies([assert_equal(sizes[0], size) for size in sizes[1:]]), variable_scope("baseline"):
        bias = get_variable("bias", shape=[units], initializer=Zeros())
        return multiply(bias, making.ones([sizes[0], units]))


def baseline_model(head: BaseHead, optimizer: Any, weight_column: Any) -> Callable[..., EstimatorSpec]:
    """Returns the model function of a model that ignores the features."""

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        del config
        logits = _logits(features, head.logits_dimension, weight_column)
        chosen = optimizer_of(optimizer, _LEARNING_RATE)
        return head.create_estimator_spec(features=features, mode=mode, logits=logits, labels=labels, optimizer=chosen)

    return model_fn


class BaselineClassifier(Estimator):
    """A classifier that predicts the frequency of each class among the labels, independent of the features.

    Args:
        model_dir: as `Estimator`.
        n_classes: as `DNNClassifier`.
        weight_column: as `DNNClassifier`.
        label_vocabulary: as `DNNClassifier`.
        optimizer: as `DNNClassifier`; the learning rate of one given by its name is 0.3.
        config: RunConfig.
        loss_reduction: as `DNNClassifier`.

    Raises:
        ValueError: on the same conditions as `DNNClassifier`.
    """

    def __init__(
        self,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = classification_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(baseline_model(head, optimizer, weight_column), model_dir, config)


class BaselineRegressor(Estimator):
    """A regression that predicts the mean of the labels, independent of the features.

    Args:
        model_dir: as `Estimator`.
        label_dimension: as `DNNRegressor`.
        weight_column: as `DNNClassifier`.
        optimizer: as `BaselineClassifier`.
        config: RunConfig.
        loss_reduction: as `DNNClassifier`.

    Raises:
        ValueError: on the same conditions as `DNNRegressor`.
    """

    def __init__(
        self,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = regression_head(label_dimension, weight_column, loss_reduction)
        super().__init__(baseline_model(head, optimizer, weight_column), model_dir, config)
