"""Metrics that keep histograms of predictions instead of the predictions."""

from __future__ import annotations

from typing import Any, NamedTuple

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import Collections, TensorLike
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, name_scope
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.metrics.accumulation import match_ranks, metric_variable
from ferroflow._src.metrics.description import described
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import boolean_mask
from ferroflow._src.ops.array.making import lin_space
from ferroflow._src.ops.flow.checking import Assert, assert_greater_equal, assert_less_equal, assert_type
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import add, maximum, truediv
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import equal
from ferroflow._src.ops.math.confusion_matrix import remove_squeezable_dimensions
from ferroflow._src.ops.math.counting import histogram_fixed_width
from ferroflow._src.ops.math.elementwise import floor, logical_not
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.math.segment import cumsum
from ferroflow._src.ops.state.assigning import scatter_add
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import zeros_initializer
from ferroflow._src.variables.scope import variable_scope

__all__ = ["auc_using_histogram", "precision_recall_at_equal_thresholds"]


class PrecisionRecallData(NamedTuple):
    """Counts, precision and recall at thresholds: Tensors of shape [thresholds]."""

    tp: Tensor
    fp: Tensor
    tn: Tensor
    fn: Tensor
    precision: Tensor
    recall: Tensor
    thresholds: Tensor


@described(
    result="`PrecisionRecallData` of Tensors of `predictions`' dtype, of shape [num_thresholds]; and an Operation",
    labels="Tensor of bool, of the shape of `predictions`.",
    predictions="Tensor of a float dtype, of any shape, in [0, 1].",
    num_thresholds="int, the number of thresholds, evenly spread over [0, 1]; None for 201.",
    use_locking="bool. If True, updates hold the variables' locks; None for True.",
)
def precision_recall_at_equal_thresholds(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    num_thresholds: int | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> tuple[PrecisionRecallData, Any]:
    """Returns counts, precision and recall at evenly spread thresholds, in time that does not grow with both."""
    number = 201 if num_thresholds is None else num_thresholds
    locking = True if use_locking is None else use_locking
    assert_type(labels, dtypes.bool)
    given: Tensor = convert_to_tensor(predictions)
    mass = 1.0 if weights is None else weights
    with variable_scope(name, "precision_recall_at_equal_thresholds", (labels, given, mass)):
        message = "predictions must be in [0, 1]"
        checks = [
            assert_greater_equal(given, cast(0.0, given.dtype), message=message),
            assert_less_equal(given, cast(1.0, given.dtype), message=message),
        ]
        with control_dependencies(checks):
            given, truth, matched = match_ranks(given, labels, mass)
        factors: Any = matched
        given.shape.assert_is_compatible_with(truth.shape)
        is_true = cast(truth, given.dtype)
        masses = [shaping.reshape(part * factors, [-1]) for part in (is_true, 1.0 - is_true)]
        buckets = cast(floor(shaping.reshape(given, [-1]) * (number - 1)), dtypes.int32)
        with name_scope("variables"):
            true = metric_variable([number], given.dtype, name="tp_buckets")
            false = metric_variable([number], given.dtype, name="fp_buckets")
        with name_scope("update_op"):
            update_true = scatter_add(true, buckets, masses[0], use_locking=locking)
            update_false = scatter_add(false, buckets, masses[1], use_locking=locking)
        # A prediction is positive at all thresholds up to its own bucket.
        tp = cumsum(true, reverse=True, name="tp")
        fp = cumsum(false, reverse=True, name="fp")
        tn, fn = fp[0] - fp, tp[0] - tp
        least = 1e-7
        data = PrecisionRecallData(
            tp=tp,
            fp=fp,
            tn=tn,
            fn=fn,
            precision=tp / maximum(least, tp + fp),
            recall=tp / maximum(least, tp + fn),
            thresholds=lin_space(0.0, 1.0, number),
        )
        return data, group(update_true, update_false)


def _strict_1d_cumsum(tensor: TensorLike, len_tensor: int) -> Tensor:
    """Returns the sums of the elements up to each; empty for length 0."""
    with name_scope("strict_1d_cumsum", values=[tensor]):
        return cumsum(tensor) if len_tensor else constant([])


def _checked(labels: Tensor, scores: Tensor, check_shape: bool) -> list[Any]:
    if labels.dtype != dtypes.bool:
        raise ValueError(f"Argument boolean_labels should have dtype bool.  Found: {labels.dtype}")
    return [
        Assert(equal(1, shaping.rank(tensor)), [f"Argument {argument} should have rank 1.  Found: ", tensor.name])
        for argument, tensor in (("boolean_labels", labels), ("scores", scores))
        if check_shape
    ]


@described(
    result="Tensor of float32, of shape []; and an Operation",
    fails="`boolean_labels` are not of dtype bool",
    boolean_labels="Tensor of bool, of shape [batch].",
    scores="Tensor of a number dtype, of shape [batch].",
    score_range="Tensor of `scores`' dtype, of shape [2]: the least and the greatest score; others are clipped.",
    nbins="int, the number of bins.",
    collections="list of str, the collections of the histograms; None for `GraphKeys.LOCAL_VARIABLES`.",
    check_shape="bool. If True, the ranks are checked when the update runs.",
)
def auc_using_histogram(
    boolean_labels: TensorLike,
    scores: TensorLike,
    score_range: TensorLike,
    nbins: int = 100,
    collections: Collections | None = None,
    check_shape: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Any]:
    """Returns the area under the ROC curve from histograms of the scores of true and of false examples."""
    kept = [GraphKeys.LOCAL_VARIABLES] if collections is None else collections
    with variable_scope(name, "auc_using_histogram", [boolean_labels, scores, score_range]):
        values, labels = remove_squeezable_dimensions(scores, boolean_labels)
        limits: Tensor = convert_to_tensor(score_range, name="score_range")
        labels, values = convert_to_tensor(labels), convert_to_tensor(values)
        checks = control_dependencies(_checked(labels, values, check_shape))
        with checks, variable_scope(None, "make_auc_histograms", [labels, values, nbins]):
            batch = [
                histogram_fixed_width(
                    boolean_mask(values, mask), limits, nbins=nbins, dtype=dtypes.int64, name=f"hist_{kind}"
                )
                for kind, mask in (("true", labels), ("false", logical_not(labels)))
            ]
        with variable_scope(None, "hist_accumulate", batch):
            totals = [
                get_variable(
                    f"hist_{kind}_acc",
                    shape=[nbins],
                    dtype=dtypes.int64,
                    initializer=zeros_initializer(),
                    collections=kept,
                    trainable=False,
                )
                for kind in ("true", "false")
            ]
            update = group(*(total.assign_add(one) for total, one in zip(totals, batch, strict=True)), name="update_op")
        true, false = (truediv(total, reduce_sum(total)) for total in totals)
        # The curve goes from high scores to low ones.
        delta_y = cast(shaping.reverse(true, [0], name="delta_y_t"), dtypes.float32)
        delta_x = cast(shaping.reverse(false, [0], name="delta_x_t"), dtypes.float32)
        y = _strict_1d_cumsum(delta_y, nbins)
        others = delta_x[1:] * (y[1:] + y[: nbins - 1]) / 2.0
        return add(delta_x[0] * y[0] / 2.0, reduce_sum(others), name="auc"), update
