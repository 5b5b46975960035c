"""`tf.contrib.metrics`: metrics under their older names, with predictions before labels, and some more."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.metrics.concatenation import (
    auc_with_confidence_intervals as auc_with_confidence_intervals,
    streaming_concat as streaming_concat,
    streaming_dynamic_auc as streaming_dynamic_auc,
)
from ferroflow._src.contrib.metrics.histograms import (
    auc_using_histogram as auc_using_histogram,
    precision_recall_at_equal_thresholds as precision_recall_at_equal_thresholds,
)
from ferroflow._src.contrib.metrics.rates import (
    cohen_kappa as cohen_kappa,
    precision_at_recall as precision_at_recall,
    recall_at_precision as recall_at_precision,
    sparse_recall_at_top_k as sparse_recall_at_top_k,
    streaming_covariance as streaming_covariance,
    streaming_curve_points as streaming_curve_points,
    streaming_false_negative_rate_at_thresholds as streaming_false_negative_rate_at_thresholds,
    streaming_false_positive_rate_at_thresholds as streaming_false_positive_rate_at_thresholds,
    streaming_pearson_correlation as streaming_pearson_correlation,
    streaming_sparse_average_precision_at_top_k as streaming_sparse_average_precision_at_top_k,
    streaming_sparse_precision_at_top_k as streaming_sparse_precision_at_top_k,
)
from ferroflow._src.contrib.metrics.streaming import (
    accuracy as accuracy,
    aggregate_metric_map as aggregate_metric_map,
    aggregate_metrics as aggregate_metrics,
    count as count,
    f1_score as f1_score,
    streaming_accuracy as streaming_accuracy,
    streaming_auc as streaming_auc,
    streaming_false_negative_rate as streaming_false_negative_rate,
    streaming_false_negatives as streaming_false_negatives,
    streaming_false_negatives_at_thresholds as streaming_false_negatives_at_thresholds,
    streaming_false_positive_rate as streaming_false_positive_rate,
    streaming_false_positives as streaming_false_positives,
    streaming_false_positives_at_thresholds as streaming_false_positives_at_thresholds,
    streaming_mean as streaming_mean,
    streaming_mean_absolute_error as streaming_mean_absolute_error,
    streaming_mean_cosine_distance as streaming_mean_cosine_distance,
    streaming_mean_iou as streaming_mean_iou,
    streaming_mean_relative_error as streaming_mean_relative_error,
    streaming_mean_squared_error as streaming_mean_squared_error,
    streaming_mean_tensor as streaming_mean_tensor,
    streaming_percentage_less as streaming_percentage_less,
    streaming_precision as streaming_precision,
    streaming_precision_at_thresholds as streaming_precision_at_thresholds,
    streaming_recall as streaming_recall,
    streaming_recall_at_k as streaming_recall_at_k,
    streaming_recall_at_thresholds as streaming_recall_at_thresholds,
    streaming_root_mean_squared_error as streaming_root_mean_squared_error,
    streaming_sensitivity_at_specificity as streaming_sensitivity_at_specificity,
    streaming_sparse_average_precision_at_k as streaming_sparse_average_precision_at_k,
    streaming_sparse_precision_at_k as streaming_sparse_precision_at_k,
    streaming_sparse_recall_at_k as streaming_sparse_recall_at_k,
    streaming_specificity_at_sensitivity as streaming_specificity_at_sensitivity,
    streaming_true_negatives as streaming_true_negatives,
    streaming_true_negatives_at_thresholds as streaming_true_negatives_at_thresholds,
    streaming_true_positives as streaming_true_positives,
    streaming_true_positives_at_thresholds as streaming_true_positives_at_thresholds,
)
from ferroflow._src.ops.math.confusion_matrix import confusion_matrix as confusion_matrix
from ferroflow._src.ops.sparse.sets import (
    set_difference as set_difference,
    set_intersection as set_intersection,
    set_size as set_size,
    set_union as set_union,
)

_tell_absent(globals())
