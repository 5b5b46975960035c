"""`tf.contrib.tpu`: classes for programs that can also run without a TPU."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.tpu.replication import (
    batch_parallel as batch_parallel,
    bfloat16_scope as bfloat16_scope,
    core as core,
    cross_replica_sum as cross_replica_sum,
    initialize_system as initialize_system,
    outside_compilation as outside_compilation,
    replicate as replicate,
    rewrite as rewrite,
    shard as shard,
    shutdown_system as shutdown_system,
)
from ferroflow._src.contrib.tpu.tpu_estimator import (
    CrossShardOptimizer as CrossShardOptimizer,
    InputPipelineConfig as InputPipelineConfig,
    TPUConfig as TPUConfig,
    TPUEstimator as TPUEstimator,
    TPUEstimatorSpec as TPUEstimatorSpec,
    TPURunConfig as _TPURunConfig,
)

RunConfig = _TPURunConfig

_tell_absent(globals())
