"""`tf.metrics`: numbers that are accumulated over the batches of an evaluation."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.metrics.averaging import (
    accuracy as accuracy,
    mean as mean,
    mean_absolute_error as mean_absolute_error,
    mean_cosine_distance as mean_cosine_distance,
    mean_relative_error as mean_relative_error,
    mean_squared_error as mean_squared_error,
    mean_tensor as mean_tensor,
    percentage_below as percentage_below,
    root_mean_squared_error as root_mean_squared_error,
)
from ferroflow._src.metrics.class_matrices import (
    mean_iou as mean_iou,
    mean_per_class_accuracy as mean_per_class_accuracy,
)
from ferroflow._src.metrics.counting import (
    false_negatives as false_negatives,
    false_positives as false_positives,
    precision as precision,
    recall as recall,
    true_negatives as true_negatives,
    true_positives as true_positives,
)
from ferroflow._src.metrics.ranking import (
    average_precision_at_k as average_precision_at_k,
    precision_at_k as precision_at_k,
    precision_at_top_k as precision_at_top_k,
    recall_at_k as recall_at_k,
    recall_at_top_k as recall_at_top_k,
    sparse_average_precision_at_k as sparse_average_precision_at_k,
    sparse_precision_at_k as sparse_precision_at_k,
)
from ferroflow._src.metrics.thresholds import (
    auc as auc,
    false_negatives_at_thresholds as false_negatives_at_thresholds,
    false_positives_at_thresholds as false_positives_at_thresholds,
    precision_at_thresholds as precision_at_thresholds,
    recall_at_thresholds as recall_at_thresholds,
    sensitivity_at_specificity as sensitivity_at_specificity,
    specificity_at_sensitivity as specificity_at_sensitivity,
    true_negatives_at_thresholds as true_negatives_at_thresholds,
    true_positives_at_thresholds as true_positives_at_thresholds,
)

_tell_absent(globals())
