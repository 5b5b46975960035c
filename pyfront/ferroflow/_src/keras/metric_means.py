"""Metrics that are means or sums over batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies
from ferroflow._src.keras import loss_classes, losses, metrics
from ferroflow._src.keras.added_metrics import register_mean
from ferroflow._src.keras.metric_base import Metric
from ferroflow._src.layers.sessions import get_value
from ferroflow._src.metrics.accumulation import match_weights
from ferroflow._src.ops.array import making, shaping
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import div_no_nan, squared_difference
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal, greater
from ferroflow._src.ops.math.confusion_matrix import confusion_matrix
from ferroflow._src.ops.math.elementwise import abs as absolute, sqrt
from ferroflow._src.ops.math.linalg import matrix_diag_part
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_sum


class _Reduced(Metric):
    """Base of metrics that add up values: their sum, and for means also their number."""

    _counts = True

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total")
        if self._counts:
            self.count = self.add_weight("count")

    def update_state(self, values: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """Adds values to the state.

        Args:
            values: Tensor of a number dtype, of any shape.
            sample_weight: Tensor of a number dtype, whose shape broadcasts to that of `values`; None for 1.

        Returns:
            The operation that updates the state.
        """
        values = cast(values, self.dtype)
        weights = None
        if sample_weight is not None:
            weights = cast(match_weights(values, sample_weight), self.dtype)
            try:
                weights = broadcast_weights(weights, values)
            except ValueError:
                # The weights are those of examples: their values are reduced first.
                extra = list(range(int(weights.get_shape().ndims or 0), int(values.get_shape().ndims or 0)))
                values = reduce_mean(values, axis=extra) if self._counts else reduce_sum(values, axis=extra)
            values = values * weights
        total = reduce_sum(values)
        with control_dependencies([total]):
            update = self.total.assign_add(total)
        if not self._counts:
            return update
        number = cast(shaping.size(values), self.dtype) if weights is None else reduce_sum(weights)
        with control_dependencies([update]):
            return self.count.assign_add(number)

    def result(self) -> Any:
        """Computes the sum, or the mean; 0 before any value."""
        return div_no_nan(self.total, self.count) if self._counts else making.identity(self.total)


class Mean(_Reduced):
    """Computes the weighted mean of values.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)


register_mean(lambda name: Mean(name))


class Sum(_Reduced):
    """Computes the weighted sum of values.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    _counts = False

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)


class MeanOfFunction(Mean):
    """Computes the mean of a function of labels and predictions.

    Args:
        fn: callable of labels, predictions and the options.
        name: str.
        dtype: DType of the state; `floatx()` by default.
        **kwargs: options of the function.
    """

    def __init__(self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name, dtype)
        self._fn, self._fn_options = fn, kwargs

    def update_state(  # type: ignore[override]
        self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None
    ) -> Any:
        """Adds the examples of a batch.

        Args:
            y_true: Tensor of a number dtype, the labels.
            y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.
            sample_weight: Tensor of a number dtype, of shape [batch] or [batch, ...]; None for 1.

        Returns:
            The operation that updates the state.
        """
        labels, predictions = loss_classes.matched(cast(y_true, self.dtype), cast(y_pred, self.dtype))
        return super().update_state(self._fn(labels, predictions, **self._fn_options), sample_weight)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric."""
        return {**super().get_config(), **self._fn_options}


def _equal_numbers(labels: Any, predictions: Any) -> Any:
    return cast(equal(labels, predictions), predictions.dtype)


class Accuracy(MeanOfFunction):
    """Computes how often predictions equal labels.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(_equal_numbers, name, dtype)


class CategoricalAccuracy(MeanOfFunction):
    """Computes how often the largest prediction is at the place of the largest label.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(metrics.categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(MeanOfFunction):
    """Computes how often the largest prediction is at the place that the label names.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(metrics.sparse_categorical_accuracy, name, dtype)


class MeanSquaredError(MeanOfFunction):
    """Computes the mean of the squared errors.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_squared_error, name, dtype)


class MeanAbsoluteError(MeanOfFunction):
    """Computes the mean of the absolute errors.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_absolute_error, name, dtype)


class MeanAbsolutePercentageError(MeanOfFunction):
    """Computes the mean of the absolute errors, in percent of the labels.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "mean_absolute_percentage_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_absolute_percentage_error, name, dtype)


class MeanSquaredLogarithmicError(MeanOfFunction):
    """Computes the mean of the squared differences of log(1 + x).

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "mean_squared_logarithmic_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_squared_logarithmic_error, name, dtype)


class Hinge(MeanOfFunction):
    """Computes the mean of max(1 - label * prediction, 0); labels of 0 mean -1.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "hinge", dtype: Any = None) -> None:
        super().__init__(losses.hinge, name, dtype)


class SquaredHinge(MeanOfFunction):
    """Computes the mean of the squares of max(1 - label * prediction, 0); labels of 0 mean -1.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(losses.squared_hinge, name, dtype)


class CategoricalHinge(MeanOfFunction):
    """Computes the mean of max(1 + the largest other score - the class's score, 0).

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(losses.categorical_hinge, name, dtype)


class LogCoshError(MeanOfFunction):
    """Computes the mean of log(cosh(error)).

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "logcosh", dtype: Any = None) -> None:
        super().__init__(losses.logcosh, name, dtype)


class Poisson(MeanOfFunction):
    """Computes the mean of prediction - label * log(prediction).

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "poisson", dtype: Any = None) -> None:
        super().__init__(losses.poisson, name, dtype)


class KLDivergence(MeanOfFunction):
    """Computes the mean of the sums of label * log(label / prediction).

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "kullback_leibler_divergence", dtype: Any = None) -> None:
        super().__init__(losses.kullback_leibler_divergence, name, dtype)


class BinaryAccuracy(MeanOfFunction):
    """Computes how often predictions are on the label's side of a threshold.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
        threshold: float, above which a prediction counts as 1.
    """

    def __init__(self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(
            metrics.binary_accuracy,
            name,
            dtype,
            threshold=threshold,
        )


class TopKCategoricalAccuracy(MeanOfFunction):
    """Computes how often the largest label is among the `k` largest predictions.

    Args:
        k: int.
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(metrics.top_k_categorical_accuracy, name, dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanOfFunction):
    """Computes how often the label's class is among the `k` largest predictions.

    Args:
        k: int.
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, k: int = 5, name: str | None = "sparse_top_k_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(metrics.sparse_top_k_categorical_accuracy, name, dtype, k=k)


class CosineSimilarity(MeanOfFunction):
    """Computes the mean cosine of the angles between labels and predictions.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
        axis: int, the dimension of the vectors.
    """

    def __init__(self, name: str | None = "cosine_similarity", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(loss_classes.cosine_similarity, name, dtype, axis=axis)


class BinaryCrossentropy(MeanOfFunction):
    """Computes the mean cross entropy of predictions between two classes.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
        from_logits: bool. If True, predictions are logits, not probabilities.
        label_smoothing: float, how far labels are moved to 0.5.
    """

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        options = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(losses.binary_crossentropy, name, dtype, **options)


class CategoricalCrossentropy(MeanOfFunction):
    """Computes the mean cross entropy of predictions and probabilities of classes.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
        from_logits: bool. If True, predictions are logits, not probabilities.
        label_smoothing: float, the part of the labels that is spread over all classes.
    """

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        options = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(losses.categorical_crossentropy, name, dtype, **options)


class SparseCategoricalCrossentropy(MeanOfFunction):
    """Computes the mean cross entropy of predictions and the numbers of classes.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
        from_logits: bool. If True, predictions are logits, not probabilities.
        axis: int, the dimension of the classes.
    """

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(losses.sparse_categorical_crossentropy, name, dtype, from_logits=from_logits, axis=axis)


class RootMeanSquaredError(MeanOfFunction):
    """Computes the square root of the mean of the squared errors.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(lambda y, p: squared_difference(p, y), name, dtype)

    def result(self) -> Any:
        """Computes the root; 0 before any value."""
        return sqrt(super().result())


class MeanRelativeError(MeanOfFunction):
    """Computes the mean of the absolute errors, divided by a normalizer.

    Args:
        normalizer: Tensor of a number dtype, of the shape of the predictions; an error counts as 0 where it is 0.
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, normalizer: TensorLike, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(lambda y, p: div_no_nan(absolute(y - p), self.normalizer), name, dtype)
        self.normalizer = cast(convert_to_tensor(normalizer), self.dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric; a tensor by its value in Keras's session."""
        return {"normalizer": get_value(self.normalizer), **super().get_config()}


class MeanIoU(Metric):
    """Computes the mean over classes of intersections divided by unions.

    Args:
        num_classes: int.
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, num_classes: int, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight("total_confusion_matrix", (num_classes, num_classes), dtype=dtypes.float64)

    def update_state(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """Adds the examples of a batch.

        Args:
            y_true: Tensor of an integer dtype, the classes.
            y_pred: Tensor of an integer dtype, the predicted classes.
            sample_weight: Tensor of a number dtype; None for 1.

        Returns:
            The operation that updates the state.
        """
        classes, predicted = (shaping.reshape(cast(x, dtypes.int64), [-1]) for x in (y_true, y_pred))
        weights = None if sample_weight is None else shaping.reshape(cast(sample_weight, dtypes.float64), [-1])
        matrix = confusion_matrix(classes, predicted, self.num_classes, weights=weights, dtype=dtypes.float64)
        return self.total_cm.assign_add(matrix)

    def result(self) -> Any:
        """Computes the mean over the classes that occur."""
        rows, columns = (cast(reduce_sum(self.total_cm, axis=axis), self.dtype) for axis in (0, 1))
        both = cast(matrix_diag_part(self.total_cm), self.dtype)
        unions = rows + columns - both
        occurring = reduce_sum(cast(making.ones_like(unions) * cast(greater(unions, 0), unions.dtype), self.dtype))
        return div_no_nan(reduce_sum(div_no_nan(both, unions)), occurring)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal metric."""
        return {"num_classes": self.num_classes, **super().get_config()}


class MeanTensor(Metric):
    """Computes the mean of each element of tensors.

    Args:
        name: str.
        dtype: DType of the state; `floatx()` by default.
    """

    def __init__(self, name: str | None = "mean_tensor", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total: Any = None
        self.count: Any = None

    def update_state(self, values: TensorLike, sample_weight: TensorLike | None = None) -> Any:
        """Adds values to the state; the first call sets its shape.

        Args:
            values: Tensor of a number dtype, of any known shape.
            sample_weight: Tensor of a number dtype, whose shape broadcasts to that of `values`; None for 1.

        Returns:
            The operation that updates the state.

        Raises:
            ValueError: if the shape differs from that of the first call.
        """
        values = cast(values, self.dtype)
        shape = values.get_shape().as_list()
        if self.total is None:
            self.total, self.count = (self.add_weight(name, tuple(shape)) for name in ("total", "count"))
        if self.total.get_shape().as_list() != shape:
            raise ValueError(
                f"MeanTensor input values must always have the same shape. Expected {self.total.shape}, got {shape}"
            )
        weights = making.ones_like(values)
        if sample_weight is not None:
            weights = broadcast_weights(cast(sample_weight, self.dtype), values)
        return group(self.total.assign_add(values * weights), self.count.assign_add(weights))

    def result(self) -> Any:
        """Computes the means.

        Raises:
            ValueError: if no values were added.
        """
        if self.total is None:
            raise ValueError(
                "MeanTensor does not have any result yet. Please call the metric or use `.update_state` first."
            )
        return div_no_nan(self.total, self.count)
