"""Metrics of the counts of true and false predictions, at one or more thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.keras.metric_base import Metric
from ferroflow._src.metrics.accumulation import match_ranks
from ferroflow._src.ops.array import indexing, making, shaping
from ferroflow._src.ops.flow.checking import assert_greater_equal, assert_less_equal
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import div_no_nan, maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import greater, logical_and
from ferroflow._src.ops.math.elementwise import abs as absolute, log, logical_not
from ferroflow._src.ops.math.reduction import argmin, reduce_sum
from ferroflow._src.ops.nn.ranking import top_k

_EPSILON = 1e-7
# Kinds of predictions: the label, and True for predictions above the threshold.
_KINDS = {
    "true_positives": (True, True),
    "true_negatives": (False, False),
    "false_positives": (False, True),
    "false_negatives": (True, False),
}


def _checked_thresholds(thresholds: Any, default: float) -> list[float]:
    found = [default if thresholds is None else thresholds]
    found = list(found[0]) if isinstance(found[0], (list, tuple)) else found
    wrong = [t for t in found if t is None or not 0 <= t <= 1]
    if wrong:
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {wrong}")
    return [float(t) for t in found]


def _spread(num_thresholds: int) -> list[float]:
    """Returns numbers of equal distance, between one just below 0 and one just above 1."""
    inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    return [0.0 - _EPSILON, *inner, 1.0 + _EPSILON]


class _Counts(Metric):
    """Base of metrics with counts of some kinds of predictions at each threshold."""

    true_positives: Any
    false_positives: Any
    true_negatives: Any
    false_negatives: Any

    def __init__(self, name: str | None, dtype: Any, kinds: Sequence[str], thresholds: Sequence[float]) -> None:
        super().__init__(name=name, dtype=dtype)
        self._kinds, self._places = tuple(kinds), list(thresholds)
        self.top_k: int | None = None
        self.class_id: int | None = None
        for kind in self._kinds:
            name = "accumulator" if len(self._kinds) == 1 else kind
            setattr(self, kind, self.add_weight(name, (len(self._places),)))

    def update_state(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """Adds the examples of a batch.

        Args:
            y_true: Tensor of a number dtype, of 0 and 1: the labels.
            y_pred: Tensor of a float dtype, of the shape of `y_true`, from 0 to 1: the predictions.
            sample_weight: Tensor of a number dtype, whose shape broadcasts to that of `y_pred`; None for 1.

        Returns:
            The operation that updates the state. It fails with InvalidArgumentError for other predictions.
        """
        labels, predictions = cast(y_true, dtypes.float32), cast(y_pred, dtypes.float32)
        checks = [
            assert_greater_equal(predictions, 0.0, message="predictions must be >= 0"),
            assert_less_equal(predictions, 1.0, message="predictions must be <= 1"),
        ]
        with control_dependencies(checks):
            predictions, labels, weights = match_ranks(making.identity(predictions), labels, sample_weight)
        if self.top_k is not None:
            predictions = _only_top_k(predictions, self.top_k)
        if self.class_id is not None:
            labels, predictions = labels[..., self.class_id], predictions[..., self.class_id]
        if weights is not None:
            weights = shaping.reshape(broadcast_weights(cast(weights, dtypes.float32), predictions), [1, -1])
        is_true = shaping.reshape(cast(labels, dtypes.bool), [1, -1])
        places = constant(self._places, dtypes.float32, shape=[len(self._places), 1])
        is_above = greater(shaping.reshape(predictions, [1, -1]), places)
        return group(*(self._added(kind, is_true, is_above, weights) for kind in self._kinds))

    def _added(self, kind: str, is_true: Any, is_above: Any, weights: Any) -> Any:
        for_true, for_above = _KINDS[kind]
        label = is_true if for_true else logical_not(is_true)
        found = cast(logical_and(label, is_above if for_above else logical_not(is_above)), dtypes.float32)
        number = reduce_sum(found if weights is None else found * weights, axis=1)
        return getattr(self, kind).assign_add(cast(number, self.dtype))

    def _first_or_all(self, values: Any) -> Any:
        return values[0] if len(self._places) == 1 else values


def _only_top_k(predictions: Any, k: int) -> Any:
    """Returns the `k` largest predictions of each row; others are far below 0."""
    least = top_k(predictions, k, sorted=True).values[..., -1:]
    return indexing.where(predictions < least, making.zeros_like(predictions) - 1e10, predictions)


class _OneCount(_Counts):
    _kind = ""

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        self._given = thresholds
        super().__init__(name, dtype, [self._kind], _checked_thresholds(thresholds, 0.5))
        self.thresholds = thresholds if thresholds is not None else 0.5

    def result(self) -> Any:
        """Returns the count at the threshold, or at each of several."""
        return self._first_or_all(getattr(self, self._kind).value())

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric."""
        return {"thresholds": self._given, **super().get_config()}


_OF_COUNTS = """

    Args:
        thresholds: float, or list of floats, above which a prediction counts as 1; 0.5 by default.
        name: str.
        dtype: DType of the state; `floatx()` by default.

    Raises:
        ValueError: if a threshold is not from 0 to 1.
    """


class TruePositives(_OneCount):
    __doc__ = "Counts predictions of 1 whose label is 1." + _OF_COUNTS
    _kind = "true_positives"


class FalsePositives(_OneCount):
    __doc__ = "Counts predictions of 1 whose label is 0." + _OF_COUNTS
    _kind = "false_positives"


class TrueNegatives(_OneCount):
    __doc__ = "Counts predictions of 0 whose label is 0." + _OF_COUNTS
    _kind = "true_negatives"


class FalseNegatives(_OneCount):
    __doc__ = "Counts predictions of 0 whose label is 1." + _OF_COUNTS
    _kind = "false_negatives"


class _Part(_Counts):
    """Base of precision and recall: the true positives divided by them and other counts."""

    _others = ""

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        # With `top_k`, each of the top predictions counts, whatever its value.
        default = 0.5 if top_k is None else -1e9
        places = [default] if thresholds is None else _checked_thresholds(thresholds, default)
        super().__init__(name, dtype, ["true_positives", self._others], places)
        self.thresholds = places if thresholds is None else thresholds
        self._init_thresholds, self.top_k, self.class_id = thresholds, top_k, class_id

    def result(self) -> Any:
        """Computes the part at the threshold, or at each of several; 0 before any example."""
        true = self.true_positives.value()
        return self._first_or_all(div_no_nan(true, true + getattr(self, self._others)))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric."""
        own = {"thresholds": self._init_thresholds, "top_k": self.top_k, "class_id": self.class_id}
        return {**super().get_config(), **own}


_OF_PARTS = """

    Args:
        thresholds: float, or list of floats, above which a prediction counts as 1; 0.5 by default.
        top_k: int, how many predictions of each row count as 1, or None.
        class_id: int, the only column that counts, or None.
        name: str.
        dtype: DType of the state; `floatx()` by default.

    Raises:
        ValueError: if a threshold is not from 0 to 1.
    """


class Precision(_Part):
    __doc__ = "Computes which part of the predictions of 1 has the label 1." + _OF_PARTS
    _others = "false_positives"


class Recall(_Part):
    __doc__ = "Computes which part of the labels of 1 is predicted." + _OF_PARTS
    _others = "false_negatives"


class _AtOneRate(_Counts):
    """Base of metrics that compute one rate at the threshold where another rate is nearest to a value."""

    def __init__(self, value: float, num_thresholds: int, name: str | None, dtype: Any) -> None:
        if num_thresholds <= 0:
            raise ValueError("`num_thresholds` must be > 0.")
        places = [0.5] if num_thresholds == 1 else _spread(num_thresholds)
        super().__init__(name, dtype, list(_KINDS), places)
        self.value, self.num_thresholds, self.thresholds = value, num_thresholds, places

    def _rates(self) -> tuple[Any, Any]:
        """Returns sensitivities and specificities."""
        sensitivity = div_no_nan(self.true_positives, self.true_positives + self.false_negatives)
        specificity = div_no_nan(self.true_negatives, self.true_negatives + self.false_positives)
        return sensitivity, specificity


class SensitivityAtSpecificity(_AtOneRate):
    """Computes the part of the labels of 1 that is predicted, at a given part for labels of 0.

    Args:
        specificity: float, from 0 to 1: the part of the labels of 0 that is predicted.
        num_thresholds: int, the number of thresholds among which one is chosen.
        name: str.
        dtype: DType of the state; `floatx()` by default.

    Raises:
        ValueError: if `specificity` is not from 0 to 1, or `num_thresholds` not positive.
    """

    def __init__(
        self, specificity: float, num_thresholds: int = 200, name: str | None = None, dtype: Any = None
    ) -> None:
        if not 0 <= specificity <= 1:
            raise ValueError("`specificity` must be in the range [0, 1].")
        super().__init__(specificity, num_thresholds, name, dtype)
        self.specificity = specificity

    def result(self) -> Any:
        """Computes the sensitivity."""
        sensitivity, specificity = self._rates()
        return sensitivity[argmin(absolute(specificity - self.value), axis=0)]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric."""
        return {"num_thresholds": self.num_thresholds, "specificity": self.specificity, **super().get_config()}


class SpecificityAtSensitivity(_AtOneRate):
    """Computes the part of the labels of 0 that is predicted, at a given part for labels of 1.

    Args:
        sensitivity: float, from 0 to 1: the part of the labels of 1 that is predicted.
        num_thresholds: int, the number of thresholds among which one is chosen.
        name: str.
        dtype: DType of the state; `floatx()` by default.

    Raises:
        ValueError: if `sensitivity` is not from 0 to 1, or `num_thresholds` not positive.
    """

    def __init__(
        self, sensitivity: float, num_thresholds: int = 200, name: str | None = None, dtype: Any = None
    ) -> None:
        if not 0 <= sensitivity <= 1:
            raise ValueError("`sensitivity` must be in the range [0, 1].")
        super().__init__(sensitivity, num_thresholds, name, dtype)
        self.sensitivity = sensitivity

    def result(self) -> Any:
        """Computes the specificity."""
        sensitivity, specificity = self._rates()
        return specificity[argmin(absolute(sensitivity - self.value), axis=0)]

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric."""
        return {"num_thresholds": self.num_thresholds, "sensitivity": self.sensitivity, **super().get_config()}


class AUC(_Counts):
    """Computes the area under the curve of two rates, by thresholds.

    Args:
        num_thresholds: int, above 1.
        curve: "ROC" or "PR".
        summation_method: "interpolation", "majoring" or "minoring", the rule of the sum.
        name: str.
        dtype: DType of the state; `floatx()` by default.
        thresholds: list of floats from 0 to 1, in place of `num_thresholds`.

    Raises:
        ValueError: if an argument is invalid.
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Sequence[float] | None = None,
    ) -> None:
        if curve not in ("ROC", "PR"):
            raise ValueError(f'Invalid curve: "{curve}". Valid options are: "ROC", "PR"')
        if summation_method not in ("interpolation", "majoring", "minoring"):
            raise ValueError(f'Invalid summation_method: "{summation_method}".')
        if thresholds is not None:
            places = [-_EPSILON, *sorted(_checked_thresholds(list(thresholds), 0.5)), 1.0 + _EPSILON]
        elif num_thresholds <= 1:
            raise ValueError("`num_thresholds` must be > 1.")
        else:
            places = _spread(num_thresholds)
        super().__init__(name, dtype, list(_KINDS), places)
        self.num_thresholds, self.curve, self.summation_method = len(places), curve, summation_method
        self.thresholds = places

    def result(self) -> Any:
        """Computes the area; 0 before any example.

        Returns:
            Tensor of float32, of shape [].
        """
        true = self.true_positives.value()
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._interpolated_precision(true)
        recall = div_no_nan(true, true + self.false_negatives)
        if self.curve == "ROC":
            x, y = div_no_nan(self.false_positives, self.false_positives + self.true_negatives), recall
        else:
            x, y = recall, div_no_nan(true, true + self.false_positives)
        heights = {
            "interpolation": (y[:-1] + y[1:]) / 2.0,
            "minoring": making.identity(_smaller(y)),
            "majoring": maximum(y[:-1], y[1:]),
        }[self.summation_method]
        return reduce_sum((x[:-1] - x[1:]) * heights)

    def _interpolated_precision(self, true: Any) -> Any:
        """Returns the area under precision and recall, interpolated in true positives.

        Source: Davis, Goadrich, "The relationship between precision-recall and ROC curves", ICML 2006.
        """
        gained = true[:-1] - true[1:]
        predicted = true + self.false_positives
        slope = div_no_nan(gained, maximum(predicted[:-1] - predicted[1:], 0))
        intercept = true[1:] - slope * predicted[1:]
        both = logical_and(greater(predicted[:-1], 0), greater(predicted[1:], 0))
        ratio = indexing.where(
            both, div_no_nan(predicted[:-1], maximum(predicted[1:], 0)), making.ones_like(predicted[1:])
        )
        labels = maximum(true[1:] + self.false_negatives[1:], 0)
        return reduce_sum(div_no_nan(slope * (gained + intercept * log(ratio)), labels))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric."""
        own = {
            "num_thresholds": self.num_thresholds,
            "curve": self.curve,
            "summation_method": self.summation_method,
            "thresholds": self.thresholds[1:-1],
        }
        return {**super().get_config(), **own}


def _smaller(y: Any) -> Any:
    return -maximum(-y[:-1], -y[1:])
