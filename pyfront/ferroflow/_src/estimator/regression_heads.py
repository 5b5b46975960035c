"""Heads of regressions: outputs, through a function of them or not, are the predictions."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.estimator.export_outputs import ExportOutput, PredictOutput, RegressionOutput
from ferroflow._src.estimator.head_checks import checked_labels, in_range
from ferroflow._src.estimator.heads import DEFAULT, PREDICT, REGRESS, HeadOfLogits
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.losses.regression import mean_squared_error
from ferroflow._src.losses.weighting import Reduction
from ferroflow._src.metrics.averaging import mean
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.nn.softmax import log_poisson_loss, sigmoid_cross_entropy_with_logits


class RegressionHeadOfLogits(HeadOfLogits):
    """Outputs that are the predictions, with the squared error as loss."""

    _weighs_logits = True
    _inverse_link_fn: Any = None

    def __init__(
        self,
        label_dimension: int,
        weight_column: Any,
        loss_reduction: str,
        loss_fn: Any = None,
        inverse_link_fn: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(label_dimension, weight_column, loss_reduction, loss_fn, name)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self._n_losses = label_dimension
        self._inverse_link_fn = inverse_link_fn

    def predictions_of(self, logits: Tensor) -> dict[str, Tensor]:
        if self._inverse_link_fn is None:
            return {"predictions": logits}
        return {"predictions": self._inverse_link_fn(logits), "logits": logits}

    def outputs_of(self, predictions: dict[str, Tensor]) -> dict[str, ExportOutput]:
        output = RegressionOutput(predictions["predictions"])
        return {DEFAULT: output, REGRESS: output, PREDICT: PredictOutput(predictions)}

    def _numbers(self, labels: Any, logits: Tensor) -> Tensor:
        return cast(checked_labels(labels, logits, self.logits_dimension), dtypes.float32)

    def _losses(self, numbers: Tensor, logits: Tensor) -> Tensor:
        return mean_squared_error(labels=numbers, predictions=logits, reduction=Reduction.NONE)

    def _metrics(self, labels: Tensor, predictions: dict[str, Tensor], losses: Tensor, weights: Any) -> dict[str, Any]:
        found = predictions["predictions"]
        return {
            **super()._metrics(labels, predictions, losses, weights),
            "prediction/mean": mean(found, weights=weights, name="prediction/mean"),
            "label/mean": mean(labels, weights=weights, name="label/mean"),
        }


def poisson_losses(compute_full_loss: bool) -> Any:
    """Returns the loss function of counts, whose outputs are the logarithms of their means."""

    def losses(labels: Tensor, logits: Tensor) -> Tensor:
        return log_poisson_loss(targets=labels, log_input=logits, compute_full_loss=compute_full_loss)

    return losses


def logistic_losses(labels: Tensor, logits: Tensor) -> Tensor:
    """Returns the cross entropies of labels between 0 and 1, of the shape of the logits."""
    checked = in_range(labels, 2, "Labels must be in range [0, 1]")
    return sigmoid_cross_entropy_with_logits(labels=checked, logits=logits)


def regression_head(
    label_dimension: int = 1, weight_column: Any = None, loss_reduction: str = Reduction.SUM
) -> HeadOfLogits:
    """Returns the head of a regression.

    Args:
        label_dimension: int, the number of numbers of a label.
        weight_column: as `HeadOfLogits`.
        loss_reduction: as `HeadOfLogits`.

    Returns:
        RegressionHeadOfLogits.

    Raises:
        ValueError: if the number is not positive, or `loss_reduction` is not one of the listed values.
    """
    return RegressionHeadOfLogits(label_dimension, weight_column, loss_reduction)
