"""Losses as objects: a function of labels and predictions, with options, weights and a reduction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.control_flow.weights_broadcast import broadcast_weights
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import losses
from ferroflow._src.metrics.accumulation import match_ranks, match_weights
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.math.arithmetic import div_no_nan
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.normalization import l2_normalize


class Reduction:
    """Ways to combine the weighted losses of elements.

    `NONE`: they stay as they are. `SUM`: their sum. `SUM_OVER_BATCH_SIZE` and `AUTO`: the sum divided by their number.
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Returns the values, one of which an argument `reduction` is."""
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks that a value is one of these.

        Args:
            key: str, the value.

        Raises:
            ValueError: if it is not.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Expected keys are {cls.all()}.")


def compute_weighted_loss(
    losses: TensorLike,
    sample_weight: TensorLike | None = None,
    reduction: str = "sum_over_batch_size",
    name: str | None = None,
) -> Tensor:
    """Multiplies losses by weights and reduces them.

    Args:
        losses: Tensor of a float dtype, of shape [batch, ...].
        sample_weight: Tensor of a number dtype, whose shape broadcasts to that of `losses`; None for 1.
        reduction: "none"; "sum"; "sum_over_batch_size" or "auto", the sum divided by the number of losses.
        name: str, name scope of the operations.

    Returns:
        Tensor of the dtype of `losses`, of shape [], or of the shape of `losses` for "none".

    Raises:
        ValueError: if `reduction` is unknown.
    """
    Reduction.validate(reduction)
    with name_scope(name or "weighted_loss"):
        losses = convert_to_tensor(losses)
        weighted = cast(losses, dtypes.float32)
        weights = cast(1.0 if sample_weight is None else sample_weight, dtypes.float32)
        weights = broadcast_weights(match_weights(weighted, weights), weighted)
        return cast(reduced(tensor_op("Mul", [weighted, weights]), reduction), losses.dtype)


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """Reduces losses.

    Args:
        losses: Tensor of float32, of shape [batch, ...].
        reduction: str, as that of `compute_weighted_loss`.

    Returns:
        Tensor of float32, of shape [], or of the shape of `losses` for "none".
    """
    if reduction == "none":
        return losses
    total: Tensor = reduce_sum(losses)
    if reduction == "sum":
        return total
    with name_scope("num_elements") as scope:
        count = cast(shaping.size(losses, name=scope), losses.dtype)
    return div_no_nan(reduce_sum(total), count, name="value")


def matched(y_true: Tensor, y_pred: Tensor) -> tuple[Tensor, Tensor]:
    """Returns labels and predictions without a last dimension of 1 that only one of them has."""
    ranks = y_true.get_shape().ndims, y_pred.get_shape().ndims
    longer = y_pred if (ranks[1] or 0) > (ranks[0] or 0) else y_true
    if None in ranks or abs(ranks[0] - ranks[1]) != 1 or longer.get_shape()[-1].value not in (1, None):  # type: ignore[operator]
        return y_true, y_pred
    predictions, labels, _ = match_ranks(y_pred, y_true, None)
    return labels, predictions


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Returns the cosine of the angle between labels and predictions.

    Args:
        y_true: Tensor of the dtype and shape of `y_pred`: the labels.
        y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.
        axis: int, the dimension of the vectors.

    Returns:
        Tensor of the dtype of `y_pred`, of its shape without a dimension.
    """
    return reduce_sum(l2_normalize(y_true, axis=axis) * l2_normalize(y_pred, axis=axis), axis=axis)


class Loss:
    """Base of losses that are objects: `call` computes the losses of the examples, which are weighted and reduced.

    Args:
        reduction: "none"; "sum"; "sum_over_batch_size" or "auto", the sum divided by the number of losses.
        name: str.

    Raises:
        ValueError: if `reduction` is unknown.
    """

    def __init__(self, reduction: str = "auto", name: str | None = None) -> None:
        Reduction.validate(reduction)
        self.reduction, self.name = reduction, name

    def __call__(self, y_true: TensorLike, y_pred: TensorLike, sample_weight: TensorLike | None = None) -> Tensor:
        """Computes the loss.

        Args:
            y_true: Tensor of a number dtype, the labels.
            y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.
            sample_weight: Tensor of a number dtype, whose shape broadcasts to that of the losses; None for 1.

        Returns:
            Tensor of the dtype of `y_pred`, of shape []; that of the losses for the reduction "none".
        """
        with name_scope("lambda" if self.name == "<lambda>" else self.name, type(self).__name__):
            return compute_weighted_loss(self.call(y_true, y_pred), sample_weight, self.reduction)

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Any:
        """Computes the losses of the examples.

        Args:
            y_true: Tensor of a number dtype, the labels.
            y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

        Returns:
            Tensor of the dtype of `y_pred`.

        Raises:
            NotImplementedError: if the class does not define it.
        """
        raise NotImplementedError("Must be implemented in subclasses.")

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal loss."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns a loss from the result of `get_config`.

        Args:
            config: dict of arguments.

        Returns:
            Loss of this class.
        """
        return cls(**config)


class LossOfFunction(Loss):
    """A loss that a function of labels and predictions computes.

    Args:
        fn: callable of labels, predictions and the options.
        reduction: "none"; "sum"; "sum_over_batch_size" or "auto".
        name: str.
        **kwargs: options of the function.
    """

    # The function that `compile` takes for the loss where metrics are chosen by it.
    plain: ClassVar[Callable[..., Any] | None] = None
    # Labels that are numbers of classes keep their dtype and shape.
    _labels_are_classes = False

    def __init__(self, fn: Callable[..., Any], reduction: str = "auto", name: str | None = None, **kwargs: Any) -> None:
        super().__init__(reduction, name)
        self.fn, self._options = fn, kwargs

    def call(self, y_true: TensorLike, y_pred: TensorLike) -> Any:
        """Computes the losses of the examples.

        Args:
            y_true: Tensor of a number dtype, the labels.
            y_pred: Tensor of a float dtype, of shape [batch, ...]: the predictions.

        Returns:
            Tensor of the dtype of `y_pred`.
        """
        return self.fn(y_true, y_pred, **self._options)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal loss."""
        return {**self._options, **super().get_config()}


class MeanSquaredError(LossOfFunction):
    """Computes the mean of the squared errors.

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.mean_squared_error)

    def __init__(self, reduction: str = "auto", name: str = "mean_squared_error") -> None:
        super().__init__(losses.mean_squared_error, reduction, name)


class MeanAbsoluteError(LossOfFunction):
    """Computes the mean of the absolute errors.

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.mean_absolute_error)

    def __init__(self, reduction: str = "auto", name: str = "mean_absolute_error") -> None:
        super().__init__(losses.mean_absolute_error, reduction, name)


class MeanAbsolutePercentageError(LossOfFunction):
    """Computes the mean of the absolute errors, in percent of the labels.

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.mean_absolute_percentage_error)

    def __init__(self, reduction: str = "auto", name: str = "mean_absolute_percentage_error") -> None:
        super().__init__(losses.mean_absolute_percentage_error, reduction, name)


class MeanSquaredLogarithmicError(LossOfFunction):
    """Computes the mean of the squared differences of log(1 + x).

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.mean_squared_logarithmic_error)

    def __init__(self, reduction: str = "auto", name: str = "mean_squared_logarithmic_error") -> None:
        super().__init__(losses.mean_squared_logarithmic_error, reduction, name)


class Hinge(LossOfFunction):
    """Computes the mean of max(1 - label * prediction, 0); labels of 0 mean -1.

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.hinge)

    def __init__(self, reduction: str = "auto", name: str = "hinge") -> None:
        super().__init__(losses.hinge, reduction, name)


class SquaredHinge(LossOfFunction):
    """Computes the mean of the squares of max(1 - label * prediction, 0); labels of 0 mean -1.

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.squared_hinge)

    def __init__(self, reduction: str = "auto", name: str = "squared_hinge") -> None:
        super().__init__(losses.squared_hinge, reduction, name)


class CategoricalHinge(LossOfFunction):
    """Computes max(1 + the largest other score - the class's score, 0).

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.categorical_hinge)

    def __init__(self, reduction: str = "auto", name: str = "categorical_hinge") -> None:
        super().__init__(losses.categorical_hinge, reduction, name)


class Poisson(LossOfFunction):
    """Computes the mean of prediction - label * log(prediction).

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.poisson)

    def __init__(self, reduction: str = "auto", name: str = "poisson") -> None:
        super().__init__(losses.poisson, reduction, name)


class LogCosh(LossOfFunction):
    """Computes the mean of log(cosh(error)).

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.logcosh)

    def __init__(self, reduction: str = "auto", name: str = "logcosh") -> None:
        super().__init__(losses.logcosh, reduction, name)


class KLDivergence(LossOfFunction):
    """Computes the sum of label * log(label / prediction).

    Args:
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.kullback_leibler_divergence)

    def __init__(self, reduction: str = "auto", name: str = "kullback_leibler_divergence") -> None:
        super().__init__(losses.kullback_leibler_divergence, reduction, name)


class Huber(LossOfFunction):
    """Computes half the squares of errors up to `delta`, and a linear function of larger ones.

    Args:
        delta: float.
        reduction: str, as that of `Loss`.
        name: str.
    """

    def __init__(self, delta: float = 1.0, reduction: str = "auto", name: str = "huber_loss") -> None:
        super().__init__(losses.huber_loss, reduction, name, delta=delta)


class CosineSimilarity(LossOfFunction):
    """Computes the cosine of the angle between labels and predictions, which TensorFlow 1.15 does not negate.

    Args:
        axis: int, the dimension of the vectors.
        reduction: str, as that of `Loss`.
        name: str.
    """

    def __init__(self, axis: int = -1, reduction: str = "auto", name: str = "cosine_similarity") -> None:
        super().__init__(cosine_similarity, reduction, name, axis=axis)


class BinaryCrossentropy(LossOfFunction):
    """Computes the mean cross entropy of predictions between two classes.

    Args:
        from_logits: bool. If True, predictions are logits, not probabilities.
        label_smoothing: float, how far labels are moved to 0.5.
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.binary_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0,
        reduction: str = "auto",
        name: str = "binary_crossentropy",
    ) -> None:
        super().__init__(
            losses.binary_crossentropy, reduction, name, from_logits=from_logits, label_smoothing=label_smoothing
        )


class CategoricalCrossentropy(LossOfFunction):
    """Computes the cross entropy of predictions and probabilities of classes.

    Args:
        from_logits: bool. If True, predictions are logits, not probabilities.
        label_smoothing: float, the part of the labels that is spread over all classes.
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.categorical_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0,
        reduction: str = "auto",
        name: str = "categorical_crossentropy",
    ) -> None:
        super().__init__(
            losses.categorical_crossentropy, reduction, name, from_logits=from_logits, label_smoothing=label_smoothing
        )


class SparseCategoricalCrossentropy(LossOfFunction):
    """Computes the cross entropy of predictions and the numbers of classes.

    Args:
        from_logits: bool. If True, predictions are logits, not probabilities.
        reduction: str, as that of `Loss`.
        name: str.
    """

    plain = staticmethod(losses.sparse_categorical_crossentropy)
    _labels_are_classes = True

    def __init__(
        self, from_logits: bool = False, reduction: str = "auto", name: str = "sparse_categorical_crossentropy"
    ) -> None:
        super().__init__(losses.sparse_categorical_crossentropy, reduction, name, from_logits=from_logits)
