"""`tf.contrib.tpu`: classes for programs that can also run without a TPU."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
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
