"""`tf.contrib.training`: batches of elements that are alike."""

from ferroflow._src.input.bucketing import (
    bucket as bucket,
)
from ferroflow._src.input.bucketing import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
