"""`tf.contrib.metrics`: metrics under their older names, with predictions before labels, and some more."""

from ferroflow._src.metrics.streaming import accuracy as accuracy
from ferroflow._src.metrics.streaming import aggregate_metric_map as aggregate_metric_map
from ferroflow._src.metrics.streaming import aggregate_metrics as aggregate_metrics
from ferroflow._src.metrics.streaming import count as count
from ferroflow._src.metrics.streaming import f1_score as f1_score
from ferroflow._src.metrics.streaming import streaming_accuracy as streaming_accuracy
from ferroflow._src.metrics.streaming import streaming_auc as streaming_auc
from ferroflow._src.metrics.streaming import streaming_false_negative_rate as streaming_false_negative_rate
from ferroflow._src.metrics.streaming import streaming_false_negatives as streaming_false_negatives
from ferroflow._src.metrics.streaming import (
    streaming_false_negatives_at_thresholds as streaming_false_negatives_at_thresholds,
)
from ferroflow._src.metrics.streaming import streaming_false_positive_rate as streaming_false_positive_rate
from ferroflow._src.metrics.streaming import streaming_false_positives as streaming_false_positives
from ferroflow._src.metrics.streaming import (
    streaming_false_positives_at_thresholds as streaming_false_positives_at_thresholds,
)
from ferroflow._src.metrics.streaming import streaming_mean as streaming_mean
from ferroflow._src.metrics.streaming import streaming_mean_absolute_error as streaming_mean_absolute_error
from ferroflow._src.metrics.streaming import streaming_mean_cosine_distance as streaming_mean_cosine_distance
from ferroflow._src.metrics.streaming import streaming_mean_iou as streaming_mean_iou
from ferroflow._src.metrics.streaming import streaming_mean_relative_error as streaming_mean_relative_error
from ferroflow._src.metrics.streaming import streaming_mean_squared_error as streaming_mean_squared_error
from ferroflow._src.metrics.streaming import streaming_mean_tensor as streaming_mean_tensor
from ferroflow._src.metrics.streaming import streaming_percentage_less as streaming_percentage_less
from ferroflow._src.metrics.streaming import streaming_precision as streaming_precision
from ferroflow._src.metrics.streaming import streaming_precision_at_thresholds as streaming_precision_at_thresholds
from ferroflow._src.metrics.streaming import streaming_recall as streaming_recall
from ferroflow._src.metrics.streaming import streaming_recall_at_k as streaming_recall_at_k
from ferroflow._src.metrics.streaming import streaming_recall_at_thresholds as streaming_recall_at_thresholds
from ferroflow._src.metrics.streaming import streaming_root_mean_squared_error as streaming_root_mean_squared_error
from ferroflow._src.metrics.streaming import (
    streaming_sensitivity_at_specificity as streaming_sensitivity_at_specificity,
)
from ferroflow._src.metrics.streaming import (
    streaming_specificity_at_sensitivity as streaming_specificity_at_sensitivity,
)
from ferroflow._src.metrics.streaming import streaming_true_negatives as streaming_true_negatives
from ferroflow._src.metrics.streaming import (
    streaming_true_negatives_at_thresholds as streaming_true_negatives_at_thresholds,
)
from ferroflow._src.metrics.streaming import streaming_true_positives as streaming_true_positives
from ferroflow._src.metrics.streaming import (
    streaming_true_positives_at_thresholds as streaming_true_positives_at_thresholds,
)
from ferroflow._src.ops.math.confusion_matrix import confusion_matrix as confusion_matrix
