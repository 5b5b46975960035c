"""`tf.contrib.training`: batches of elements that are alike, and the choice of a variable's parameter server."""

from ferroflow._src.cluster.ps_strategy import (
    GreedyLoadBalancingStrategy as GreedyLoadBalancingStrategy,
)
from ferroflow._src.cluster.ps_strategy import (
    RandomStrategy as RandomStrategy,
)
from ferroflow._src.cluster.ps_strategy import (
    byte_size_load_fn as byte_size_load_fn,
)
from ferroflow._src.input.bucketing import (
    bucket as bucket,
)
from ferroflow._src.input.bucketing import (
    bucket_by_sequence_length as bucket_by_sequence_length,
)
from ferroflow._src.training.hyperparameters import HParams as HParams
from ferroflow._src.training.hyperparameters import parse_values as parse_values
