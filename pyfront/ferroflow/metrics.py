"""`tf.metrics`: numbers that are accumulated over the batches of an evaluation."""

from ferroflow._src.metrics.averaging import accuracy as accuracy
from ferroflow._src.metrics.averaging import mean as mean
from ferroflow._src.metrics.averaging import mean_absolute_error as mean_absolute_error
from ferroflow._src.metrics.averaging import mean_cosine_distance as mean_cosine_distance
from ferroflow._src.metrics.averaging import mean_relative_error as mean_relative_error
from ferroflow._src.metrics.averaging import mean_squared_error as mean_squared_error
from ferroflow._src.metrics.averaging import mean_tensor as mean_tensor
from ferroflow._src.metrics.averaging import percentage_below as percentage_below
from ferroflow._src.metrics.averaging import root_mean_squared_error as root_mean_squared_error
from ferroflow._src.metrics.class_matrices import mean_iou as mean_iou
from ferroflow._src.metrics.class_matrices import mean_per_class_accuracy as mean_per_class_accuracy
from ferroflow._src.metrics.counting import false_negatives as false_negatives
from ferroflow._src.metrics.counting import false_positives as false_positives
from ferroflow._src.metrics.counting import precision as precision
from ferroflow._src.metrics.counting import recall as recall
from ferroflow._src.metrics.counting import true_negatives as true_negatives
from ferroflow._src.metrics.counting import true_positives as true_positives
from ferroflow._src.metrics.thresholds import auc as auc
from ferroflow._src.metrics.thresholds import false_negatives_at_thresholds as false_negatives_at_thresholds
from ferroflow._src.metrics.thresholds import false_positives_at_thresholds as false_positives_at_thresholds
from ferroflow._src.metrics.thresholds import precision_at_thresholds as precision_at_thresholds
from ferroflow._src.metrics.thresholds import recall_at_thresholds as recall_at_thresholds
from ferroflow._src.metrics.thresholds import sensitivity_at_specificity as sensitivity_at_specificity
from ferroflow._src.metrics.thresholds import specificity_at_sensitivity as specificity_at_sensitivity
from ferroflow._src.metrics.thresholds import true_negatives_at_thresholds as true_negatives_at_thresholds
from ferroflow._src.metrics.thresholds import true_positives_at_thresholds as true_positives_at_thresholds
